package report

import (
	"errors"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

var update = flag.Bool("update", false, "write the golden files")

func sample() *validate.Report {
	const source = "{\r\n\t\"alerting\": true,\r\n\t\"naïve\": \"日本\"\r\n}\r\n"
	long := strings.Repeat(" ", 300) + `"id": 1` + strings.Repeat(" ", 300)
	at := func(file string, line, column, endLine, endColumn int, pointer string) validate.Place {
		return validate.Place{File: file, Line: line, Column: column, EndLine: endLine, EndColumn: endColumn, Pointer: pointer}
	}
	from := strings.Index(source, `"naïve"`)
	fix := &validate.Fix{Title: "rename \"naïve\" to \"naive\"", Edits: []validate.Edit{
		{File: "plugin.json", From: from, To: from + len(`"naïve"`), Text: `"naive"`},
	}}
	return &validate.Report{
		Plugins:  3,
		Profiles: []string{"grafana", "service"},
		Files:    []string{"a directory/plugin.json", "plugin.json", "wide/plugin.json"},
		Findings: []validate.Finding{
			{Rule: "meta-missing", Severity: validate.Error, Place: validate.Place{File: "dist/plugin.json"},
				Message: "there is no plugin.json here", Help: "build the plugin"},
			{Rule: "alerting-needs-backend", Severity: validate.Error, Place: at("plugin.json", 2, 2, 2, 12, "/alerting"),
				Message: `"alerting" is true, 100% without <backend>`, Help: `set "backend" to true`,
				Related: []validate.Related{{Place: at("plugin.json", 3, 2, 3, 9, "/naïve"), Message: "see also here"}}},
			{Rule: "wrong-type", Severity: validate.Warning, Place: at("plugin.json", 3, 11, 3, 15, "/naïve"),
				Message: "bell \x07 and escape \x1b[31m", Help: "write\nsomething else"},
			{Rule: "unknown-field", Severity: validate.Warning, Place: at("plugin.json", 3, 2, 3, 9, "/naïve"),
				Message: "100%, it says:\nunknown: ::error::a, b", Help: "rename it", Fix: fix},
			{Rule: "json-syntax", Severity: validate.Error, Place: at("plugin.json", 4, 1, 4, 2, ""), Message: "stops here", Help: "fix it"},
			{Rule: "json-syntax", Severity: validate.Error, Place: at("plugin.json", 5, 1, 5, 2, ""), Message: "the end", Help: "fix it"},
			{Rule: "id-format", Severity: validate.Info, Place: at("wide/plugin.json", 1, 307, 1, 308, "/id"), Message: "far to the right"},
			{Rule: "id-format", Severity: validate.Info, Place: at("wide/plugin.json", 1, 1, 9, 2, ""), Message: "over many lines"},
		},
		Skips: []validate.Skip{
			{Rule: "path-missing", File: "plugin.json", Reason: "the rule broke: nil map", IsBroken: true},
			{Rule: "enum-value", File: "zz/plugin.json", Reason: "plugin.json is not valid JSON"},
			{Rule: "required-field", File: "zz/plugin.json", Reason: "plugin.json is not valid JSON"},
			{File: "zzz", Reason: "permission denied", IsBroken: true},
		},
		Elsewhere: []validate.Skip{
			{Rule: "zip-root", Reason: "only for the entries of a zip"}, {Rule: "module-js-missing", Reason: "only for what a build writes"},
		},
		Suppressed: []validate.Suppressed{
			{Finding: validate.Finding{Rule: "logo-not-svg", Severity: validate.Warning, Place: at("plugin.json", 2, 2, 2, 12, "/info"), Message: "an old logo"},
				Reason: "the designer is on vacation"},
			{Finding: validate.Finding{Rule: "id-format", Severity: validate.Error, Place: at("plugin.json", 2, 2, 2, 12, "/id"), Message: "an old id"},
				Reason: "in the baseline", InBaseline: true},
		},
		Gone:    []validate.Finding{{Rule: "id-format", Place: validate.Place{File: "plugin.json", Pointer: "/id"}, Message: "it was wrong"}},
		Sources: map[string][]byte{"plugin.json": []byte(source), "wide/plugin.json": []byte(long)},
	}
}

func cleanReport() *validate.Report {
	return &validate.Report{Plugins: 1, Files: []string{"plugin.json"}}
}

func described() Options {
	return Options{Version: "v1.2.3", Rules: []validate.Rule{
		{ID: "meta-missing", Severity: validate.Error, Summary: "a plugin has a plugin.json", Why: "nothing works without it", Help: "write one"},
		{ID: "id-format", Severity: validate.Info, Summary: "the id is lower case"},
	}}
}

func write(t *testing.T, name string, r *validate.Report, o Options) string {
	t.Helper()
	f := testkit.Must(ByName(name))(t)
	var b strings.Builder
	testkit.OK(t, f.Write(&b, r, o))
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		testkit.Golden(t, *update, filepath.Join("testdata", "sample."+f.Name), write(t, f.Name, sample(), described()))
		testkit.Golden(t, *update, filepath.Join("testdata", "clean."+f.Name), write(t, f.Name, cleanReport(), described()))
	}
	testkit.Golden(t, *update, filepath.Join("testdata", "color.text"), write(t, "", sample(), Options{HasColor: true}))
}

type full struct{}

var errFull = errors.New("no space")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorIsReturned(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		if err := f.Write(full{}, sample(), Options{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// FuzzText writes arbitrary positions in arbitrary files: no panic, no control
// characters.
func FuzzText(f *testing.F) {
	f.Add("{\n\t\"a\": 1}", 2, 2, 2, 4)
	f.Add("", 1, 1, 0, 0)
	f.Add(strings.Repeat("é", 200), 1, 150, 1, 199)
	f.Fuzz(func(t *testing.T, source string, line, column, endLine, endColumn int) {
		place := validate.Place{File: source, Line: line, Column: column, EndLine: endLine, EndColumn: endColumn}
		r := &validate.Report{
			Plugins:  1,
			Findings: []validate.Finding{{Rule: "r", Severity: validate.Error, Place: place, Message: source}},
			Sources:  map[string][]byte{source: []byte(source)},
		}
		if got := write(t, "text", r, Options{}); strings.ContainsAny(got, "\x1b\x07\r") {
			t.Errorf("%q", got)
		}
	})
}

// TestManyInfos requires that a report counts info findings beyond the first ones of a rule, unless it
// is verbose, and shows all other findings.
func TestManyInfos(t *testing.T) {
	t.Parallel()
	r := &validate.Report{}
	for _, f := range []struct {
		rule     string
		severity validate.Severity
		n        int
	}{{"wordy", validate.Info, 5}, {"terse", validate.Info, 3}, {"wrong", validate.Warning, 9}} {
		for range f.n {
			r.Findings = append(r.Findings, validate.Finding{Rule: f.rule, Severity: f.severity, Message: "here"})
		}
	}
	for _, isVerbose := range []bool{false, true} {
		var b strings.Builder
		testkit.OK(t, Text(&b, r, Options{IsVerbose: isVerbose}))
		want := map[string]int{"wordy: here": 3, "terse: here": 3, "wrong: here": 9, "2 more findings of wordy": 1, "9 warnings, 8 info findings": 1}
		if isVerbose {
			want["wordy: here"], want["2 more findings of wordy"] = 5, 0
		}
		for text, n := range want {
			if got := strings.Count(b.String(), text); got != n {
				t.Errorf("verbose %t: %q %d times, want %d:\n%s", isVerbose, text, got, n, b.String())
			}
		}
	}
}
