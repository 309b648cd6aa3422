package rules

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/validate"
)

//go:embed *.txtar
var examples embed.FS

// All returns all rules in the order in which they run.
func All() []validate.Rule { return slices.Clone(described()) }

// described holds the rules with their texts, with which the txtar archive of each begins: a paragraph each for Summary,
// Why and Help, and then what the example shows.
var described = sync.OnceValue(func() []validate.Rule {
	all := inOrder()
	for i := range all {
		r := &all[i]
		data, _ := examples.ReadFile(exampleFile(r.ID))
		text := strings.ReplaceAll(string(data), "\r\n", "\n") // of a checkout on Windows
		for _, part := range []struct {
			label string
			words *string
		}{{"Summary: ", &r.Summary}, {"Why: ", &r.Why}, {"Help: ", &r.Help}} {
			*part.words, text, _ = strings.Cut(strings.TrimPrefix(text, part.label), "\n\n")
			*part.words = strings.Join(strings.Fields(*part.words), " ")
		}
		r.Example = func() string { return marks.Replace(text) }
	}
	return all
})

// marks removes « and », which enclose the position of each finding for the tests.
var marks = strings.NewReplacer("«", "", "»", "")

func exampleFile(id string) string { return strings.ReplaceAll(id, "-", "_") + ".txtar" }
