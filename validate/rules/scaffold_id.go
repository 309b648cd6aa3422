package rules

import (
	"encoding/json"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func scaffoldID(p *validate.Pass) {
	r, ok := inspect.RepositoryOf(p)
	if !ok {
		return
	}
	var record struct{ Options struct{ ID string } }
	data, err := r.Read(".slipway-scaffold.json", inspect.MaxScriptBytes)
	if err != nil || json.Unmarshal(data, &record) != nil {
		return // scaffold update reports it
	}
	if id, _ := p.Doc.Text("/id"); id != "" && record.Options.ID != "" && id != record.Options.ID {
		p.Reportf(p.Value("/id"), "the repository was scaffolded as %s", record.Options.ID)
	}
}
