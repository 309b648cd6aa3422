package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
)

// Options configure a build. The zero value is for the current directory and every platform.
type Options struct {
	Dir       string            // the plugin repository; "" is the current directory
	Platforms []bundle.Platform // nil is bundle.AllPlatforms
	Checked   *validate.Report  // of the sources, which must have no errors; nil if nothing was checked
	Progress  io.Writer         // receives progress for people; nil discards
	Live      bool              // Progress is a terminal: redraw lines in place
	Environ   []string          // nil is os.Environ
	Bundler   Bundler           // for frontends that must be bundled; nil refuses them
	Dev       bool              // the caller prints all findings of Checked
	Update    bool              // a host serves dist: leave foreign files in it, and print no results
	CacheDir  string            // for the lists of files that builds wrote; "" is in the user's cache
	Now       func() time.Time  // nil is time.Now; used outside of git only

	Only      Side            // the side to build; "" is both
	Debug     bool            // build executables for a debugger
	Backend   config.Backend  // "backend" of slipway.yaml
	Frontend  config.Frontend // "frontend" of slipway.yaml
	Generate  string          // "generate" of slipway.yaml, for the function Generate
	ConfigDir string          // directory of slipway.yaml, absolute
}

// Side is the backend or the frontend of a plugin.
type Side string

// The sides. A build of one of them keeps the files of the other in dist. The files of the
// backend are the executables and the list of Go files; all others but plugin.json are those of the frontend.
const (
	OnlyBackend  Side = "backend"
	OnlyFrontend Side = "frontend"
)

// Plan describes what a build does.
type Plan struct {
	Repo      bundle.Repo
	Metadata  *bundle.Metadata
	Commands  []Command  // the compilations, run in parallel
	Frontends []Frontend // to bundle
	Assets    []Asset    // files to copy
	Info      Info       // what the build adds to plugin.json

	options   Options
	isGroup   bool       // an app without a frontend of its own, for the plugins nested in it
	documents []document // the plugin.json files, the plugin's own first
	backends  []backend  // the plugin's own first
	temp      string     // directory for the temporary files of the go command
	warnings  []string
}

// Command compiles the backend for one platform.
type Command struct {
	Platform bundle.Platform
	Output   string   // relative to dist
	Args     []string // of the go command, without the output
	Env      []string // added to the environment

	module string // directory to run it in, absolute
}

// Asset is a file to copy.
type Asset struct {
	From string // relative to the repository's root
	To   string // relative to dist
}

// MakePlan plans a build of a repository. It only reads, and asks git and the go command.
func MakePlan(ctx context.Context, o Options) (*Plan, error) {
	o = o.withDefaults()
	repo, err := openRepo(o.Dir)
	if err != nil {
		return nil, err
	}
	if o.Update && !exists(repo.Dist) {
		o.Only = "" // there is nothing to keep
	}
	p := &Plan{Repo: repo, options: o}
	// The steps of planning, in order: each needs the results of those before it.
	for _, step := range []func(context.Context) error{
		p.readMetadata,  // plugin.json, which must have no errors
		p.planFrontend,  // bundled, or a module.js to copy
		p.planAssets,    // everything else in the source directory, and nested plugins
		p.gatherInfo,    // version, date and commit
		p.planBackends,  // one compilation for each backend and platform
		p.selectSide,    // if only one is built
		p.planDocuments, // plugin.json, completed
		p.checkConflict, // no two sources of one output
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (o Options) withDefaults() Options {
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
	return o
}

// openRepo opens a repository by its real path: a link to a directory cannot be walked.
func openRepo(dir string) (bundle.Repo, error) {
	repo, err := bundle.OpenRepo(dir)
	if err != nil {
		return repo, err
	}
	root, err := filepath.EvalSymlinks(repo.Root)
	if err != nil {
		return repo, fmt.Errorf("open repository %s: %w", repo.Root, err)
	}
	return bundle.OpenRepo(root)
}

func (p *Plan) readMetadata(context.Context) error {
	data, err := limit.ReadSettings(filepath.Join(p.Repo.Source, bundle.MetadataFile))
	if err != nil {
		return fmt.Errorf("read metadata: %w", err)
	}
	if err := p.takeChecked(); err != nil {
		return err
	}
	if p.Metadata, err = bundle.ParseMetadata(data); err != nil {
		return err
	}
	p.documents = []document{{to: bundle.MetadataFile, data: data, metadata: p.Metadata}}
	return nil
}

// selectSide removes the frontend from a plan of the backend only.
func (p *Plan) selectSide(context.Context) error {
	if p.options.Only == OnlyBackend {
		p.Frontends, p.Assets, p.options.Frontend.Command = nil, nil, ""
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

func (p *Plan) inDist(name string) string {
	return filepath.Join(p.Repo.Dist, filepath.FromSlash(name))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
