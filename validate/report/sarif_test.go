package report

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/validate"
)

// TestSARIFIsValid validates the output against the published schema, including the
// format of URLs.
func TestSARIFIsValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource("mem:///sarif.json", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("mem:///sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	odd := sample()
	for i, file := range []string{"/abs/a b.json", "../up.json", "C:/x.json", "a:b#c?.json", "日本/100%.json", "-", ""} {
		odd.Findings[i].File = file
	}
	for name, r := range map[string]*validate.Report{"sample": sample(), "clean": cleanReport(), "empty": {}, "odd": odd} {
		for _, o := range []Options{{}, described()} {
			var value any
			d := json.NewDecoder(strings.NewReader(write(t, "sarif", r, o)))
			d.UseNumber()
			if err := d.Decode(&value); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %#v", name, err)
			}
		}
	}
	if err := schema.Validate(map[string]any{"version": "2.1.0"}); err == nil {
		t.Error("the schema accepts an invalid log")
	}
}

func TestSARIFOfACleanRunHasResults(t *testing.T) {
	t.Parallel()
	got := write(t, "sarif", cleanReport(), Options{})
	if !strings.Contains(got, `"results": []`) || !strings.Contains(got, `"executionSuccessful": true`) {
		t.Error(got)
	}
}

func TestSARIFNamesFiles(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]sarifArtifact{
		"src/plugin.json": {"src/plugin.json", sourceRoot},
		"a b/100%.json":   {"a%20b/100%25.json", sourceRoot},
		"a:b.json":        {"./a:b.json", sourceRoot},
		"../plugin.json":  {"../plugin.json", ""},
		"/tmp/x y.json":   {"file:///tmp/x%20y.json", ""},
		"C:/x.json":       {"file:///C:/x.json", ""},
	} {
		if got := artifact(file); got != want {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

// TestSARIFFixes checks the regions of a fix.
func TestSARIFFixes(t *testing.T) {
	t.Parallel()
	r := sample()
	s := sarifWriter{report: r, index: map[string]int{}}
	for _, f := range r.Findings {
		fixes := s.fixes(f)
		if f.Fix == nil {
			if fixes != nil {
				t.Errorf("%s has a fix", f.Rule)
			}
			continue
		}
		got := fixes[0].Changes[0].Replacements[0]
		if got.Deleted != (sarifRegion{3, 2, 3, 9}) || got.Inserted.Text != `"naive"` {
			t.Errorf("%+v", got)
		}
		f.Fix = &validate.Fix{Edits: []validate.Edit{{File: "plugin.json", From: 1, To: 4000}}}
		if s.fixes(f) != nil {
			t.Error("a fix with an edit outside the file")
		}
		f.Fix = &validate.Fix{Edits: []validate.Edit{{File: "gpx", MakeExecutable: true}}}
		if s.fixes(f) != nil {
			t.Error("a fix without text")
		}
	}
}
