package dev

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Keys returns where a person types keys: nil unless both are terminals.
func Keys(stdin, stdout *os.File) io.Reader {
	if !term.IsTerminal(int(stdin.Fd())) || !term.IsTerminal(int(stdout.Fd())) {
		return nil
	}
	ignoreStops()
	return stdin
}

// key is what a person can type, with Enter, while dev runs. It returns what to build, and whether to end.
type key struct {
	letter, help string
	press        func(context.Context) (p parts, isEnd bool)
}

func (s *session) keys() []key {
	return []key{
		{"o", "open the browser", func(ctx context.Context) (parts, bool) { s.openOrSay(ctx); return parts{}, false }},
		{"u", "show the links", func(context.Context) (parts, bool) { s.links(); return parts{}, false }},
		{"r", "start the backend again, and build", func(ctx context.Context) (parts, bool) { s.restart(ctx); return everything(), false }},
		{"q", "quit", func(context.Context) (parts, bool) { return parts{}, true }},
	}
}

// press does what a line that was typed asks for. Any other line, such as h, lists the keys; an empty one does nothing.
func (s *session) press(ctx context.Context, line string) (p parts, isEnd bool) {
	line = strings.TrimSpace(line)
	if line == "" {
		return parts{}, false
	}
	for _, k := range s.keys() {
		if k.letter == line {
			return k.press(ctx)
		}
	}
	for _, k := range append(s.keys(), key{letter: "h", help: "show this help"}) {
		fmt.Fprintf(s.stdout, "  %s + enter  %s\n", k.letter, k.help)
	}
	return parts{}, false
}

// restart starts the processes of the backends again, even of those that are down after several crashes.
func (s *session) restart(ctx context.Context) {
	for _, p := range s.server.Loader().Plugins() {
		if !p.Bundle().Metadata.Backend {
			continue
		}
		if err := p.Restart(ctx); err != nil {
			fmt.Fprintf(s.stdout, "%s: %v\n", p.ID(), err)
		}
	}
}

// readKeys returns the lines that are typed. A read from a terminal cannot be canceled: it ends with the program.
func readKeys(ctx context.Context, r io.Reader) <-chan string {
	if r == nil {
		return nil
	}
	typed := make(chan string)
	go func() {
		for lines := bufio.NewScanner(r); lines.Scan(); {
			select {
			case typed <- lines.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return typed
}
