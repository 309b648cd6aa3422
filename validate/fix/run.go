package fix

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/validate"
)

// maxRounds is how often the tree is checked again after fixes were made.
const maxRounds = 10

// Result is what a run of fixes came to.
type Result struct {
	Changes []Change         // sorted by file
	Report  *validate.Report // of the tree with the changes in it
}

// Change is what becomes of one file.
type Change struct {
	File           string // slash path in the tree, without Options.Prefix
	Before, After  []byte
	MakeExecutable bool
	Titles         []string // of the fixes, in the order in which they were made

	isLarge bool // so its bytes were not read
}

// Run validates the tree, makes the fixes of the findings in memory and goes on
// until there are none. The tree itself stays as it is: see Write and Diff.
//
// Of fixes that overlap the first is made, and the others in the next round if
// their findings are still there. A fix that would break a JSON file is left out
// and noted as a check that broke.
func Run(ctx context.Context, tree fs.FS, opts validate.Options) (*Result, error) {
	prefix := opts.Prefix
	opts.Prefix = "" // edits are to name files of the tree
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
			w.skip("", cmp.Or(opts.Path, "."), fmt.Sprintf("after %d rounds of fixes there were still more (please report this)", maxRounds))
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

// work is a run in progress.
type work struct {
	tree      *overlay
	jsonFiles []string
	refused   map[string]bool // fixes not to try again
	skips     []validate.Skip
}

// candidate is a fix that may be made in this round.
type candidate struct {
	finding validate.Finding
	fix     *validate.Fix
}

func (c candidate) key() string {
	return fmt.Sprintf("%s\x00%s", c.finding.Fingerprint(), c.fix.Title)
}

// round makes the fixes that go together; it returns whether it changed anything.
func (w *work) round(findings []validate.Finding) bool {
	var picked []candidate
	spans := taken{}
	for _, f := range findings {
		c := candidate{f, f.Fix}
		if !isApplicable(f) || w.refused[c.key()] || !spans.take(f.Fix.Edits) {
			continue
		}
		picked = append(picked, c)
	}
	if len(picked) == 0 {
		return false
	}
	next, err := w.apply(picked)
	if err != nil { // find out which ones it is
		var good []candidate
		next = nil
		for _, c := range picked {
			with, err := w.apply(append(good[:len(good):len(good)], c))
			if err != nil {
				w.refuse(c, err)
				continue
			}
			good, next = append(good, c), with
		}
	}
	return w.take(next)
}

// isApplicable says whether a finding has a fix to make here: in a built plugin only
// those of modes are.
func isApplicable(f validate.Finding) bool {
	isText := func(e validate.Edit) bool { return !e.MakeExecutable }
	return f.Fix != nil && (!f.Fix.IsOfBuilt || !slices.ContainsFunc(f.Fix.Edits, isText))
}

// take makes the changes part of the tree; it returns whether there are any.
func (w *work) take(next map[string]*Change) bool {
	hasChanged := false
	for _, file := range slices.Sorted(maps.Keys(next)) {
		c := next[file]
		if old := w.tree.changes[file]; old == nil || !old.isSame(c) {
			hasChanged = true
			w.tree.changes[file] = c
		}
	}
	return hasChanged
}

func (w *work) refuse(c candidate, err error) {
	w.refused[c.key()] = true
	w.skip(c.finding.Rule, c.finding.File, fmt.Sprintf("the fix %q was not made: %v (please report this)", c.fix.Title, err))
}

func (w *work) skip(rule, file, reason string) {
	w.skips = append(w.skips, validate.Skip{Rule: rule, File: file, Reason: reason, IsBroken: true})
}

// changes returns what differs from the tree as it is.
func (w *work) changes() []Change {
	var all []Change
	for _, file := range slices.Sorted(maps.Keys(w.tree.changes)) {
		if c := w.tree.changes[file]; !c.isNothing() {
			all = append(all, *c)
		}
	}
	return all
}
