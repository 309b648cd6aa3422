package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
)

// BuildOptions are the options of the verb build.
type BuildOptions struct {
	Face      Face
	Dir       string // the plugin repository; "" is the current directory
	Platforms string // all, host or a list of os/arch; "" is those of slipway.yaml, or else all
	Add       bool   // also build for the platforms of the executables in dist
	Profile   string // of plugin.json; "" derives it from the file
	All       bool   // build every plugin repository at Dir and below
	Only      string // backend or frontend; "" is both
	Debug     bool   // build executables for a debugger
	Dev       bool   // the caller starts what was compiled, and its bundler is for development
	Bundler   build.Bundler
	In        io.Reader // a terminal, on which to ask whether to download packages; nil does not ask
}

func (o BuildOptions) options(w *os.File) (b build.Options, err error) {
	platforms, err := parsePlatforms(o.Platforms)
	if err != nil {
		return b, Usage("%s: %w", o.Face.Option("platforms"), err)
	}
	if err := checkProfile(o.Face, o.Profile); err != nil {
		return b, err
	}
	if sides := []string{string(build.OnlyBackend), string(build.OnlyFrontend)}; o.Only != "" && !slices.Contains(sides, o.Only) {
		return b, Usage("%s: %w", o.Face.Option("only"), nearest.Unknown("side", o.Only, sides))
	}
	return build.Options{
		Dir: o.Dir, Platforms: platforms, Only: build.Side(o.Only), Debug: o.Debug, Dev: o.Dev, Progress: w, Live: isTerminal(w),
		Bundler: o.Bundler,
	}, nil
}

// addBuilt adds the platforms of the executables in dist, which workflows build one after another.
func addBuilt(platforms []bundle.Platform, dist string) ([]bundle.Platform, error) {
	entries, err := os.ReadDir(dist)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		_, p, ok := bundle.SplitExecutable(e.Name())
		if ok && e.Type().IsRegular() && !slices.Contains(platforms, p) {
			platforms = append(platforms, p)
		}
	}
	return platforms, nil
}

// UpdateBuild brings dist in line with changed sources while a host serves it.
func UpdateBuild(ctx context.Context, w *os.File, repo bundle.Repo, o BuildOptions) (*Built, error) {
	o.Dir = repo.Root
	b, err := o.options(w)
	if err != nil {
		return &Built{}, err
	}
	b.Update = true
	built, err := o.run(ctx, w, repo, b)
	return built, withHelp(o.Face, err)
}

// withHelp adds how to download packages to an error because of missing ones.
func withHelp(f Face, err error) error {
	if errors.Is(err, build.ErrNotDownloaded) {
		return fmt.Errorf("%w\n  %s", err, DownloadHelp(f))
	}
	return err
}

// DownloadHelp returns the help for build.ErrNotDownloaded.
func DownloadHelp(f Face) string { return "help: download them with " + f.Verb("deps") }

// run reads slipway.yaml, runs its command that generates sources, checks the sources, and builds.
func (o BuildOptions) run(ctx context.Context, w *os.File, repo bundle.Repo, b build.Options) (*Built, error) {
	built := &Built{}
	t, err := openSources(o.Face, repo, o.Profile)
	if err != nil {
		return built, err
	}
	defer t.close()
	built.Config = t.config
	if built.OwnDir, err = t.configureBuild(o, &b); err != nil {
		return built, err
	}
	if err := build.Generate(ctx, b); err != nil {
		return built, err
	}
	if built.Report, err = t.check(ctx); err != nil {
		return built, err
	}
	b.Checked = built.Report
	r, err := build.Plugin(ctx, b)
	if errors.Is(err, build.ErrNotDownloaded) && o.In != nil {
		if err = askDownload(ctx, w, o, err); err == nil {
			r, err = build.Plugin(ctx, b)
		}
	}
	if err == nil {
		built.Result = *r
	}
	return built, err
}

func runBuild(ctx context.Context, w *os.File, o BuildOptions) error {
	dirs, err := reposAt(o.Face, o.All, o.Dir, nil)
	if err != nil {
		return err
	}
	return each(ctx, w, "build", dirs, func(dir string) error {
		o.Dir = dir
		_, err := Build(ctx, w, o)
		return err
	})
}

// Build builds a plugin repository and prints its progress to w.
func Build(ctx context.Context, w *os.File, o BuildOptions) (*Built, error) {
	repo, missing := FindRepo(w, o.Dir)
	o.Dir = cmp.Or(repo.Root, o.Dir)
	b, err := o.options(w)
	if err = cmp.Or(err, missing); err != nil { // invalid options come first
		return &Built{}, err
	}
	r, err := o.run(ctx, w, repo, b)
	if err != nil && ctx.Err() != nil {
		return r, errors.New("build: interrupted; dist is unchanged")
	}
	if exit, ok := errors.AsType[*ExitError](err); ok {
		return r, exit
	}
	if err != nil {
		return r, fmt.Errorf("build: %w", withHelp(o.Face, err))
	}
	for i, warning := range r.Warnings {
		if !slices.Contains(r.Warnings[:i], warning) { // frontends share the configuration of a bundler
			fmt.Fprintf(w, "%s: %s\n", terminal.Paint(w, terminal.Magenta, "warning"), warning)
		}
	}
	fmt.Fprintf(w, "built %s in %.1fs", shortPath(r.Dist), r.Took.Seconds())
	if n := len(r.Executables); n > 0 {
		fmt.Fprintf(w, ", %s", text.Plural(n, "executable"))
	}
	fmt.Fprintln(w)
	if o.Debug && len(r.Executables) > 0 {
		fmt.Fprintf(w, "note: for a debugger, not for release: not optimized, and with symbols; build without %s to replace it\n",
			o.Face.Option("debug"))
	}
	return r, nil
}

// askDownload downloads missing packages if the user agrees, else it returns the error about them.
func askDownload(ctx context.Context, w *os.File, o BuildOptions, missing error) error {
	fmt.Fprintln(w, missing)
	if agreed, err := newPrompter(o.In, w).askYes(ctx, "download them now", true); err != nil || !agreed {
		return cmp.Or(err, missing)
	}
	return runDeps(ctx, w, depsOptions{Face: o.Face, Dir: o.Dir, Bundler: o.Bundler})
}

// parsePlatforms parses a list of platforms, and suggests the nearest one for a misspelled name.
func parsePlatforms(list string) ([]bundle.Platform, error) {
	platforms, err := bundle.ParsePlatforms(list)
	if err == nil {
		return platforms, nil
	}
	known := platformNames()
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if _, err := bundle.ParsePlatforms(item); err != nil && nearest.Name(item, known) != "" {
			return nil, nearest.Unknown("platform", item, known)
		}
	}
	return nil, err
}

// platformNames returns what build accepts as platforms: all, host and those that all stands for.
func platformNames() []string {
	names := []string{"all", "host"}
	for _, p := range bundle.AllPlatforms() {
		names = append(names, p.String())
	}
	return names
}

func checkProfile(face Face, name string) error {
	known := profileNames(bundle.Profiles())
	if name == "" || slices.Contains(known, name) {
		return nil
	}
	return Usage("%s: %w", face.Option("profile"), nearest.Unknown("profile", name, known))
}
