package rules

import (
	"encoding/json"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func scaffoldID() validate.Rule {
	return validate.Rule{
		ID:      "scaffold-id",
		Summary: "id that other files of the scaffold do not have",
		Why: "A scaffold writes the id of the plugin to several files, such as docker-compose.yaml, provisioning and the code of a page. " +
			"If only plugin.json is changed, they name a plugin that does not exist.",
		Help: "run slipway scaffold update, which writes the id to the other files of the scaffold, or restore the id: to a host, a plugin with another " +
			"id is another plugin",
		OfOutermost:  true,
		OfRepository: true,
		Check: func(p *validate.Pass) {
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
		},
	}
}
