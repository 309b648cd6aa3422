package report

import (
	"encoding/json"
	"io"

	"github.com/slipway-dev/slipway/validate"
)

// jsonVersion is incremented by changes that break programs that read the format.
const jsonVersion = 1

// JSON writes one object:
//
//	version     1
//	exitCode    0 no errors, 1 errors, 3 a check could not run
//	summary     the numbers of plugins, errors, warnings, infos and skips
//	profiles    the profiles detected from the files, sorted; empty if the caller
//	            chose one
//	directory   slash path of the working directory, relative to the root of the Git
//	            repository; absent outside of one. Code hosts know a file by its path
//	            after this one
//	findings    sorted by file, line, column and rule; each has
//	            rule
//	            severity     error, warning or info
//	            file         slash path relative to the working directory
//	            line, column, endLine, endColumn
//	                         from 1, columns in code points, the end after the last
//	                         character; absent for a whole file
//	            pointer      JSON pointer; absent outside JSON
//	            message
//	            help
//	            related      positions, each with a message
//	            fingerprint  unchanged by edits elsewhere in the file
//	            fix          what the fix does; absent if there is none
//	suppressed  accepted findings; each also has
//	            reason
//	            inBaseline   false if a suppression names it
//	gone        entries of a baseline that no longer occur, each with rule, file,
//	            pointer and message
//	skips       checks that did not run; each has
//	            rule         absent if no rule ran
//	            file
//	            reason
//	            isBroken     false if a finding explains the reason
func JSON(w io.Writer, r *validate.Report, o Options) error {
	out := jsonReport{
		Version:  jsonVersion,
		ExitCode: r.ExitCode(),
		Summary: jsonSummary{
			Plugins: r.Plugins, Errors: r.Count(validate.Error), Warnings: r.Count(validate.Warning),
			Infos: r.Count(validate.Info), Skips: len(r.Skips),
		},
		Profiles: append([]string{}, r.Profiles...), Directory: o.Directory,
		Findings: []jsonFinding{},
		Skips:    append([]validate.Skip{}, r.Skips...), Elsewhere: []jsonElsewhere{},

		Suppressed: []jsonSuppressed{},
		Gone:       []jsonGone{},
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, newJSONFinding(f))
	}
	for _, f := range r.Suppressed {
		out.Suppressed = append(out.Suppressed, jsonSuppressed{newJSONFinding(f.Finding), f.Reason, f.InBaseline})
	}
	for _, f := range r.Gone {
		out.Gone = append(out.Gone, jsonGone{f.Rule, f.File, f.Pointer, f.Message})
	}
	for _, s := range r.Elsewhere {
		out.Elsewhere = append(out.Elsewhere, jsonElsewhere{s.Rule, s.Reason})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

type jsonReport struct {
	Version   int             `json:"version"`
	ExitCode  int             `json:"exitCode"`
	Summary   jsonSummary     `json:"summary"`
	Profiles  []string        `json:"profiles"`
	Directory string          `json:"directory,omitempty"`
	Findings  []jsonFinding   `json:"findings"`
	Skips     []validate.Skip `json:"skips"`

	Elsewhere []jsonElsewhere `json:"elsewhere"` // rules for other forms of a plugin

	Suppressed []jsonSuppressed `json:"suppressed"`
	Gone       []jsonGone       `json:"gone"`
}

type jsonSummary struct {
	Plugins  int `json:"plugins"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Skips    int `json:"skips"`
}

type jsonFinding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	validate.Place
	Message string             `json:"message"`
	Help    string             `json:"help"`
	Related []validate.Related `json:"related"`

	Fingerprint string `json:"fingerprint"`
	Fix         string `json:"fix,omitempty"`
}

func newJSONFinding(f validate.Finding) jsonFinding {
	out := jsonFinding{
		Rule: f.Rule, Severity: string(f.Severity), Place: f.Place,
		Message: f.Message, Help: f.Help, Related: append([]validate.Related{}, f.Related...), Fingerprint: f.Fingerprint(),
	}
	if f.Fix != nil {
		out.Fix = f.Fix.Title
	}
	return out
}

type jsonSuppressed struct {
	jsonFinding
	Reason     string `json:"reason"`
	InBaseline bool   `json:"inBaseline"`
}

type jsonGone struct {
	Rule    string `json:"rule"`
	File    string `json:"file"`
	Pointer string `json:"pointer,omitempty"`
	Message string `json:"message"`
}

type jsonElsewhere struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}
