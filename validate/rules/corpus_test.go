package rules

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// corpus is a folder of plugin.json files of real plugins, if it is there.
const corpus = "../../../shared/corpus/plugin-json"

// TestCorpus runs the grafana profile over real files. All errors are properties
// that they truly lack: these plugins are part of Grafana, whose build fills in
// their versions.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpus, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no files in %s", corpus)
	}
	rules := slices.DeleteFunc(All(), func(r validate.Rule) bool {
		return r.ID == "path-missing" // only plugin.json is here, not the files it names
	})
	var got strings.Builder
	for _, file := range files {
		report, err := validate.Run(t.Context(), os.DirFS(corpus), validate.Options{
			Path: filepath.Base(file), Rules: rules, Profile: "grafana",
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.Rule != "required-field" {
				got.WriteString(f.File + " " + string(f.Severity) + " " + f.Message + "\n")
			}
		}
		if len(report.Skips) > 0 {
			t.Errorf("%s: %+v", file, report.Skips)
		}
	}
	// The remains of an experiment, which no reader of plugin.json knows.
	want := "panel--table.json warning plugin.json has no property \"models\"\n"
	if got.String() != want {
		t.Errorf("got:\n%swant:\n%s", got.String(), want)
	}
}

func TestSchemaUsesOnlyKeywordsThatRulesKnow(t *testing.T) {
	t.Parallel()
	known := strings.Fields("$schema title description type enum required properties additionalProperties items minLength")
	var walk func(t *testing.T, at string, node map[string]any)
	walk = func(t *testing.T, at string, node map[string]any) {
		for key := range node {
			if !slices.Contains(known, key) {
				t.Errorf("%s: keyword %q: no rule reports it", at, key)
			}
		}
		if node["type"] == nil || at != "" && node["description"] == nil && !strings.HasSuffix(at, "[]") {
			t.Errorf("%s lacks a type or a description", at)
		}
		properties, _ := node["properties"].(map[string]any)
		for name, property := range properties {
			walk(t, at+"/"+name, property.(map[string]any))
		}
		if items, ok := node["items"].(map[string]any); ok {
			walk(t, at+"[]", items)
		}
	}
	for _, p := range bundle.Profiles() {
		raw, err := rawSchema(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		walk(t, "", raw)
		dependencies := raw["properties"].(map[string]any)["dependencies"].(map[string]any)
		if required := dependencies["required"].([]any); !slices.Contains(required, any(p.DependencyKey)) {
			t.Errorf("profile %s does not require %s", p.Name, p.DependencyKey)
		}
	}
	if _, err := Schema("other"); err == nil {
		t.Error("a profile without a schema has one")
	}
}

// seeds are files to begin a fuzz run with.
func seeds(tb testing.TB) [][]byte {
	tb.Helper()
	all := [][]byte{[]byte(""), []byte("[]"), []byte("null"), []byte("{"), []byte("\xff\xfe{\x00"), []byte(faulty)}
	files, _ := filepath.Glob(filepath.Join(corpus, "*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			tb.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

// FuzzRun checks any bytes as plugin.json: no rule breaks, and every place lies
// in the file.
func FuzzRun(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	rules := All()
	f.Fuzz(func(t *testing.T, data []byte) {
		tree := fstest.MapFS{"plugin.json": {Data: data}}
		report, err := validate.Run(t.Context(), tree, validate.Options{Rules: rules})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range report.Skips {
			if s.IsBroken {
				t.Errorf("%s broke: %s", s.Rule, s.Reason)
			}
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, f := range report.Findings {
			if f.Line == 0 && f.Message != "" && f.Mend != "" {
				continue // a fault of the whole file
			}
			if f.Line < 1 || f.Line > lines || f.Column < 1 || f.EndLine < f.Line || f.Message == "" || f.Mend == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}
