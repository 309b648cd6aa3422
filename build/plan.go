package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// Options configure a build. The zero value builds the repository in the current
// directory for every platform.
type Options struct {
	Dir       string            // the plugin repository; "" is the current directory
	Platforms []bundle.Platform // nil is bundle.AllPlatforms
	Rules     []validate.Rule   // plugin.json must have no errors by these
	Profile   string            // of plugin.json; "" derives it from the file
	Progress  io.Writer         // receives progress for people; nil discards
	Live      bool              // Progress is a terminal: redraw lines in place
	Environ   []string          // nil is os.Environ
	Bundler   Bundler           // for frontends that must be bundled; nil refuses them
	Download  bool              // packages of frontends that are missing
	Explain   bool              // print why each step runs
	CacheDir  string            // for records of what is up to date; "" is in the user's cache
	Now       func() time.Time  // nil is time.Now; used outside of git only
}

// Plan describes what a build does.
type Plan struct {
	Repo      bundle.Repo
	Metadata  *bundle.Metadata
	Commands  []Command  // the compilations, run in parallel
	Frontends []Frontend // to bundle
	Assets    []Asset    // files to copy
	Info      Info       // what the build adds to plugin.json

	options   Options
	documents []document // the plugin.json files, the plugin's own first
}

// Command compiles the backend for one platform.
type Command struct {
	Platform bundle.Platform
	Output   string   // relative to dist
	Args     []string // of the go command, without the output
	Env      []string // added to the environment

	inputs  string // digest of what it compiles; "" if unknown
	sources inputs // the files and settings of the go command among them
}

// Asset is a file to copy.
type Asset struct {
	From string // relative to the repository's root
	To   string // relative to dist
}

// MakePlan plans a build of a repository. It writes nothing, and runs nothing but git
// and the go command's queries.
func MakePlan(ctx context.Context, o Options) (*Plan, error) {
	if o.Platforms == nil {
		o.Platforms = bundle.AllPlatforms()
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	repo, err := bundle.OpenRepo(o.Dir)
	if err != nil {
		return nil, err
	}
	p := &Plan{Repo: repo, options: o}
	// The steps of planning, in order: each needs the results of those before it.
	for _, step := range []func(context.Context) error{
		p.readMetadata,  // plugin.json, which must have no errors
		p.planFrontend,  // bundled, or a module.js to copy
		p.planBackend,   // one compilation for each platform
		p.planAssets,    // everything else in the source directory
		p.gatherInfo,    // version, date and commit
		p.planDocuments, // plugin.json, completed
		p.checkConflict, // no two sources of one output
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Plan) readMetadata(ctx context.Context) error {
	file := filepath.Join(p.Repo.Source, bundle.MetadataFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read metadata: %w", err)
	}
	if err := p.validate(ctx); err != nil {
		return err
	}
	if p.Metadata, err = bundle.ParseMetadata(data); err != nil {
		return err
	}
	p.documents = []document{{to: bundle.MetadataFile, data: data, id: p.Metadata.ID}}
	return nil
}

// validate returns an error if plugin.json has errors: a host would not mount the
// plugin.
func (p *Plan) validate(ctx context.Context) error {
	report, err := validate.Run(ctx, os.DirFS(p.Repo.Root), validate.Options{
		Path: filepath.ToSlash(p.relative(p.Repo.Source)), Rules: p.options.Rules, Profile: p.options.Profile, Where: validate.Source,
	})
	if err != nil {
		return fmt.Errorf("validate plugin.json: %w", err)
	}
	var errs []string
	for _, skip := range report.Skips {
		if skip.IsBroken {
			errs = append(errs, fmt.Sprintf("%s: rule %s did not run: %s", skip.File, skip.Rule, skip.Reason))
		}
	}
	for _, f := range report.Findings {
		if f.Severity == validate.Error {
			errs = append(errs, strings.TrimSuffix(fmt.Sprintf("%s: %s (%s)\n    help: %s", f.Address(), f.Message, f.Rule, f.Help), "\n    help: "))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("the plugin has errors, which validate explains:\n  %s", strings.Join(errs, "\n  "))
	}
	return nil
}

// mainPackages lists where the main package of a backend may be, in order of search.
func mainPackages() []string { return []string{"pkg", "cmd", "backend"} }

func (p *Plan) planBackend(context.Context) error {
	if !p.Metadata.Backend {
		return nil
	}
	if p.Metadata.Executable == "" {
		return errors.New(`plugin.json sets "backend" but not "executable": set it to a name such as "gpx_clock"`)
	}
	if !exists(filepath.Join(p.Repo.Root, "go.mod")) {
		return fmt.Errorf(`plugin.json sets "backend", but %s has no go.mod: run go mod init there`, p.Repo.Root)
	}
	var main string
	for _, dir := range mainPackages() {
		if exists(filepath.Join(p.Repo.Root, dir, "main.go")) {
			main = "./" + dir
			break
		}
	}
	if main == "" {
		return fmt.Errorf(`plugin.json sets "backend", but none of the directories %s contains main.go`, strings.Join(mainPackages(), ", "))
	}
	for _, platform := range p.options.Platforms {
		p.Commands = append(p.Commands, Command{
			Platform: platform,
			Output:   platform.Executable(p.Metadata.Executable),
			// -trimpath and -buildvcs=false keep this machine out of the
			// executable; -s -w omit what only a debugger reads.
			Args: []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", main},
			Env:  []string{"CGO_ENABLED=0", "GOOS=" + platform.OS, "GOARCH=" + platform.Arch},
		})
	}
	return nil
}

func (p *Plan) checkConflict(context.Context) error {
	from := map[string]string{bundle.MetadataFile: "plugin.json"}
	for _, a := range p.Assets {
		if other, taken := from[a.To]; taken {
			return fmt.Errorf("%s and %s would both become %s in dist: rename one", other, a.From, a.To)
		}
		from[a.To] = a.From
	}
	for _, c := range p.Commands {
		if other, taken := from[c.Output]; taken {
			return fmt.Errorf("%s and the executable for %s would both become %s in dist: rename one", other, c.Platform, c.Output)
		}
	}
	return nil
}

func (p *Plan) relative(path string) string {
	rel, err := filepath.Rel(p.Repo.Root, path)
	if err != nil {
		return path
	}
	return rel
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
