package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/bundler"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/preview"
	"github.com/slipway-dev/slipway/sdk/hostapi"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/report"
)

// rebuilder builds a plugin again and again, reloads it, and reports the results.
type rebuilder struct {
	face    verbs.Face
	repo    bundle.Repo
	options devOptions
	stdout  *os.File
	bundler *bundler.Session
	server  *server.Server
	preview previews

	isBroken  bool   // the last failure is not fixed
	reason    string // of the last failure
	messages  []preview.Message
	isWelcome bool   // the commands to try were printed
	shown     string // the warnings printed last

	mu     sync.Mutex
	inputs []string // files that the frontend reads, relative to the root
	output string   // directory that the repository's own bundler writes to, or ""
	built  []string // files in dist
}

func newRebuilder(f verbs.Face, repo bundle.Repo, o devOptions, stdout *os.File) *rebuilder {
	r := &rebuilder{face: f, repo: repo, options: o, stdout: stdout, bundler: bundler.NewSession(bundler.Bundler{})}
	r.bundler.Dev = true
	return r
}

func (r *rebuilder) close() { r.bundler.Close() }

// isInput reports whether the frontend reads a file.
func (r *rebuilder) isInput(rel string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.inputs, rel)
}

// isOutput reports whether the repository's own bundler writes to a path.
func (r *rebuilder) isOutput(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	rel, err := filepath.Rel(r.output, path)
	return r.output != "" && err == nil && filepath.IsLocal(rel)
}

// isReduced reports whether a file has been deleted from dist since the last build.
func (r *rebuilder) isReduced() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.built, func(file string) bool {
		_, err := os.Lstat(file)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// noteFiles remembers what the frontend reads, where the repository's own bundler writes, and
// what is in dist. After an error, which leaves the first incomplete, the old list stays.
func (r *rebuilder) noteFiles(b *verbs.Built) {
	inputs, files := r.bundler.Inputs(), filesIn(r.repo.Dist)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.output, r.built = b.OwnDir, files
	if len(inputs) > 0 {
		r.inputs = inputs
	}
}

// outcome is the result of a build.
type outcome struct {
	parts   parts // that it was to rebuild
	isLive  bool
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

// buildAll makes a complete dist. If that fails, it prints why.
func (r *rebuilder) buildAll(ctx context.Context) {
	b, err := verbs.Build(ctx, r.stdout, r.buildOptions())
	r.noteFiles(b)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		r.failed(r.failureOf(err))
		return
	}
	r.show(r.render(b.Report.Findings, b.Report.Sources))
	r.shown += r.render(warnings(r.repo.Root, r.bundler.Warnings())) // the build prints these itself
}

// buildOptions returns the options of every build. The host starts the backend anyway.
func (r *rebuilder) buildOptions() verbs.BuildOptions {
	return verbs.BuildOptions{Face: r.face, Dir: r.repo.Root, Platforms: "host", Dev: true, Bundler: r.bundler, Debug: r.options.debug}
}

// aside returns where a directory in dist is while the repository's own bundler writes to dist,
// or "".
func (r *rebuilder) aside(dir string) string {
	rel, err := filepath.Rel(r.repo.Dist, dir)
	aside := build.Aside(r.repo)
	if err != nil || !filepath.IsLocal(rel) || aside == "" {
		return ""
	}
	return filepath.Join(aside, rel)
}

// rebuild updates dist and reloads the plugin.
func (r *rebuilder) rebuild(ctx context.Context, p parts) outcome {
	o := outcome{parts: p}
	o.texts, o.changes, o.failure = r.update(ctx, p)
	if o.failure == nil && ctx.Err() == nil {
		started := time.Now()
		o.failure = r.mount(ctx)
		o.mounting = time.Since(started)
	}
	if ctx.Err() != nil {
		o.failure = nil
	}
	o.isLive = o.failure == nil && ctx.Err() == nil
	return o
}

func (r *rebuilder) update(ctx context.Context, p parts) (texts string, c build.Changes, _ *failure) {
	if p.packages {
		r.bundler.Close()
	}
	if p.frontend {
		r.bundler.Changed()
	}
	options := r.buildOptions()
	switch {
	case !p.backend:
		options.Only = string(build.OnlyFrontend)
	case p == parts{backend: true}:
		options.Only = string(build.OnlyBackend)
	}
	b, err := verbs.UpdateBuild(ctx, r.stdout, r.repo, options)
	r.noteFiles(b)
	if err != nil {
		return "", c, r.failureOf(err)
	}
	return r.render(b.Report.Findings, b.Report.Sources) + r.render(warnings(r.repo.Root, r.bundler.Warnings())), b.Changes, nil
}

// mount reloads the plugin. The new build may not start.
func (r *rebuilder) mount(ctx context.Context) *failure {
	if err := r.server.Mount(ctx); err != nil {
		return &failure{fmt.Sprintf("plugins not mounted: %v\n", err), err.Error(), []preview.Message{{Text: err.Error()}}}
	}
	var lines []string
	for _, p := range r.server.Loader().Plugins() {
		if status := p.Status(); status.Reason != "" {
			lines = append(lines, terminal.Line(fmt.Sprintf("%s: %s", stateOf(p.ID(), status), status.Reason)))
		}
	}
	for _, f := range r.server.Loader().Faults() {
		lines = append(lines, terminal.Line(fmt.Sprintf("%s: %v", below(r.repo.Root, f.Path), &f)))
	}
	if len(lines) == 0 {
		return nil
	}
	return &failure{strings.Join(lines, "\n") + "\n", lines[0], []preview.Message{{Text: strings.Join(lines, "\n")}}}
}

// reasonOf returns the reason of a failure that a finding causes.
func (r *rebuilder) reasonOf(f validate.Finding) string {
	f.File = below(r.repo.Root, f.File)
	return fmt.Sprintf("%s: %s", f.Address(), f.Message)
}

// below returns a path in the repository relative to its root, since pages show it, wherever
// dev was started.
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
func (r *rebuilder) firstMount(ctx context.Context) {
	f := r.mount(ctx)
	switch {
	case r.isBroken: // no host could announce that
		r.announce(hostapi.PluginEvent{Name: api.EventFailed, Reason: r.reason})
		r.preview.failed(r.messages)
	case f != nil && ctx.Err() == nil:
		r.failed(f)
	}
}

func stateOf(id string, s loader.Status) string {
	if s.State == loader.StateRunning {
		return id
	}
	return fmt.Sprintf("%s is %s", id, s.State)
}

// failureOf turns an error into a failure. Errors from compilers become findings.
func (r *rebuilder) failureOf(err error) *failure {
	if refused, ok := errors.AsType[*build.RefusedError](err); ok {
		return r.failureOfCheck(refused)
	}
	findings, text := compilerErrors(r.repo.Root, err)
	texts := sources(r.repo.Root, findings)
	f := &failure{text: r.render(findings, texts)}
	for line := range strings.Lines(text) {
		f.text += terminal.Printable(strings.TrimSuffix(line, "\n")) + "\n"
	}
	f.reason, _, _ = strings.Cut(text, "\n")
	if len(findings) > 0 {
		f.reason = r.reasonOf(findings[0])
		if errors.Is(err, build.ErrNotDownloaded) {
			f.text += verbs.DownloadHelp(r.face) + "\n"
		}
	}
	f.messages = messagesOf(r.repo.Root, text, findings, texts)
	return f
}

// failureOfCheck is failureOf for what the rules found.
func (r *rebuilder) failureOfCheck(e *build.RefusedError) *failure {
	found := e.Report
	f := &failure{text: r.render(found.Findings, found.Sources)}
	if i := slices.IndexFunc(found.Findings, func(f validate.Finding) bool { return f.Severity == validate.Error }); i >= 0 {
		f.reason = r.reasonOf(found.Findings[i])
	} else { // a rule did not run
		f.text, f.reason = f.text+e.Error()+"\n", e.Error()
	}
	f.messages = messagesOf(r.repo.Root, f.reason, found.Findings, found.Sources)
	return f
}

// render writes findings as validate does.
func (r *rebuilder) render(findings []validate.Finding, sources map[string][]byte) string {
	var b bytes.Buffer
	hasColor := term.IsTerminal(int(r.stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	_ = report.Findings(&b, findings, sources, report.Options{HasColor: hasColor}) // a buffer accepts everything
	return b.String()
}

// show prints warnings, unless they were printed before.
func (r *rebuilder) show(texts string) {
	if texts != r.shown {
		fmt.Fprint(r.stdout, texts)
	}
	r.shown = texts
}

// failed prints and announces a failure.
func (r *rebuilder) failed(f *failure) {
	r.isBroken, r.reason, r.messages, r.shown = true, f.reason, f.messages, ""
	fmt.Fprint(r.stdout, f.text)
	var states []loader.State
	if r.server != nil {
		for _, p := range r.server.Loader().Plugins() {
			states = append(states, p.Status().State)
		}
	}
	fmt.Fprintln(r.stdout, serving(states))
	r.announce(hostapi.PluginEvent{Name: api.EventFailed, Reason: f.reason})
	r.preview.failed(f.messages)
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
func (r *rebuilder) succeeded(ctx context.Context, o outcome, since time.Time) {
	r.show(o.texts)
	changed := o.changes.Names()
	fixed := ""
	if r.isBroken {
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
	case len(changed) == 0 && !r.isBroken: // a file was only touched
	default:
		for _, p := range r.server.Loader().Plugins() {
			fmt.Fprintf(r.stdout, "%s%s %s is live, %s\n", fixed, p.ID(), p.Bundle().Metadata.Info.Version, took)
			r.preview.ready(p.ID(), changed, r.isBroken)
		}
		r.announce(hostapi.PluginEvent{Name: api.EventReady, Changed: changed})
	}
	r.isBroken = false
	r.welcome(ctx)
}

// announce sends an event for each mounted plugin.
func (r *rebuilder) announce(e hostapi.PluginEvent) {
	if r.server == nil {
		return
	}
	for _, p := range r.server.Loader().Plugins() {
		e.ID, e.Version = p.ID(), p.Bundle().Metadata.Info.Version
		r.server.Announce(e)
	}
}

// shown returns how a file of the repository is shown to people: relative to the current
// directory if it is below that.
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
