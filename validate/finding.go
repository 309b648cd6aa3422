package validate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Severity says how much a finding matters.
type Severity string

// The severities, the heaviest first.
const (
	Error   Severity = "error"   // breaks the contract or the plugin
	Warning Severity = "warning" // works, but not as meant; an error when Options.Strict
	Info    Severity = "info"    // worth knowing
)

// Place is a stretch of a file.
type Place struct {
	File      string // slash path in the validated tree, behind Options.Prefix
	Line      int    // from 1; 0 where the file as a whole is meant
	Column    int    // from 1, in Unicode code points
	EndLine   int
	EndColumn int    // the first column after the stretch
	Pointer   string // JSON pointer; "" outside JSON and for a whole document
}

// Address returns file:line:column, or the file where it is meant as a whole.
func (p Place) Address() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Finding is one fault at one place.
type Finding struct {
	Rule     string
	Severity Severity
	Place
	Message string // what is wrong
	Help    string // what to do about it
	Related []Related
	Fix     *Fix // nil where only a person can fix it
}

// Related is another place that a finding speaks of.
type Related struct {
	Place
	Message string
}

// Fingerprint names a finding in a way that outlives edits elsewhere in the file:
// made of the rule, the file, the pointer and the message, but of no line. Two
// findings that differ only in their place have the same.
func (f Finding) Fingerprint() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule, f.File, f.Pointer, f.Message}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// compare orders findings by file, place, rule and text.
func (f Finding) compare(g Finding) int {
	return cmp.Or(
		cmp.Compare(f.File, g.File),
		cmp.Compare(f.Line, g.Line),
		cmp.Compare(f.Column, g.Column),
		cmp.Compare(f.Rule, g.Rule),
		cmp.Compare(f.Pointer, g.Pointer),
		cmp.Compare(f.EndLine, g.EndLine),
		cmp.Compare(f.EndColumn, g.EndColumn),
		cmp.Compare(f.Message, g.Message),
	)
}

func sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, Finding.compare)
}
