package validate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Off as the severity of a rule in Options.Severities turns the rule off.
const Off Severity = "off"

// UnusedSuppression is the rule that the engine itself reports for suppressions that
// match no finding.
const UnusedSuppression = "unused-suppression"

// Suppression keeps findings out of a report. An empty Rule, File or Pointer matches
// everything.
type Suppression struct {
	Rule    string
	File    string // glob of slash paths as named by Options.Names; see MatchFile
	Pointer string // JSON pointer; /* at the end matches everything below
	Reason  string
	Place   Place // of the suppression
}

// covers reports whether a finding in the named file is suppressed.
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

// String describes what the suppression matches.
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

// MatchFile reports whether a slash path matches a glob. The glob has the syntax of
// path.Match, and ** matches any number of directories.
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

// suppress moves the suppressed findings to r.Suppressed, and returns findings about
// suppressions that the run could have used but did not.
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
			Message: fmt.Sprintf("unused suppression: no finding of %s", s),
			Help:    "delete it, or correct its rule, file or pointer",
		})
	}
	return unused
}

// couldUse reports whether the run would have found a finding for the suppression, if
// there were one.
func (r *Report) couldUse(s *Suppression, opts Options, seen Where) bool {
	ran := func(rule Rule) bool { return (s.Rule == "" || rule.ID == s.Rule) && rule.Elsewhere(seen) == "" }
	isSkipped := func(skip Skip) bool {
		return (skip.Rule == "" || skip.Rule == s.Rule) && (skip.Rule == "" || s.coversFile(opts.name(skip.File)))
	}
	isHere := func(file string) bool { return s.File != "" && s.coversFile(opts.name(file)) }
	return slices.ContainsFunc(opts.Rules, ran) && !slices.ContainsFunc(r.Skips, isSkipped) &&
		(!opts.IsPart && !IsOfDist(s.File) || slices.ContainsFunc(r.Files, isHere))
}

// IsOfDist reports whether a slash path leads into a directory called dist. What is accepted there
// does not concern a run that leaves it out.
func IsOfDist(file string) bool { return slices.Contains(strings.Split(file, "/"), bundle.DistDir) }
