package validate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate/shared"
)

// Severity is how serious a finding is.
type Severity string

// The severities, most serious first.
const (
	Error   Severity = "error"   // breaks the contract or the plugin
	Warning Severity = "warning" // works, but not as intended; an error if Options.IsStrict is set
	Info    Severity = "info"    // worth knowing
)

// Place is a range of a file.
type Place struct {
	File      string `json:"file"`                // slash path in the validated tree, after Options.Prefix
	Line      int    `json:"line,omitempty"`      // from 1; 0 for the whole file
	Column    int    `json:"column,omitempty"`    // from 1, in Unicode code points
	EndLine   int    `json:"endLine,omitempty"`   // of the last character
	EndColumn int    `json:"endColumn,omitempty"` // the first column after the range
	Pointer   string `json:"pointer,omitempty"`   // JSON pointer; "" for a whole document and outside JSON
}

// Address returns "file:line:column", or the file if there is no line.
func (p Place) Address() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Finding is one problem at one position.
type Finding struct {
	Rule     string
	Severity Severity
	Place
	Message string // what is wrong
	Claim   string // Message without the versions that the plugin allows; "" means Message
	Help    string // what to do about it
	Related []Related
	Fix     *Fix       // nil if only a person can fix it
	Hosts   shared.Set // the versions of existing hosts within the range that it concerns; 0 if it concerns all

	IsOfRange bool   // hosts of the other versions run the plugin: see Rule.IsOfRange
	Built     string // the file, relative to the outermost plugin, that only a build can create; "" if there is none
}

// Related is another position that concerns a finding.
type Related struct {
	Place
	Message string `json:"message"`
}

// Fingerprint identifies a finding by its rule, file, pointer and message, so that edits
// elsewhere in the file do not change it. Findings that differ only in their line have
// the same fingerprint.
func (f Finding) Fingerprint() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule, f.File, f.Pointer, f.Message}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// compare orders findings by file, position, rule and message.
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
