package validate

import (
	"cmp"
	"slices"
)

// Report is what a run found, sorted: the same tree gives the same report.
type Report struct {
	Plugins  int // plugin.json files that were read
	Findings []Finding
	Skips    []Skip

	// Sources holds the text of each file that a finding points into, for
	// printing the lines. A byte order mark is left out.
	Sources map[string][]byte
}

// Skip is a check that did not run. It never means that the check passed.
type Skip struct {
	Rule     string // "" for every rule
	File     string // slash path in the validated tree
	Reason   string
	IsBroken bool // the check itself broke; else a finding says what stood in its way
}

// Exit codes of a command that prints a report. 2, bad usage, is the command's own.
const (
	ExitClean    = 0 // no errors
	ExitFindings = 1 // at least one error
	ExitBroken   = 3 // a check could not run, so the report is not complete
)

// ExitCode returns ExitBroken if a check broke or nothing was checked at all,
// else ExitFindings if there is an error, else ExitClean. Warnings alone are
// clean: Options.Strict makes them errors.
func (r *Report) ExitCode() int {
	isBroken := slices.ContainsFunc(r.Skips, func(s Skip) bool { return s.IsBroken })
	errors := r.Count(Error)
	switch {
	case isBroken, r.Plugins == 0 && errors == 0:
		return ExitBroken
	case errors > 0:
		return ExitFindings
	}
	return ExitClean
}

// Count returns the number of findings of a severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

func (r *Report) sort() {
	sortFindings(r.Findings)
	slices.SortStableFunc(r.Skips, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Reason, b.Reason))
	})
}
