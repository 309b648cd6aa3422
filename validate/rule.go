package validate

import "strings"

// Rule is one check. It is a value: a caller adds its own by appending to the
// slice in Options.
type Rule struct {
	ID       string   // such as "path-missing"
	Severity Severity // of its findings, unless one says otherwise
	Summary  string   // what it checks, in one line
	Why      string   // what goes wrong without it
	Help     string   // what to do, unless a finding says it better
	Where    Where    // where it applies; 0 is everywhere
	Example  string   // a txtar archive: good/, bad/ and the findings of bad/

	// IsRaw lets the rule run where plugin.json is missing or cannot be parsed:
	// Pass.Doc may be nil.
	IsRaw bool

	// OfArchive makes the rule look at a zip as such instead of at plugins: it runs
	// once, only on an archive, and Pass.Archive is set.
	OfArchive bool

	// Check looks at one plugin and reports to the Pass. It may be called from
	// several goroutines at once, each with its own Pass. A panic becomes a Skip.
	Check func(*Pass)
}

// Where is a set of the forms in which a plugin is met.
type Where uint8

// The forms of a plugin.
const (
	Source Where = 1 << iota // as its author edits it
	Dist                     // as the build writes it
	Zip                      // as it is handed out

	Everywhere = Source | Dist | Zip
)

// Has says whether w and other have a form in common. The zero Where has all.
func (w Where) Has(other Where) bool {
	return w == 0 || other == 0 || w&other != 0
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
