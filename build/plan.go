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

// Options say what to build. The zero value builds the repository in the current
// folder for every platform.
type Options struct {
	Dir       string            // of the plugin repository; "" is the current one
	Platforms []bundle.Platform // nil is bundle.AllPlatforms
	Rules     []validate.Rule   // plugin.json must pass those of severity error
	Profile   string            // of plugin.json; "" is found from the file
	Progress  io.Writer         // what is happening, for people; nil is silent
	Live      bool              // Progress is a terminal: redraw lines in place
	Environ   []string          // nil is os.Environ
	CacheDir  string            // for notes on what is up to date; "" is in the user's cache
	Now       func() time.Time  // nil is time.Now; only asked outside of git
}

// Plan is what a build will do.
type Plan struct {
	Repo     bundle.Repo
	Metadata *bundle.Metadata
	Commands []Command // the compilations, run in parallel
	Assets   []Asset   // files to copy
	Info     Info      // what plugin.json will say about this build

	options   Options
	documents []document // the plugin.json files, the plugin's own first
}

// Command compiles the backend for one platform.
type Command struct {
	Platform bundle.Platform
	Output   string   // relative to dist
	Args     []string // of the go command; the output is added when it runs
	Env      []string // added to the environment

	inputs string // digest of what it compiles; "" is not known
}

// Asset is a file that is copied as it is.
type Asset struct {
	From string // relative to the repository's root
	To   string // relative to dist
}

// MakePlan reads the repository and decides what to do. It writes nothing and
// runs nothing but git and the checks of plugin.json.
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
	repo, err := bundle.OpenRepo(orHere(o.Dir))
	if err != nil {
		return nil, err
	}
	p := &Plan{Repo: repo, options: o}
	// The steps of planning, in order. Each needs what the ones before found.
	for _, step := range []func(context.Context) error{
		p.readMetadata,      // plugin.json, which must have no error
		p.planFrontend,      // module.js must be there; bundling comes before
		p.planBackend,       // one compilation for each platform
		p.planAssets,        // everything else of the source folder
		p.gatherInfo,        // version, date and commit
		p.checkPlaceholders, // none may reach dist
		p.checkConflict,     // two sources of one output
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func orHere(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
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

// validate refuses a repository whose plugin.json has errors: what would be built
// could not be mounted.
func (p *Plan) validate(ctx context.Context) error {
	report, err := validate.Run(ctx, os.DirFS(p.Repo.Root), validate.Options{
		Path: filepath.ToSlash(p.relative(p.Repo.Source)), Rules: p.options.Rules, Profile: p.options.Profile, Where: validate.Source,
	})
	if err != nil {
		return fmt.Errorf("check plugin.json: %w", err)
	}
	var errs []string
	for _, skip := range report.Skips {
		if skip.IsBroken {
			errs = append(errs, fmt.Sprintf("%s: %s was not checked: %s", skip.File, skip.Rule, skip.Reason))
		}
	}
	for _, f := range report.Findings {
		if f.Severity == validate.Error {
			errs = append(errs, fmt.Sprintf("%s: %s (%s)", f.Address(), f.Message, f.Rule))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("the plugin has errors; run validate for more about them\n  %s", strings.Join(errs, "\n  "))
	}
	return nil
}

// planFrontend accepts a frontend that needs no building: plain JavaScript.
func (p *Plan) planFrontend(context.Context) error {
	hasFrontend := p.Metadata.Type != bundle.TypeRenderer && p.Metadata.Type != bundle.TypeSecretsManager
	module := filepath.Join(p.Repo.Source, "module.js")
	if !hasFrontend || exists(module) {
		return nil
	}
	for _, name := range []string{"module.ts", "module.tsx"} {
		if source := filepath.Join(p.Repo.Source, name); exists(source) {
			return fmt.Errorf("%s is TypeScript, which this version does not bundle: bundle it to module.js beside it first", p.relative(source))
		}
	}
	return fmt.Errorf("%s is missing: a plugin of type %s has a frontend", p.relative(module), p.Metadata.Type)
}

// mainPackages are where the backend's main package may be, in order of search.
func mainPackages() []string { return []string{"pkg", "cmd", "backend"} }

func (p *Plan) planBackend(context.Context) error {
	if !p.Metadata.Backend {
		return nil
	}
	if p.Metadata.Executable == "" {
		return errors.New("plugin.json says \"backend\": true, but names no executable: add \"executable\": \"gpx_...\"")
	}
	if !exists(filepath.Join(p.Repo.Root, "go.mod")) {
		return fmt.Errorf("plugin.json says \"backend\": true, but %s has no go.mod: run go mod init there", p.Repo.Root)
	}
	var main string
	for _, dir := range mainPackages() {
		if exists(filepath.Join(p.Repo.Root, dir, "main.go")) {
			main = "./" + dir
			break
		}
	}
	if main == "" {
		return fmt.Errorf("plugin.json says \"backend\": true, but there is no main.go in any of the folders %s", strings.Join(mainPackages(), ", "))
	}
	for _, platform := range p.options.Platforms {
		p.Commands = append(p.Commands, Command{
			Platform: platform,
			Output:   platform.Executable(p.Metadata.Executable),
			// -trimpath and no version control stamp keep this machine out of
			// the bytes; -s -w leave out what only a debugger reads.
			Args: []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", main},
			Env:  []string{"CGO_ENABLED=0", "GOOS=" + platform.OS, "GOARCH=" + platform.Arch},
		})
	}
	return nil
}

func (p *Plan) checkConflict(context.Context) error {
	from := map[string]string{bundle.MetadataFile: "the metadata"}
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

// String lists the plan, a line for each thing that will be done.
func (p *Plan) String() string {
	var b strings.Builder
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "compile %s: %s go %s\n", c.Output, strings.Join(c.Env, " "), strings.Join(c.Args, " "))
	}
	for _, a := range p.Assets {
		fmt.Fprintf(&b, "copy %s: %s\n", a.To, filepath.ToSlash(a.From))
	}
	for _, d := range p.documents {
		fmt.Fprintf(&b, "write %s: version %s, updated %s\n", d.to, p.Info.Version, p.Info.Updated)
	}
	return b.String()
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
