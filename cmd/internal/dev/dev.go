// Package dev runs a plugin while its author works on it: it builds, serves and shows the plugin, and again when
// files change. Its heart, loop, decides what is built and when; the rest does that, and says what came of it.
package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/slipway-dev/slipway/build/bundler"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/preview"
)

// Options are the options of Run.
type Options struct {
	Server   server.Options
	Dir      string    // the plugin repository, or a directory in it; "" is the current directory
	Open     bool      // open the console, or the page of the preview, in a browser
	UseDelve bool      // run the backend under Delve
	Keys     io.Reader // lines that a person types; nil if nobody can

	IsPreview bool   // the verb is preview: the libraries of the page may be downloaded, and nothing else is announced
	With      string // minor versions of the libraries, with commas between them; "" is that of the repository
	Listen    string // address of the page; "" chooses a port
	Answers   string // of plugins: record or replay, or ""
	CacheDir  string // of Slipway; "" is in the user's cache
}

// quietly returns a writer for what the verb preview does not print.
func (o *Options) quietly(stdout io.Writer) io.Writer {
	if o.IsPreview {
		return io.Discard
	}
	return stdout
}

type session struct {
	face    verbs.Face
	repo    bundle.Repo
	options Options
	stdout  *os.File
	bundler *bundler.Session
	server  *server.Server
	preview previews

	files      files  // after the last build
	isBroken   bool   // the last failure is not fixed
	reason     string // of the last failure
	messages   []preview.Message
	isWelcome  bool   // the commands to try were printed
	invitation string // how to get a preview; "" if there is one
	shown      string // the warnings printed last
	types      types
}

// Run builds and serves the plugin, and rebuilds and reloads what file changes affect, until ctx is done.
func Run(ctx context.Context, f verbs.Face, o Options, stdout *os.File, stderr io.Writer) (err error) {
	repo, err := verbs.FindRepo(stdout, o.Dir)
	if err != nil {
		return err
	}
	if o.Server.DataDir == "" {
		o.Server.DataDir = filepath.Join(repo.Root, ".slipway", "data")
	}
	o.Server.Environ = os.Environ()
	if err := server.Check(ctx, o.Server); err != nil { // before the build, which takes longer
		return serve.Explain(f, o.Server, err)
	}
	if o.UseDelve {
		o.Server.Debug.Launch = []string{loader.AllPlugins}
	}
	if err := serve.Debug(ctx, f, &o.Server.Debug, repo.Root, stdout); err != nil {
		return err
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", repo.Root, err)
	}
	defer func() { err = errors.Join(err, watcher.Close()) }()
	if _, err := watchTree(watcher, repo, repo.Root); err != nil {
		return fmt.Errorf("watch %s: %w", repo.Root, err)
	}
	s := &session{face: f, repo: repo, options: o, stdout: stdout, bundler: bundler.NewSession(bundler.Bundler{}),
		types: types{checked: make(chan typing), cancel: func() {}}}
	s.bundler.Dev = true
	defer s.bundler.Close()
	s.options.Server.Logger = serve.NewLogger(stderr, s.logged)
	pages := pageOptions{isAsked: o.IsPreview, with: o.With, listen: o.Listen, cache: o.CacheDir, invite: func(text string) { s.invitation = text }}
	if err := pages.prepare(f, repo, o.Answers); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAnswers(pages.answers, stdout)) }()
	if pages.answers != nil && pages.answers.Clock.IsZero() {
		if err := pages.answers.Restart(time.Now()); err != nil {
			return err
		}
	}
	if s.preview, err = openPreviews(ctx, f, repo, pages, stdout); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.preview.close()) }()
	s.bundler.Refresh = s.preview != nil
	s.buildAll(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if s.server, err = serve.Open(ctx, f, s.serverOptions(), false, o.quietly(stdout), stderr); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.preview.close(), serve.Close(s.server, stdout)) }()
	s.preview.serve(s.server)
	s.firstMount(ctx)
	s.welcome(ctx)
	if ctx.Err() != nil {
		return nil
	}
	s.sayTypes(ctx)
	s.links()
	return s.watch(ctx, watcher)
}

// links prints where to look. The last lines are what is seen first.
func (s *session) links() {
	serve.PrintSignIn(s.server, s.options.quietly(s.stdout))
	s.preview.announce(s.stdout, s.invitation)
	fmt.Fprintf(s.stdout, "watching %s; press Ctrl-C to stop\n", s.repo.Root)
	if s.options.Keys != nil {
		fmt.Fprintln(s.stdout, "press h + enter to show help")
	}
}

func (s *session) serverOptions() server.Options {
	o := s.options.Server
	o.PluginDirs = []string{s.repo.Root}
	o.AuditLevel = slog.LevelDebug // build results would scroll away
	o.Preview = s.preview.link()
	provision(&o, s.repo)
	return o
}

// provision applies the provisioning directory of a repository, if it has one.
func provision(o *server.Options, repo bundle.Repo) {
	dir := filepath.Join(repo.Root, "provisioning")
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		o.Provisioning, o.LaxProvisioning = dir, true
	}
}
