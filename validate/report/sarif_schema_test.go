package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// TestSARIFIsValid validates the golden files of the format, and reports with unusual file
// names, against the published schema, including the format of URLs.
func TestSARIFIsValid(t *testing.T) {
	t.Parallel()
	text := testkit.Must(os.ReadFile("testdata/sarif-schema-2.1.0.json"))(t)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	testkit.OK(t, compiler.AddResource("mem:///sarif.json", bytes.NewReader(text)))
	published := testkit.Must(compiler.Compile("mem:///sarif.json"))(t)
	for name, text := range sarifLogs(t) {
		var value any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		testkit.OK(t, d.Decode(&value))
		if err := published.Validate(value); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
	}
	if err := published.Validate(map[string]any{"version": "2.1.0"}); err == nil {
		t.Error("the schema accepts an invalid log")
	}
}

func sarifLogs(t *testing.T) map[string][]byte {
	t.Helper()
	logs := map[string][]byte{}
	golden, err := filepath.Glob("testdata/*.sarif")
	if err != nil || len(golden) < 2 {
		t.Fatalf("golden files: %v (%v)", golden, err)
	}
	for _, file := range golden {
		logs[file] = testkit.Must(os.ReadFile(file))(t)
	}
	format := testkit.Must(ByName("sarif"))(t)
	odd := &validate.Report{Plugins: 1}
	for _, file := range []string{"/abs/a b.json", "../up.json", "C:/x.json", "a:b#c?.json", "日本/100%.json", "-", ""} {
		place := validate.Place{File: file, Line: 3, Column: 2, EndLine: 3, EndColumn: 9, Pointer: "/naïve"}
		odd.Files = append(odd.Files, file)
		odd.Findings = append(odd.Findings, validate.Finding{
			Rule: "unknown-field", Severity: validate.Warning, Place: place, Message: "bell \x07", Help: "rename it",
			Related: []validate.Related{{Place: place, Message: "see also here"}},
			Fix:     &validate.Fix{Title: "rename it", Edits: []validate.Edit{{File: file, Text: `"naive"`}}},
		})
	}
	rules := []validate.Rule{{ID: "unknown-field", Severity: validate.Error, Summary: "known keys", Why: "others have no effect", Help: "rename it"}}
	for name, r := range map[string]*validate.Report{"odd": odd, "empty": {}} {
		for version, o := range map[string]Options{"": {}, " with rules": {Version: "v1.2.3", Rules: rules}} {
			var b bytes.Buffer
			testkit.OK(t, format.Write(&b, r, o))
			logs[name+version] = b.Bytes()
		}
	}
	return logs
}
