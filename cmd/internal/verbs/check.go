package verbs

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/validate"
)

// A Built is what a build did, and what it found before. After an error, it has what was known until then.
type Built struct {
	build.Result
	Report *validate.Report // of the sources, as the build sees them
	OwnDir string           // the directory that the repository's own bundler writes to, if that is not dist; absolute, or ""
	Config *config.Config   // nil without slipway.yaml
}

// openForBuild opens what a build checks. slipway.yaml applies; strictness and the catalog are for validate.
func openForBuild(o validateOptions) (*target, error) {
	t, err := openTarget(o)
	if err != nil {
		return nil, Usage("%w", err)
	}
	t.options.IsStrict, t.options.IsCatalog = false, false
	t.options.IsPart = true // of what validate checks
	return t, nil
}

func openSources(f Face, repo bundle.Repo, profile string) (*target, error) {
	t, err := openForBuild(validateOptions{Face: f, Path: repo.Root, Profile: profile})
	if err != nil {
		return nil, err
	}
	t.options.Path, t.options.Where = path.Join(t.options.Path, relative(repo.Root, repo.Source)), validate.Source
	return t, nil
}

// checkZip refuses a zip that was packed from the dist of a repository, if it has errors, which name its files as
// those in dist. What slipway.yaml accepts in a source is accepted in its copy.
func checkZip(ctx context.Context, f Face, repo bundle.Repo, file, id string) error {
	t, err := openForBuild(validateOptions{Face: f, Path: file, in: repo.Root})
	if err != nil {
		return err
	}
	defer t.close()
	inDist := func(name string) string { return path.Join(bundle.DistDir, strings.TrimPrefix(name, id+"/")) }
	t.options.Prefix = ""
	t.options.Names = func(name string) string {
		inner := filepath.FromSlash(strings.TrimPrefix(name, id+"/"))
		for _, dir := range []string{repo.Source, repo.Root} {
			if _, err := os.Stat(filepath.Join(dir, inner)); err == nil {
				return relative(t.home, filepath.Join(dir, inner))
			}
		}
		return relative(t.home, filepath.Join(repo.Dist, inner))
	}
	r, err := t.check(ctx)
	if err != nil {
		return err
	}
	r.Rename(inDist)
	return build.Refuse(r)
}

func (t *target) check(ctx context.Context) (*validate.Report, error) {
	r, err := validate.Run(ctx, t.tree, t.options)
	if err == nil {
		t.addSource(r)
	}
	return r, err
}

// configureBuild applies slipway.yaml to the options of a build.
func (t *target) configureBuild(o BuildOptions, b *build.Options) (ownDir string, err error) {
	if c := t.config; c != nil {
		b.Backend, b.Frontend, b.Generate, b.ConfigDir = c.Backend, c.Frontend, c.Generate, t.home
		if c.Frontend.Dir != "" {
			ownDir = filepath.Join(o.Dir, filepath.FromSlash(c.Frontend.Dir))
		}
	}
	b.Backend.SkipCheck = b.Backend.SkipCheck || o.Dev
	if o.Platforms == "" && b.Backend.Platforms != nil {
		b.Platforms = b.Backend.Platforms
	}
	if o.Add {
		b.Platforms, err = addBuilt(b.Platforms, filepath.Join(o.Dir, bundle.DistDir))
	}
	return ownDir, err
}
