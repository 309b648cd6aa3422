package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/preview"
	"github.com/slipway-dev/slipway/sdk/hostapi"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/report"
)

// reasonOf returns the reason of a failure that a finding causes.
func (s *session) reasonOf(f validate.Finding) string {
	f.File = below(s.repo.Root, f.File)
	return fmt.Sprintf("%s: %s", f.Address(), f.Message)
}

// below returns a path in the repository relative to its root, wherever dev was started.
func below(root, path string) string {
	full, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// firstMount mounts what the first build produced, or an earlier build if that failed.
func (s *session) firstMount(ctx context.Context) {
	f := s.mount(ctx)
	switch {
	case s.isBroken: // no host could announce that
		s.announce(hostapi.PluginEvent{Name: api.EventFailed, Reason: s.reason})
		s.preview.tell(func(p *preview.Server) { p.Failed(s.messages) })
	case f != nil && ctx.Err() == nil:
		s.failed(f)
	}
}

// failureOf turns an error into a failure. Errors from compilers become findings, as those of the rules are.
func (s *session) failureOf(err error) *failure {
	findings, text := compilerErrors(s.repo.Root, err)
	texts := sources(s.repo.Root, findings)
	reason, _, _ := strings.Cut(text, "\n")
	isError := func(f validate.Finding) bool { return f.Severity == validate.Error }
	if refused, ok := errors.AsType[*build.RefusedError](err); ok {
		findings, texts, text = refused.Report.Findings, refused.Report.Sources, ""
		if !slices.ContainsFunc(findings, isError) { // a rule did not run
			text, reason = refused.Error(), refused.Error()
		}
	}
	f := &failure{text: s.render(findings, texts), reason: reason}
	for line := range strings.Lines(text) {
		f.text += terminal.Printable(strings.TrimSuffix(line, "\n")) + "\n"
	}
	if i := slices.IndexFunc(findings, isError); i >= 0 {
		f.reason = s.reasonOf(findings[i])
	}
	if len(findings) > 0 && errors.Is(err, build.ErrNotDownloaded) {
		f.text += verbs.DownloadHelp(s.face) + "\n"
	}
	f.messages = messagesOf(s.repo.Root, text, findings, texts)
	return f
}

// render writes findings as validate does.
func (s *session) render(findings []validate.Finding, sources map[string][]byte) string {
	var b bytes.Buffer
	_ = report.Findings(&b, findings, sources, report.Options{HasColor: terminal.HasColor(s.stdout)}) // a buffer accepts everything
	return b.String()
}

// show prints warnings, unless they were printed before.
func (s *session) show(texts string) {
	if texts != s.shown {
		fmt.Fprint(s.stdout, texts)
	}
	s.shown = texts
}

func (s *session) failed(f *failure) {
	s.isBroken, s.reason, s.messages, s.shown = true, f.reason, f.messages, ""
	fmt.Fprint(s.stdout, f.text)
	var states []loader.State
	if s.server != nil {
		for _, p := range s.server.Loader().Plugins() {
			states = append(states, p.Status().State)
		}
	}
	fmt.Fprintln(s.stdout, terminal.Paint(s.stdout, terminal.Red, serving(states)))
	s.announce(hostapi.PluginEvent{Name: api.EventFailed, Reason: f.reason})
	s.preview.tell(func(p *preview.Server) { p.Failed(f.messages) })
}

// placed matches the first line of a panic in a log, whose place in the sources the loader has added.
var placed = regexp.MustCompile(`^(.*) \((\S+\.go):(\d+)\)$`)

// logged tells the pages the place of a panic, which the answer to their query does not have.
func (s *session) logged(r slog.Record) {
	if m, ok := panicIn(s.repo.Root, r.Message); ok {
		s.preview.tell(func(p *preview.Server) { p.Panicked(m) })
	}
}

// panicIn returns the panic that a message of a log is about, with its place in the repository.
func panicIn(root, message string) (m preview.Message, ok bool) {
	first, _, _ := strings.Cut(message, "\n")
	found := placed.FindStringSubmatch(first)
	if found == nil {
		return m, false
	}
	m.Text, m.File = found[1], below(root, found[2])
	m.Line, _ = strconv.Atoi(found[3])
	for rest, isMore := m.File, true; isMore; _, rest, isMore = strings.Cut(rest, "/") { // it may begin with the path of the module
		if source := lineOf(root, rest, m.Line); source != nil {
			m.File, m.Source = rest, string(source)
			break
		}
	}
	return m, true
}

// serving describes what serves after a failure, given the states of the mounted plugins.
func serving(states []loader.State) string {
	switch {
	case len(states) == 0:
		return "the plugin has errors: waiting for changes"
	case slices.ContainsFunc(states, func(s loader.State) bool { return s != loader.StateRunning && s != loader.StateNoBackend }):
		return "the backend is not running: waiting for changes"
	}
	return "the change has errors: the previous build keeps serving"
}

// succeeded prints and announces that the changes since a time are live.
func (s *session) succeeded(ctx context.Context, o outcome, since time.Time) {
	s.show(o.texts)
	changed := o.changes.Names()
	fixed := ""
	if s.isBroken {
		fixed = "fixed: "
	}
	took := fmt.Sprintf("%.2fs after the change", time.Since(since).Seconds())
	if c := o.changes.Compiling; c > 0 {
		took += fmt.Sprintf(", of which compiling took %.2fs and mounting %.2fs", c.Seconds(), o.mounting.Seconds())
	}
	if len(changed) > 0 {
		took += " (" + strings.Join(changed, ", ") + ")"
	}
	switch {
	case len(changed) == 0 && !s.isBroken: // a file was only touched
		fmt.Fprintf(s.stdout, "nothing to reload, %s\n", took)
	default:
		for _, p := range s.server.Loader().Plugins() {
			fmt.Fprintf(s.stdout, "%s%s %s is %s, %s\n", fixed, p.ID(), p.Bundle().Metadata.Info.Version, terminal.Paint(s.stdout, terminal.Green, "live"), took)
			s.preview.tell(func(page *preview.Server) {
				if s.isBroken {
					page.Fixed()
				}
				page.Ready(p.ID(), changed)
			})
		}
		s.announce(hostapi.PluginEvent{Name: api.EventReady, Changed: changed})
	}
	s.isBroken = false
	s.welcome(ctx)
}

func (s *session) announce(e hostapi.PluginEvent) {
	if s.server == nil {
		return
	}
	for _, p := range s.server.Loader().Plugins() {
		e.ID, e.Version = p.ID(), p.Bundle().Metadata.Info.Version
		s.server.Announce(e)
	}
}

// shown returns how people see a file of the repository: relative to the current directory if it is below that.
func shown(root, file string) string {
	full := file
	if !filepath.IsAbs(file) {
		full = filepath.Join(root, filepath.FromSlash(file))
	}
	if cwd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(cwd, full); err == nil && filepath.IsLocal(rel) {
			full = rel
		}
	}
	return filepath.ToSlash(full)
}
