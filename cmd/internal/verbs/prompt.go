package verbs

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/templates"
)

type prompter struct {
	lines <-chan string // what the user enters; closed at the end of the input
	w     io.Writer
}

func newPrompter(in io.Reader, w io.Writer) prompter {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return prompter{lines, w}
}

// ask repeats a question until check accepts the response. An empty response stands for
// fallback. It fails at the end of the input, and when ctx is canceled.
func (p prompter) ask(ctx context.Context, question, fallback string, check func(string) error) (string, error) {
	for {
		if fallback == "" {
			fmt.Fprintf(p.w, "%s: ", question)
		} else {
			fmt.Fprintf(p.w, "%s [%s]: ", question, fallback)
		}
		var line string
		var ok bool
		select {
		case line, ok = <-p.lines:
		case <-ctx.Done():
		}
		if !ok {
			fmt.Fprintln(p.w)
			return "", &ExitError{Code: ExitUsage, Err: errors.New("canceled; nothing was written")}
		}
		line = cmp.Or(strings.TrimSpace(line), fallback)
		err := check(line)
		if err == nil {
			return line, nil
		}
		fmt.Fprintf(p.w, "  %v\n", err)
		if e, ok := errors.AsType[*templates.InvalidID](err); ok {
			fallback = e.Suggestion
		}
	}
}

// askScaffold asks for the profile, and without an id for the other options that are missing.
func askScaffold(ctx context.Context, p prompter, o *templates.Options) (err error) {
	if o.ID != "" {
		return askProfile(ctx, p, o)
	}
	if o.Type == "" {
		o.Type, err = p.ask(ctx, "type ("+strings.Join(templates.TypeNames(), ", ")+")", "", func(s string) error {
			_, err := templates.CheckType(s)
			return err
		})
		if err != nil {
			return err
		}
	}
	t, err := templates.CheckType(o.Type)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	o.ID, err = p.ask(ctx, "id, such as acme-hello-"+o.Type, "", func(s string) error { return templates.CheckID(o.Type, s) })
	if err != nil {
		return err
	}
	if o.Name == "" {
		o.Name, err = p.ask(ctx, "name shown to users", templates.DefaultName(o.ID),
			func(s string) error { return templates.CheckText("name", s) })
		if err != nil {
			return err
		}
	}
	if err := askProfile(ctx, p, o); err != nil {
		return err
	}
	if o.Backend == nil && t.BackendOptional {
		hasBackend, err := p.askYes(ctx, "backend", t.HasBackend)
		o.Backend = new(hasBackend)
		return err
	}
	return nil
}

func askProfile(ctx context.Context, p prompter, o *templates.Options) (err error) {
	if o.Profile == "" {
		question := "profile (" + strings.Join(templates.ProfileNames(), ", ") + ")"
		o.Profile, err = p.ask(ctx, question, templates.DefaultProfile, func(s string) error {
			_, err := templates.CheckProfile(s)
			return err
		})
	}
	return err
}

// askYes asks a question that has the responses yes and no.
func (p prompter) askYes(ctx context.Context, question string, fallback bool) (bool, error) {
	words := map[bool]string{false: "no", true: "yes"}
	response, err := p.ask(ctx, question+" (no, yes)", words[fallback], func(s string) error {
		if s != words[false] && s != words[true] {
			return nearest.Unknown("response", s, []string{words[false], words[true]})
		}
		return nil
	})
	return response == words[true], err
}
