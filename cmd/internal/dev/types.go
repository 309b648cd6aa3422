package dev

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/build/typecheck"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/preview"
	"github.com/slipway-dev/slipway/validate"
)

// types is the check of the frontend's types, which runs in the background while the plugin is built and served.
type types struct {
	checked chan typing
	cancel  context.CancelFunc
	why     string // types were not checked, as printed
	shown   string // the errors printed last
}

// typing is the result of a check.
type typing struct {
	problems []typecheck.Problem
	by       string // which compiler
	err      error  // why types were not checked
	took     time.Duration
}

// sayTypes prints why types will not be checked, if so.
func (s *session) sayTypes(ctx context.Context) {
	if !hasFrontend(s.repo) {
		return
	}
	if _, err := typecheck.Find(ctx, typecheck.Options{Root: s.repo.Root}); err != nil {
		s.typed(typing{err: err})
	}
}

// checkTypes starts a check if the plugin has a frontend.
func (s *session) checkTypes(ctx context.Context, running *sync.WaitGroup) {
	if !hasFrontend(s.repo) {
		return
	}
	s.types.cancel()
	s.types.cancel = begin(ctx, running, func(ctx context.Context) {
		r := typing{}
		started := time.Now()
		c, err := typecheck.Find(ctx, typecheck.Options{Root: s.repo.Root})
		if err == nil {
			r.by = c.String()
			r.problems, err = c.Check(ctx)
		}
		r.took, r.err = time.Since(started), err
		if ctx.Err() != nil {
			return // a later change is checked, and this result is about none
		}
		select {
		case s.types.checked <- r:
		case <-ctx.Done():
		}
	})
}

// typed prints the type errors and tells the pages, unless that was done before.
func (s *session) typed(r typing) {
	if r.err != nil {
		why := fmt.Sprintf("types are not checked: %v\n", r.err)
		if errors.Is(r.err, typecheck.ErrNotBrought) {
			why = fmt.Sprintf("types are not checked: %s downloads what is needed\n", verbs.TypesCommand(s.face))
		}
		if why != s.types.why {
			fmt.Fprint(s.stdout, why)
		}
		s.types.why = why
	}
	findings := typeErrors(s.repo.Root, r.problems)
	texts := sources(s.repo.Root, findings)
	shown := s.renderTypes(findings, texts)
	if shown == s.types.shown {
		if shown != "" {
			fmt.Fprintf(s.stdout, "%s, as before\n", text.Plural(len(findings), "type error"))
		}
		return
	}
	messages := []preview.Message{}
	if s.types.shown = shown; r.err == nil { // the tasks of editors replace their lists between the first line and the last
		fmt.Fprintf(s.stdout, "types checked by %s in %.2fs\n%s", r.by, r.took.Seconds(), shown)
	}
	if len(findings) > 0 {
		messages = messagesOf(s.repo.Root, "", findings, texts)
		fmt.Fprintf(s.stdout, "%s; the change is live\n", text.Plural(len(findings), "type error"))
	} else if r.err == nil {
		fmt.Fprintln(s.stdout, "fixed: no type errors")
	}
	s.preview.tell(func(p *preview.Server) { p.Typed(messages) })
}

// renderTypes writes the first type errors as render does, with all lines in which the compiler explains them.
func (s *session) renderTypes(findings []validate.Finding, sources map[string][]byte) (shown string) {
	const most = 20
	for _, f := range findings[:min(most, len(findings))] {
		message, more, _ := strings.Cut(f.Message, "\n")
		f.Message = message
		head, frame, _ := strings.Cut(s.render([]validate.Finding{f}, sources), "\n")
		shown += head + "\n"
		for line := range strings.Lines(more) {
			shown += terminal.Printable(strings.TrimSuffix(line, "\n")) + "\n"
		}
		shown += frame
	}
	return shown
}

// typeErrors returns the findings for what the compiler found. Their rules are its codes.
func typeErrors(root string, list []typecheck.Problem) (findings []validate.Finding) {
	for _, p := range list {
		f := validate.Finding{Rule: p.Code, Severity: validate.Error, Message: p.Text}
		if f.Place.File = shown(root, "tsconfig.json"); p.File != "" {
			f.Place = place(shown(root, p.File), p.Line, p.Offset()+1, 1, []byte(p.Source))
		}
		findings = append(findings, f)
	}
	return findings
}
