package build

import (
	"cmp"
	"context"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
)

// PlanSources plans only what a build takes from the source directory: frontends, assets and
// plugin.json files. It runs nothing, so it is safe for a repository that nobody trusts.
func PlanSources(repo bundle.Repo, f config.Frontend) (*Plan, error) {
	p := &Plan{Repo: repo, options: Options{Frontend: f}}
	for _, step := range []func(context.Context) error{p.readMetadata, p.planFrontend, p.planAssets} {
		if err := step(context.Background()); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Documents returns the plugin.json files of a plan, in PlanSources as written, by their paths relative to dist.
func (p *Plan) Documents() map[string][]byte {
	files := map[string][]byte{}
	for _, d := range p.documents {
		files[d.to] = d.data
	}
	return files
}

// ToDownload lists the frontends of a repository whose packages must be there, that of the plugin itself first.
func ToDownload(repo bundle.Repo, f config.Frontend) ([]Frontend, error) {
	p, err := PlanSources(repo, f)
	if err != nil {
		return nil, err
	}
	for i, f := range p.Frontends {
		p.Frontends[i].Download, p.Frontends[i].Substitutions = true, p.substitutions(f.PluginID)
	}
	return p.Frontends, nil
}

// Download downloads the packages of frontends. It returns the numbers, and the reason why dev cannot bundle them.
func Download(ctx context.Context, bundler Bundler, frontends []Frontend) (*Module, error) {
	all := &Module{}
	for _, f := range frontends {
		b, err := bundler.Bundle(ctx, f)
		if err != nil {
			return nil, err
		}
		all.Packages, all.Bytes = all.Packages+b.Packages, all.Bytes+b.Bytes
		all.Development = cmp.Or(all.Development, b.Development)
	}
	return all, nil
}
