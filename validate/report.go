package validate

import (
	"cmp"
	"maps"
	"path"
	"slices"
)

// Report is what a run found, sorted: the same tree gives the same report.
type Report struct {
	Plugins  int      // plugin.json files that were read
	Profiles []string // names of those found from the files, sorted; nil where one was asked for
	Findings []Finding
	Skips    []Skip

	// Sources holds the text of each file that a finding points into, for
	// printing the lines. A byte order mark is left out.
	Sources map[string][]byte
}

// Skip is a check that did not run. It never means that the check passed.
type Skip struct {
	Rule     string // "" for every rule
	File     string // slash path in the validated tree, behind Options.Prefix
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

// add takes over what another report has found.
func (r *Report) add(other Report) {
	r.Plugins += other.Plugins
	r.Profiles = append(r.Profiles, other.Profiles...)
	r.Findings = append(r.Findings, other.Findings...)
	r.Skips = append(r.Skips, other.Skips...)
	maps.Copy(r.Sources, other.Sources)
}

// prefix puts a path before those of all files.
func (r *Report) prefix(with string) {
	if with == "" {
		return
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.File = path.Join(with, f.File)
		for j := range f.Related {
			f.Related[j].File = path.Join(with, f.Related[j].File)
		}
	}
	for i := range r.Skips {
		r.Skips[i].File = path.Join(with, r.Skips[i].File)
	}
	sources := map[string][]byte{}
	for file, data := range r.Sources {
		sources[path.Join(with, file)] = data
	}
	r.Sources = sources
}

func (r *Report) sort() {
	slices.Sort(r.Profiles)
	r.Profiles = slices.Compact(r.Profiles)
	sortFindings(r.Findings)
	slices.SortStableFunc(r.Skips, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Reason, b.Reason))
	})
}
