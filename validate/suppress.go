package validate

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Off as the severity of a rule in Options.Severities leaves the rule out.
const Off Severity = "off"

// UnusedSuppression is the rule of findings about suppressions that match nothing.
// The engine reports them itself.
const UnusedSuppression = "unused-suppression"

// Suppression leaves findings out of a report, for a reason. What it leaves empty
// matches everything.
type Suppression struct {
	Rule    string
	File    string // glob of slash paths as Options.Names gives them; ** is any number of folders
	Pointer string // JSON pointer; with /* at its end all below it
	Reason  string
	Place   Place // where it is written, for the finding that it is unused
}

// covers says whether a finding in a file of that name is suppressed.
func (s *Suppression) covers(f *Finding, name string) bool {
	return (s.Rule == "" || s.Rule == f.Rule) && s.coversFile(name) && s.coversPointer(f.Pointer)
}

func (s *Suppression) coversFile(name string) bool { return s.File == "" || MatchFile(s.File, name) }

func (s *Suppression) coversPointer(pointer string) bool {
	if above, isPrefix := strings.CutSuffix(s.Pointer, "/*"); isPrefix {
		return strings.HasPrefix(pointer, above+"/")
	}
	return s.Pointer == "" || s.Pointer == pointer
}

// String names a suppression by what it matches.
func (s *Suppression) String() string {
	text := s.Rule
	if s.File != "" {
		text += " in " + s.File
	}
	if s.Pointer != "" {
		text += " at " + s.Pointer
	}
	return text
}

// MatchFile says whether a slash path matches a glob. Between slashes the glob is
// that of path.Match; ** is any number of folders.
func MatchFile(glob, name string) bool {
	return matchParts(strings.Split(glob, "/"), strings.Split(name, "/"))
}

func matchParts(glob, name []string) bool {
	if len(glob) > 0 && glob[0] == "**" {
		for len(glob) > 0 && glob[0] == "**" {
			glob = glob[1:]
		}
		if len(glob) == 0 {
			return true
		}
		for i := range name {
			if matchParts(glob, name[i:]) {
				return true
			}
		}
		return false
	}
	if len(glob) == 0 || len(name) == 0 {
		return len(glob) == len(name)
	}
	ok, err := path.Match(glob[0], name[0])
	return err == nil && ok && matchParts(glob[1:], name[1:])
}

// suppress moves the findings that are suppressed, and returns findings about the
// suppressions that could have been used and were not.
func (r *Report) suppress(opts Options, seen Where) (unused []Finding) {
	isUsed := make([]bool, len(opts.Suppressions))
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		name := opts.name(f.File)
		for i := range opts.Suppressions {
			if s := &opts.Suppressions[i]; s.covers(&f, name) {
				isUsed[i] = true
				r.Suppressed = append(r.Suppressed, Suppressed{Finding: f, Reason: s.Reason})
				return true
			}
		}
		return false
	})
	severity, isSet := opts.Severities[UnusedSuppression]
	if !isSet {
		severity = Warning
	}
	for i := range opts.Suppressions {
		s := &opts.Suppressions[i]
		if isUsed[i] || severity == Off || !r.couldUse(s, opts, seen) {
			continue
		}
		unused = append(unused, Finding{
			Rule: UnusedSuppression, Severity: severity, Place: s.Place,
			Message: fmt.Sprintf("this suppresses nothing: there is no finding of %s", s),
			Help:    "delete it, or correct its rule, file or pointer",
		})
	}
	return unused
}

// couldUse says whether the run would have met a finding for the suppression, had
// there been one.
func (r *Report) couldUse(s *Suppression, opts Options, seen Where) bool {
	hasRun := func(rule Rule) bool { return (s.Rule == "" || rule.ID == s.Rule) && appliesTo(rule, seen) }
	isSkipped := func(skip Skip) bool {
		return (skip.Rule == "" || skip.Rule == s.Rule) && (skip.Rule == "" || s.coversFile(opts.name(skip.File)))
	}
	isHere := func(file string) bool { return s.File != "" && s.coversFile(opts.name(file)) }
	return slices.ContainsFunc(opts.Rules, hasRun) && !slices.ContainsFunc(r.Skips, isSkipped) &&
		(!opts.IsPart || slices.ContainsFunc(r.Files, isHere))
}

// appliesTo says whether a rule runs on one of the forms.
func appliesTo(rule Rule, seen Where) bool {
	if rule.OfArchive {
		return seen&Zip != 0
	}
	return rule.Where.Has(seen)
}
