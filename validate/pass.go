package validate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/zipfs"
)

// Pass is the run of one rule over one plugin.
type Pass struct {
	FS      fs.FS  // the validated tree; no symbolic link leads out of the repository or built plugin
	File    string // the plugin.json, a slash path in FS
	Dir     string // the directory that its paths are relative to
	Root    string // the directory of the outermost plugin around it, or Dir
	Where   Where  // one of Source, Dist, Zip
	Setting        // what severities depend on

	Signers string // see Options.Signers

	Repository fs.FS // that a dist or zip was built from; nil unless Options.Source is set

	Archive *zipfs.Archive // nil unless the rule is OfArchive

	IsMissing bool                // plugin.json does not exist
	Data      []byte              // plugin.json as read
	Doc       *bundle.Document    // nil if Data cannot be parsed; see Rule.IsRaw
	Syntax    bundle.SyntaxErrors // of Data; there may be a Doc as well

	RootName string   // the name of the directory that FS represents, or ""
	Plugins  []string // every plugin.json of the run

	run     *runner
	rule    Rule
	facts   map[any]fact
	touched *atomic.Bool // set when the rule opens another file; nil if it may
	report  *Report
	refused map[string]bool // files that Refuse has reported
	spent   int             // bytes of the findings
	isFull  bool            // there are findings beyond the limit
}

// Document returns another plugin.json of the run, or nil if it cannot be parsed. ok is
// false if it is not part of the run.
func (p *Pass) Document(name string) (doc *bundle.Document, ok bool) {
	f, ok := p.run.files[name]
	if !ok {
		return nil, false
	}
	return f.doc, true
}

// Form returns the form of a plugin.json of the run, and whether a symbolic link leads to it.
func (p *Pass) Form(name string) (where Where, isLink bool) {
	if f, ok := p.run.files[name]; ok {
		return f.where, f.isLink
	}
	return 0, false
}

// Before returns the source with an id that a run at another path has checked, or "".
func (p *Pass) Before(id string) string {
	isOther := func(n Named) bool { return n.ID == id && n.File != path.Join(p.run.opts.Prefix, p.File) }
	if i := slices.IndexFunc(p.run.opts.Before, isOther); i >= 0 && p.Where == Source {
		return p.run.opts.Before[i].File
	}
	return ""
}

// Runs reports whether the rule with the ID is part of the run.
func (p *Pass) Runs(id string) bool { return p.run.running[id] }

// Range returns the range of host versions to check for, which plugin.json declares unless Options.Range
// returns another.
func (p *Pass) Range(declared string) string {
	if p.run.opts.Range == nil {
		return declared
	}
	return p.run.opts.Range(declared)
}

// Reportf reports a finding with the severity and the help of the rule.
func (p *Pass) Reportf(at Place, format string, args ...any) {
	p.Report(Finding{Place: at, Message: fmt.Sprintf(format, args...)})
}

// Report reports a finding. Severity and Help default to those of the rule. If the plugin
// has too many findings, Report panics, which ends the rule. A finding with the severity Off is not reported.
func (p *Pass) Report(f Finding) {
	if f.Severity == Off {
		return
	}
	f.Rule, f.IsOfRange = p.rule.ID, p.rule.IsOfRange && f.Hosts != 0
	f.Severity = cmp.Or(f.Severity, p.rule.Severity)
	f.Help = cmp.Or(f.Help, p.rule.Help)
	if p.Where != Source && f.Fix != nil {
		f.Fix = &Fix{Title: f.Fix.Title, Edits: f.Fix.Edits, IsOfBuilt: true}
	}
	cost := findingBytes + len(f.Message) + len(f.Help) + len(f.Pointer)
	most := maxFindingBytes
	if p.Where == Zip {
		most = maxFindingBytesInZip // which may come from anyone
	}
	if p.spent += cost; p.spent > most {
		p.isFull = true
		panic(errFull)
	}
	p.report.Findings = append(p.report.Findings, f)
}

// The memory for the findings of one plugin is limited, since a hostile file could
// exhaust it. The limits allow a few thousand findings of usual length, and a few
// hundred in a zip.
const (
	maxFindingBytes      = 2 << 20
	maxFindingBytesInZip = 256 << 10
	findingBytes         = 500 // of one, without its text
)

// errFull ends a rule whose finding is beyond the limit, because the rest of it could take
// hours on a hostile file.
var errFull = errors.New("too many findings")

// Skipf records why the rule, or a part of it, could not run on the plugin. The rule may
// report findings as well. If an argument is an error for lack of permission, the check has failed to run.
func (p *Pass) Skipf(format string, args ...any) {
	skip := Skip{Rule: p.rule.ID, File: p.File, Reason: fmt.Sprintf(format, args...)}
	skip.IsBroken = slices.ContainsFunc(args, func(arg any) bool {
		err, ok := arg.(error)
		return ok && errors.Is(err, fs.ErrPermission)
	})
	if !slices.Contains(p.report.Skips, skip) { // plugin.json may name a file more than once
		p.report.Skips = append(p.report.Skips, skip)
	}
}

// Source records the text of another file that findings refer to, so that its lines can
// be printed.
func (p *Pass) Source(file string, data []byte) { p.report.Sources[file] = data }

// Refuse reports that a file of the plugin is not read: err is ErrOutside or ErrIrregular
// of package tree. It reports each file once.
func (p *Pass) Refuse(file string, err error) { p.refuse(refusal{file: file, err: err}) }

func (p *Pass) refuse(r refusal) {
	if p.refused[r.file] {
		return
	}
	if p.refused == nil {
		p.refused = map[string]bool{}
	}
	p.refused[r.file] = true
	p.report.Findings = append(p.report.Findings, r.finding(p.Where))
}

// Key returns the position of the key at the pointer, or of the value if it has no key.
func (p *Pass) Key(pointer string) Place {
	return p.At(pointer, p.Doc.Key(pointer))
}

// Value returns the position of the value at the pointer.
func (p *Pass) Value(pointer string) Place {
	return p.At(pointer, p.Doc.Value(pointer))
}

// Opening returns the position of the key at the pointer, or of the first character of
// the value if it has no key. Use it for values of many lines.
func (p *Pass) Opening(pointer string) Place {
	span := p.Doc.Key(pointer)
	if span == p.Doc.Value(pointer) {
		span.End = p.Doc.Position(span.Start.Offset + 1)
	}
	return p.At(pointer, span)
}

// Within returns the position of the bytes from..to of the string at the pointer, or of
// the whole value if it is written with escapes.
func (p *Pass) Within(pointer string, from, to int) Place {
	span := p.Doc.Value(pointer)
	raw := p.Doc.Data[span.Start.Offset:span.End.Offset]
	if p.Doc.Kind(pointer) != "string" || bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		return p.At(pointer, span)
	}
	start := span.Start.Offset + 1
	return p.At(pointer, bundle.Span{Start: p.Doc.Position(start + from), End: p.Doc.Position(start + to)})
}

// Whole returns the position of the whole plugin.json.
func (p *Pass) Whole() Place { return Place{File: p.File} }

// At returns the position of a span of the plugin.json.
func (p *Pass) At(pointer string, span bundle.Span) Place {
	return Place{
		File: p.File, Pointer: pointer,
		Line: span.Start.Line, Column: span.Start.Column,
		EndLine: span.End.Line, EndColumn: span.End.Column,
	}
}
