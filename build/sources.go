package build

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
)

// PlanSources plans only what a build takes from the source directory: frontends, assets and
// plugin.json files. It runs nothing, so it is safe for a repository that nobody trusts.
func PlanSources(repo bundle.Repo, f config.Frontend) (*Plan, error) {
	p := &Plan{Repo: repo, options: Options{Frontend: f}}
	data, err := limit.ReadFile(filepath.Join(repo.Source, bundle.MetadataFile), limit.Settings)
	if err != nil {
		return nil, fmt.Errorf("read metadata: %w", err)
	}
	if p.Metadata, err = bundle.ParseMetadata(data); err != nil {
		return nil, err
	}
	p.documents = []document{{to: bundle.MetadataFile, data: data, metadata: p.Metadata}}
	if err := p.planFrontend(context.Background()); err != nil {
		return nil, err
	}
	return p, p.planAssets(context.Background())
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
