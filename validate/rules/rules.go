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
	var all []validate.Rule
	for _, of := range inOrder() {
		r := of.rule()
		r.Severity, r.Catalog, r.Cases = of.severity, of.catalog, cases(r.ID)
		r.Example = func() string { return example(r.ID) }
		all = append(all, r)
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
