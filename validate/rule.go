package validate

import (
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Rule is one check. Callers add their own by appending to Options.Rules.
type Rule struct {
	ID       string   // such as path-missing
	Severity Severity // default severity of its findings; Off unless the configuration sets another
	Catalog  Severity // their severity in the preset catalog; "" means Severity
	Summary  string   // what it checks, in one line
	Why      string   // why it matters
	Help     string   // default help of its findings
	Where    Where    // where it applies; 0 means everywhere
	Cases    []Case   // findings with another severity, for the documentation

	// Example returns a txtar archive of good/, bad/ and the findings of bad/. It may be nil.
	Example func() string

	// IsRaw makes the rule run even if plugin.json is missing or cannot be parsed, when
	// Pass.Doc is nil.
	IsRaw bool

	// OfArchive makes the rule check a zip instead of plugins: it runs once, only for an
	// archive, with Pass.Archive set.
	OfArchive bool

	// Aspect is what a rule about the versions of hosts concerns, for package compat, such as imports. IsOfRange
	// means that a plugin with an error of the rule can be built all the same.
	Aspect    string
	IsOfRange bool

	// OfOutermost makes the rule check no nested plugins.
	OfOutermost bool

	// OfRepository makes the rule check a built plugin only if Options.Source is set.
	OfRepository bool

	// Check checks one plugin and reports findings to the Pass. It may run in several
	// goroutines at once, each with its own Pass. A panic becomes a Skip.
	Check func(*Pass)
}

// Case is a kind of findings that does not always have the severity of its rule.
type Case struct {
	What     string                 // "" means all findings of the rule
	Severity func(Setting) Severity // "" is that of the rule, Off no finding
}

// Setting is what severities depend on, besides the finding.
type Setting struct {
	Profile   bundle.Profile // of the keys of plugin.json
	IsCatalog bool           // the preset catalog applies: report what Grafana's catalog refuses
	IsNested  bool           // the plugin lies inside another plugin
}

// Where is a set of the forms of a plugin.
type Where uint8

// The forms of a plugin.
const (
	Source Where = 1 << iota // as the author edits it
	Dist                     // as a build writes it
	Zip                      // as it is distributed

	Everywhere = Source | Dist | Zip
)

// Has reports whether w and other have a form in common. The zero Where has every form.
func (w Where) Has(other Where) bool {
	return w == 0 || other == 0 || w&other != 0
}

// Elsewhere returns why the rule does not run on plugins in any of the forms, or "".
func (r Rule) Elsewhere(forms Where) string {
	switch {
	case r.Where.Has(forms):
		return ""
	case r.OfArchive:
		return "only for the entries of a zip"
	case r.Where == Zip:
		return "only for what is distributed"
	case r.OfRepository:
		return "only with a source to compare with"
	case r.Where == Source:
		return "only for code and files that a build replaces"
	}
	return "only for what a build writes"
}

// String returns the names of the forms, separated by commas.
func (w Where) String() string {
	var names []string
	for i, name := range []string{"source", "dist", "zip"} {
		if w.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// TurnedOn returns the rule with its severity in the preset catalog if it is off outside of that preset.
func (r Rule) TurnedOn() Rule {
	if r.Severity == Off {
		r.Severity = r.Catalog
	}
	return r
}
