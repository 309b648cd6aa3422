package validate

import (
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate/archive"
)

// Pass is one plugin in front of one rule.
type Pass struct {
	FS      fs.FS          // the validated tree
	File    string         // its plugin.json, a slash path in FS
	Dir     string         // the folder that its paths are relative to
	Root    string         // the folder of the outermost plugin around it, or Dir
	Where   Where          // one of Source, Dist, Zip
	Profile bundle.Profile // the names of its keys

	Archive *archive.Archive // the zip, for a rule that is OfArchive; else nil

	IsMissing bool                // there is no such plugin.json
	Data      []byte              // plugin.json as read
	Doc       *bundle.Document    // nil where Data cannot be parsed; see Rule.IsRaw
	Syntax    bundle.SyntaxErrors // what is wrong with Data as JSON, also beside a Doc

	RootName string   // Options.RootName: the name of the folder that FS is, or ""
	Plugins  []string // every plugin.json of the run

	rule    Rule
	running map[string]bool
	facts   map[any]fact
	touched *atomic.Bool // set when a file beside File is asked for; nil where all of them may be
	tree    *treeFacts
	files   map[string]*file
	report  *Report
	spent   int // bytes of its findings
	dropped int // findings that were too many
}

// Document returns another plugin.json of the run, nil if it cannot be parsed; ok is
// false where the run has no such file.
func (p *Pass) Document(name string) (doc *bundle.Document, ok bool) {
	f, ok := p.files[name]
	if !ok {
		return nil, false
	}
	return f.doc, true
}

// Runs says whether the rule with the ID is part of this run.
func (p *Pass) Runs(id string) bool { return p.running[id] }

// Reportf reports a finding with the severity and the help of the rule.
func (p *Pass) Reportf(at Place, format string, args ...any) {
	p.Report(Finding{Place: at, Message: fmt.Sprintf(format, args...)})
}

// Report reports a finding. Severity and Help default to those of the rule.
func (p *Pass) Report(f Finding) {
	f.Rule = p.rule.ID
	if f.Severity == "" {
		f.Severity = p.rule.Severity
	}
	if f.Help == "" {
		f.Help = p.rule.Help
	}
	if p.Where != Source && f.Fix != nil {
		f.Fix = &Fix{Title: f.Fix.Title, Edits: f.Fix.Edits, IsOfBuilt: true}
	}
	cost := findingBytes + len(f.Message) + len(f.Help) + len(f.Pointer)
	most := maxFindingBytes
	if p.Where == Zip {
		most = maxFindingBytesInZip // it may come from anyone
	}
	if p.spent += cost; p.spent > most {
		p.dropped++
		return
	}
	p.report.Findings = append(p.report.Findings, f)
}

// What the findings of one plugin may take up, so that a hostile file cannot use up
// the memory: some thousand of a common length, some hundred in a zip.
const (
	maxFindingBytes      = 2 << 20
	maxFindingBytesInZip = 256 << 10
	findingBytes         = 500 // of one, without its texts
)

// Skipf says why the rule, or a part of it, could not run on this plugin. The rule
// may still report what it could find out.
func (p *Pass) Skipf(format string, args ...any) {
	p.report.Skips = append(p.report.Skips, Skip{Rule: p.rule.ID, File: p.File, Reason: fmt.Sprintf(format, args...)})
}

// Source notes the text of another file that findings point into, for printing
// its lines.
func (p *Pass) Source(file string, data []byte) { p.report.Sources[file] = data }

// Key returns the place of the key at the pointer, or of the value if it has none.
func (p *Pass) Key(pointer string) Place {
	return p.At(pointer, p.Doc.Key(pointer))
}

// Value returns the place of the value at the pointer.
func (p *Pass) Value(pointer string) Place {
	return p.At(pointer, p.Doc.Value(pointer))
}

// Opening returns the place of the key at the pointer, or of the first character
// of the value if it has no key: a short place for a large value.
func (p *Pass) Opening(pointer string) Place {
	span := p.Doc.Key(pointer)
	if span == p.Doc.Value(pointer) {
		span.End = p.Doc.Position(span.Start.Offset + 1)
	}
	return p.At(pointer, span)
}

// Within returns the place of the bytes from..to of the string at the pointer.
// Where the file spells the string with escapes it is that of the whole value.
func (p *Pass) Within(pointer string, from, to int) Place {
	span := p.Doc.Value(pointer)
	text, _ := p.Doc.Text(pointer)
	start := span.Start.Offset + 1
	if end := span.End.Offset - 1; end < start || string(p.Doc.Data[start:end]) != text {
		return p.At(pointer, span)
	}
	return p.At(pointer, bundle.Span{Start: p.Doc.Position(start + from), End: p.Doc.Position(start + to)})
}

// Whole returns the place of this plugin.json as a whole.
func (p *Pass) Whole() Place { return Place{File: p.File} }

// At returns the place of a span of this plugin.json.
func (p *Pass) At(pointer string, span bundle.Span) Place {
	return Place{
		File: p.File, Pointer: pointer,
		Line: span.Start.Line, Column: span.Start.Column,
		EndLine: span.End.Line, EndColumn: span.End.Column,
	}
}
