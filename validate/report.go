package validate

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Report is the result of a run. It is sorted, so the same tree has the same report.
type Report struct {
	Plugins  int      // plugin.json files that were read
	Profiles []string // names of the detected profiles, sorted; nil if Options.Profile is set
	Findings []Finding
	Skips    []Skip

	// Elsewhere lists the rules that apply to no form in which the plugins are here, with the reason and without a file.
	Elsewhere []Skip

	Files      []string     // every plugin.json that was read, sorted
	Sourced    []Named      // those that are sources
	Left       []string     // directories that Options.NoDist left out, sorted
	Suppressed []Suppressed // findings that are not in Findings, since a suppression or baseline contains them

	HasBaseline bool      // Findings are those beyond a baseline
	Gone        []Finding // entries of a baseline that no longer occur, with rule, file, pointer and message

	// Sources holds the text of each file that a finding refers to. It may begin with a
	// byte order mark, which the positions of findings do not count.
	Sources map[string][]byte
}

// Skip is a check that did not run, which does not mean that it passed.
type Skip struct {
	Rule     string `json:"rule,omitempty"` // "" for every rule
	File     string `json:"file"`           // slash path in the validated tree, after Options.Prefix
	Reason   string `json:"reason"`
	IsBroken bool   `json:"isBroken"` // the check failed to run; otherwise a finding has the cause
}

// Suppressed is a finding that is not in Report.Findings.
type Suppressed struct {
	Finding
	Reason     string
	InBaseline bool // by a baseline instead of a suppression
}

// Exit statuses of a command that prints a report. 2 is reserved for incorrect usage.
const (
	ExitClean    = 0 // no errors
	ExitFindings = 1 // at least one error, or a finding beyond a baseline
	ExitBroken   = 3 // a check could not run, so the report is incomplete
)

// ExitCode returns ExitBroken if a check could not run or nothing was checked,
// ExitFindings if there is an error, and otherwise ExitClean. Warnings do not count
// unless Options.IsStrict turns them into errors, or a baseline lacks them.
func (r *Report) ExitCode() int {
	isBroken := slices.ContainsFunc(r.Skips, func(s Skip) bool { return s.IsBroken })
	errors := r.Count(Error)
	switch {
	case isBroken, r.Plugins == 0 && errors == 0:
		return ExitBroken
	case errors > 0, r.HasBaseline && len(r.Findings) > 0:
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

// Named is a plugin.json with its id, which may be "".
type Named struct{ ID, File string }

// Merge returns one report of several runs, some of which may have checked the same files. A rule did not run if it
// ran in none of them.
func Merge(reports []*Report) *Report {
	all := &Report{Sources: map[string][]byte{}}
	for i, r := range reports {
		all.add(*r)
		if i == 0 {
			all.Elsewhere = r.Elsewhere
		}
		all.Elsewhere = slices.DeleteFunc(slices.Clone(all.Elsewhere), func(s Skip) bool { return !slices.Contains(r.Elsewhere, s) })
	}
	all.sort()
	all.Findings = slices.CompactFunc(all.Findings, func(a, b Finding) bool { return a.compare(b) == 0 })
	all.Suppressed = slices.CompactFunc(all.Suppressed, func(a, b Suppressed) bool { return a.Finding.compare(b.Finding) == 0 })
	all.Files, all.Left, all.Skips = slices.Compact(all.Files), slices.Compact(all.Left), slices.Compact(all.Skips)
	all.Plugins = len(all.Files)
	return all
}

func (r *Report) add(other Report) {
	r.Plugins += other.Plugins
	r.Profiles = append(r.Profiles, other.Profiles...)
	r.Findings = append(r.Findings, other.Findings...)
	r.Skips = append(r.Skips, other.Skips...)
	r.Files = append(r.Files, other.Files...)
	r.Sourced = append(r.Sourced, other.Sourced...)
	r.Left = append(r.Left, other.Left...)
	r.Suppressed = append(r.Suppressed, other.Suppressed...)
	maps.Copy(r.Sources, other.Sources)
}

// dropCopies removes findings in a dist that its source has too, even if suppressed there:
// a build has copied them.
func (r *Report) dropCopies() {
	known := map[string]bool{}
	for _, f := range r.Findings {
		known[f.Fingerprint()] = true
	}
	for _, s := range r.Suppressed {
		known[s.Fingerprint()] = true
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		i := strings.LastIndex("/"+f.File, "/"+bundle.DistDir+"/")
		if i < 0 {
			return false
		}
		repo, name := f.File[:i], f.File[i+len(bundle.DistDir)+1:]
		return slices.ContainsFunc([]string{sourceDir, "."}, func(dir string) bool {
			f.File = path.Join(repo, dir, name)
			return known[f.Fingerprint()]
		})
	})
}

// Rename changes the names of all files.
func (r *Report) Rename(rename func(file string) string) {
	for i := range r.Findings {
		r.Findings[i].rename(rename)
	}
	for i := range r.Suppressed {
		r.Suppressed[i].rename(rename)
	}
	for i := range r.Files {
		r.Files[i] = rename(r.Files[i])
	}
	for i := range r.Sourced {
		r.Sourced[i].File = rename(r.Sourced[i].File)
	}
	for i := range r.Left {
		r.Left[i] = rename(r.Left[i])
	}
	for i := range r.Skips {
		r.Skips[i].File = rename(r.Skips[i].File)
	}
	sources := map[string][]byte{}
	for file, data := range r.Sources {
		sources[rename(file)] = data
	}
	r.Sources = sources
}

// rename changes the names of files. It copies what comes from rules, since findings may
// share it.
func (f *Finding) rename(rename func(file string) string) {
	f.File = rename(f.File)
	f.Related = slices.Clone(f.Related)
	for i := range f.Related {
		f.Related[i].File = rename(f.Related[i].File)
	}
	if f.Fix == nil {
		return
	}
	fix := *f.Fix
	fix.Edits = slices.Clone(fix.Edits)
	for i := range fix.Edits {
		fix.Edits[i].File = rename(fix.Edits[i].File)
	}
	f.Fix = &fix
}

func (r *Report) sort() {
	slices.Sort(r.Profiles)
	r.Profiles = slices.Compact(r.Profiles)
	slices.SortStableFunc(r.Findings, Finding.compare)
	slices.Sort(r.Files)
	slices.Sort(r.Left)
	slices.SortStableFunc(r.Suppressed, func(a, b Suppressed) int { return a.Finding.compare(b.Finding) })
	slices.SortStableFunc(r.Skips, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Reason, b.Reason))
	})
}
