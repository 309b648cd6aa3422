package build

import (
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

// Documents returns the plugin.json files of a plan by their paths relative to dist. Those of
// PlanSources are as the author wrote them.
func (p *Plan) Documents() map[string][]byte {
	files := map[string][]byte{}
	for _, d := range p.documents {
		files[d.to] = d.data
	}
	return files
}
