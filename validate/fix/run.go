package fix

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/validate"
)

// maxRounds limits how often the tree is fixed and checked again.
const maxRounds = 10

// Result is the result of Run.
type Result struct {
	Changes []Change         // sorted by file
	Report  *validate.Report // of the tree with the changes
}

// Change is the change of one file.
type Change struct {
	File           string // slash path in the tree, without Options.Prefix
	Before, After  []byte // Before is nil if the file is new
	MakeExecutable bool
	Titles         []string // of the fixes, in the order of application

	isLarge bool // and therefore not read
}

// Run validates the tree and applies the fixes of the findings in memory, until there are
// no more fixes. It does not modify the tree: see Write and Diff.
//
// Run applies the first of overlapping fixes, and the others in the next round if their
// findings remain. A fix that would invalidate a JSON file becomes a broken skip.
func Run(ctx context.Context, tree fs.FS, opts validate.Options) (*Result, error) {
	prefix := opts.Prefix
	opts.Prefix = "" // so that edits name files of the tree
	w := &work{tree: &overlay{FS: tree, changes: map[string]*Change{}}, refused: map[string]bool{}}
	var report *validate.Report
	for round := 1; ; round++ {
		var err error
		if report, err = validate.Run(ctx, w.tree, opts); err != nil {
			return nil, err
		}
		w.jsonFiles = report.Files
		if round <= maxRounds && w.round(report.Findings) {
			continue
		}
		if round > maxRounds && slices.ContainsFunc(report.Findings, isApplicable) {
			w.skip("", cmp.Or(opts.Path, "."), fmt.Sprintf("fixes remain after %d rounds (please report this)", maxRounds))
		}
		break
	}
	if prefix != "" {
		opts.Prefix = prefix
		var err error
		if report, err = validate.Run(ctx, w.tree, opts); err != nil {
			return nil, err
		}
	}
	for _, s := range w.skips {
		s.File = path.Join(prefix, s.File)
		report.Skips = append(report.Skips, s)
	}
	return &Result{Changes: w.changes(), Report: report}, nil
}

type work struct {
	tree      *overlay
	jsonFiles []string
	refused   map[string]bool // fixes not to be tried again
	skips     []validate.Skip
}

// keyOf identifies the fix of a finding.
func keyOf(f validate.Finding) string { return f.Fingerprint() + "\x00" + f.Fix.Title }

// round applies compatible fixes and reports whether that changed anything.
func (w *work) round(findings []validate.Finding) bool {
	var picked []validate.Finding
	spans := taken{}
	for _, f := range findings {
		if isApplicable(f) && !w.refused[keyOf(f)] && spans.take(f.Fix.Edits) {
			picked = append(picked, f)
		}
	}
	if len(picked) == 0 {
		return false
	}
	next, err := w.apply(picked)
	if err != nil { // leave out those that fail
		var good []validate.Finding
		next = nil
		for _, f := range picked {
			with, err := w.apply(append(good[:len(good):len(good)], f))
			if err != nil {
				w.refused[keyOf(f)] = true
				w.skip(f.Rule, f.File, fmt.Sprintf("the fix %q cannot be applied: %v (please report this)", f.Fix.Title, err))
				continue
			}
			good, next = append(good, f), with
		}
	}
	return w.take(next)
}

// isApplicable reports whether the fix of a finding can be applied. In a built plugin only
// modes can be changed.
func isApplicable(f validate.Finding) bool {
	isText := func(e validate.Edit) bool { return !e.MakeExecutable }
	return f.Fix != nil && (!f.Fix.IsOfBuilt || !slices.ContainsFunc(f.Fix.Edits, isText))
}

// take adds the changes to the tree and reports whether there are any.
func (w *work) take(next map[string]*Change) bool {
	isChanged := false
	for _, file := range slices.Sorted(maps.Keys(next)) {
		c := next[file]
		if old := w.tree.changes[file]; old == nil || old.MakeExecutable != c.MakeExecutable || !bytes.Equal(old.After, c.After) {
			isChanged = true
			w.tree.changes[file] = c
		}
	}
	return isChanged
}

func (w *work) skip(rule, file, reason string) {
	w.skips = append(w.skips, validate.Skip{Rule: rule, File: file, Reason: reason, IsBroken: true})
}

// changes returns the changes that have an effect, sorted by file.
func (w *work) changes() []Change {
	var all []Change
	for _, file := range slices.Sorted(maps.Keys(w.tree.changes)) {
		if c := w.tree.changes[file]; !c.isNothing() {
			all = append(all, *c)
		}
	}
	return all
}
