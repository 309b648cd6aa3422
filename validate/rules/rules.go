package rules

import (
	"embed"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

//go:embed *.txtar
var examples embed.FS

// All returns all rules in the order in which they run.
func All() []validate.Rule {
	rules := inOrder()
	all := make([]validate.Rule, len(rules))
	for i, of := range rules {
		r := of.rule()
		id := r.ID
		r.Severity, r.Catalog, r.Cases = of.severity, of.catalog, cases()[id]
		r.Example = func() string { return example(id) }
		all[i] = r
	}
	return all
}

// example returns the txtar archive of a rule, or "" if it has none. It removes the
// marks « and », which enclose the position of each finding for the tests.
func example(id string) string {
	data, _ := examples.ReadFile(exampleFile(id))
	return strings.ReplaceAll(strings.ReplaceAll(string(data), "«", ""), "»", "")
}

func exampleFile(id string) string { return strings.ReplaceAll(id, "-", "_") + ".txtar" }
