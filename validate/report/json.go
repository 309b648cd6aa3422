package report

import (
	"encoding/json"
	"io"

	"github.com/slipway-dev/slipway/validate"
)

// jsonVersion goes up when a program that reads the format would have to change.
const jsonVersion = 1

// JSON writes a report for programs, as one object:
//
//	version    1
//	exitCode   0 clean, 1 errors, 3 a check could not run
//	summary    numbers: plugins, errors, warnings, infos, skips
//	profiles   an array of the profiles that were found from the files, sorted;
//	           empty where one was asked for
//	findings   an array, sorted by file, line, column and rule; each has
//	           rule, severity (error, warning, info), file (slash path
//	           as one would type it where validate ran), message, help;
//	           line, column, endLine, endColumn (from 1, columns in code points,
//	           the end is behind the last character; left out where the whole
//	           file is meant), pointer (JSON pointer, left out outside JSON),
//	           related (an array of places with a message), fingerprint (the same
//	           after edits elsewhere in the file), fix (what -fix would do, in
//	           words; left out where only a person can fix it)
//	suppressed an array of findings that count as accepted; each has also
//	           reason and inBaseline (else a suppression names it)
//	gone       an array of entries of a baseline that no longer occur; each has
//	           rule, file, pointer, message
//	skips      an array of checks that did not run; each has rule (left out
//	           where no rule ran), file, reason, isBroken (false where a finding
//	           says what stood in the way)
func JSON(w io.Writer, r *validate.Report, _ Options) error {
	out := jsonReport{
		Version:  jsonVersion,
		ExitCode: r.ExitCode(),
		Summary: jsonSummary{
			Plugins: r.Plugins, Errors: r.Count(validate.Error), Warnings: r.Count(validate.Warning),
			Infos: r.Count(validate.Info), Skips: len(r.Skips),
		},
		Profiles: append([]string{}, r.Profiles...),
		Findings: []jsonFinding{},
		Skips:    []jsonSkip{},

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
	for _, s := range r.Skips {
		out.Skips = append(out.Skips, jsonSkip(s))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

type jsonReport struct {
	Version  int           `json:"version"`
	ExitCode int           `json:"exitCode"`
	Summary  jsonSummary   `json:"summary"`
	Profiles []string      `json:"profiles"`
	Findings []jsonFinding `json:"findings"`
	Skips    []jsonSkip    `json:"skips"`

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
	jsonPlace
	Message string        `json:"message"`
	Help    string        `json:"help"`
	Related []jsonRelated `json:"related"`

	Fingerprint string `json:"fingerprint"`
	Fix         string `json:"fix,omitempty"`
}

func newJSONFinding(f validate.Finding) jsonFinding {
	out := jsonFinding{
		Rule: f.Rule, Severity: string(f.Severity), jsonPlace: jsonPlace(f.Place),
		Message: f.Message, Help: f.Help, Related: []jsonRelated{}, Fingerprint: f.Fingerprint(),
	}
	for _, related := range f.Related {
		out.Related = append(out.Related, jsonRelated{jsonPlace(related.Place), related.Message})
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

type jsonRelated struct {
	jsonPlace
	Message string `json:"message"`
}

type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	Pointer   string `json:"pointer,omitempty"`
}

type jsonSkip struct {
	Rule     string `json:"rule,omitempty"`
	File     string `json:"file"`
	Reason   string `json:"reason"`
	IsBroken bool   `json:"isBroken"`
}
