package verbs

import (
	"io"

	"github.com/slipway-dev/slipway/build/provenance"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rulebook"
	"github.com/slipway-dev/slipway/validate/rules"
)

func runRules(w io.Writer) error { return rulebook.List(w, rules.All()) }

// runExplain prints the purpose of a rule, how to fix its findings, and an example.
func runExplain(w io.Writer, face Face, id string) error {
	var ids []string
	for _, r := range append(rules.All(), validate.Unreadable(), provenance.Rule(nil)) {
		if r.ID == id {
			return rulebook.Read(r).Write(w)
		}
		ids = append(ids, r.ID)
	}
	return Usage("%w\nhelp: %s lists all rules", nearest.Unknown("rule", id, ids), face.Verb("rules"))
}
