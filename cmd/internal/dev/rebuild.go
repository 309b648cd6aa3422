package dev

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/preview"
)

type outcome struct {
	parts   parts // that it was to build
	isLive  bool
	files   files
	changes build.Changes
	texts   string   // findings to print
	failure *failure // nil if isLive, or if the build was canceled

	mounting time.Duration // of which most is the start of the new process
}

// failure is the reason why a change is not live.
type failure struct {
	text     string // for people
	reason   string // in one line
	messages []preview.Message
}

// buildAll makes a complete dist. If that fails, it reports why.
func (s *session) buildAll(ctx context.Context) {
	b, err := verbs.Build(ctx, s.stdout, s.buildOptions())
	s.files = s.filesOf(b, files{})
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.failed(s.failureOf(err))
		return
	}
	s.show(s.render(b.Report.Findings, b.Report.Sources))
	s.shown += s.render(warnings(s.repo.Root, s.bundler.Warnings())) // the build prints these itself
}

// filesOf returns the files after a build. What an error leaves unknown is as it was.
func (s *session) filesOf(b *verbs.Built, known files) files {
	f := files{inputs: s.bundler.Inputs(), own: b.OwnDir}
	if len(f.inputs) == 0 {
		f.inputs = known.inputs
	}
	if b.Report == nil {
		f.own = known.own
	}
	return f
}

// buildOptions returns the options of every build. The host starts the backend anyway.
func (s *session) buildOptions() verbs.BuildOptions {
	return verbs.BuildOptions{Face: s.face, Dir: s.repo.Root, Platforms: "host", Dev: true, Bundler: s.bundler, Debug: s.options.UseDelve}
}

// rebuild brings dist in line with what has changed, and mounts it.
func (s *session) rebuild(ctx context.Context, p parts, known files) outcome {
	o := outcome{parts: p}
	s.update(ctx, &o, known)
	if o.failure == nil && ctx.Err() == nil {
		started := time.Now()
		o.failure = s.mount(ctx)
		o.mounting = time.Since(started)
	}
	if ctx.Err() != nil {
		o.failure = nil
	}
	o.isLive = o.failure == nil && ctx.Err() == nil
	return o
}

func (s *session) update(ctx context.Context, o *outcome, known files) {
	if o.parts.packages {
		s.bundler.Close()
	}
	if o.parts.frontend {
		s.bundler.Changed()
	}
	options := s.buildOptions()
	switch {
	case !o.parts.backend:
		options.Only = string(build.OnlyFrontend)
	case o.parts == parts{backend: true}:
		options.Only = string(build.OnlyBackend)
	}
	b, err := verbs.UpdateBuild(ctx, s.stdout, s.repo, options)
	o.files, o.changes = s.filesOf(b, known), b.Changes
	if err != nil {
		o.failure = s.failureOf(err)
		return
	}
	o.texts = s.render(b.Report.Findings, b.Report.Sources) + s.render(warnings(s.repo.Root, s.bundler.Warnings()))
}

// mount reloads the plugin. The new build may not start.
func (s *session) mount(ctx context.Context) *failure {
	if err := s.server.Mount(ctx); err != nil {
		return &failure{fmt.Sprintf("plugins not mounted: %v\n", err), err.Error(), []preview.Message{{Text: err.Error()}}}
	}
	var lines []string
	for _, p := range s.server.Loader().Plugins() {
		status, name := p.Status(), p.ID()
		if status.State != loader.StateRunning {
			name += fmt.Sprintf(" is %s", status.State)
		}
		if status.Reason != "" {
			lines = append(lines, terminal.Line(name+": "+status.Reason))
		}
	}
	for _, f := range s.server.Loader().Faults() {
		lines = append(lines, terminal.Line(fmt.Sprintf("%s: %v", below(s.repo.Root, f.Path), &f)))
	}
	if len(lines) == 0 {
		return nil
	}
	return &failure{strings.Join(lines, "\n") + "\n", lines[0], []preview.Message{{Text: strings.Join(lines, "\n")}}}
}
