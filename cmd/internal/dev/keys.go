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

// keys are what a person can type, with Enter, while dev runs.
const keys = `  o + enter  open the browser
  u + enter  show the links
  r + enter  start the backend again, and build
  q + enter  quit
  h + enter  show this help
`

// press does what a line that was typed asks for. It returns what to build, and whether to end.
func (s *session) press(ctx context.Context, line string) (p parts, isEnd bool) {
	switch strings.TrimSpace(line) {
	case "":
	case "o":
		s.openOrSay(ctx)
	case "u":
		s.links()
	case "r":
		s.restart(ctx)
		return everything(), false
	case "q":
		return parts{}, true
	default:
		fmt.Fprint(s.stdout, keys)
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
