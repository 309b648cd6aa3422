package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// corpusFiles are plugin.json files of real plugins, if they are there: in the
// folder that SLIPWAY_CORPUS names, or beside the repository.
func corpusFiles(tb testing.TB) []string {
	tb.Helper()
	tried := []string{"../../../shared/corpus/plugin-json", "../../../work/shared/corpus/plugin-json"}
	if dir := os.Getenv("SLIPWAY_CORPUS"); dir != "" {
		tried = []string{dir}
	}
	for _, dir := range tried {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			tb.Fatal(err)
		}
		if len(files) > 0 {
			return files
		}
	}
	tb.Logf("no real plugin.json files in %s: set SLIPWAY_CORPUS to a folder that has some", strings.Join(tried, " or "))
	return nil
}

// TestCorpus runs the grafana profile over real files, each in a tree with all that
// it names. testdata/corpus.golden lists every finding. An error there has the reason
// why the file is truly wrong; to add one, say the reason in whyTrue.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files := corpusFiles(t)
	if files == nil {
		t.Skip("the corpus of real plugin.json files is not beside this checkout")
	}
	var got strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		report, err := validate.Run(t.Context(), corpusTree(t, name, data), validate.Options{Rules: All(), Profile: "grafana"})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			fmt.Fprintf(&got, "%s:%d:%d %s %s %s", name, f.Line, f.Column, f.Severity, f.Rule, f.Message)
			if f.Severity == validate.Error {
				why := whyTrue(f)
				if why == "" {
					t.Errorf("%s: nobody has said why this is true: %s: %s", name, f.Rule, f.Message)
				}
				got.WriteString(" | " + why)
			}
			got.WriteByte('\n')
		}
		if len(report.Skips) > 0 {
			t.Errorf("%s: %+v", file, report.Skips)
		}
	}
	golden := filepath.Join("testdata", "corpus.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s differs (run with -update to accept):\n%s", golden, got.String())
	}
}

// corpusTree lays a file as the plugin.json of a plugin that has all it names.
func corpusTree(t *testing.T, name string, data []byte) fstest.MapFS {
	doc, err := bundle.ParseDocument(name, data)
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{}
	tree[name+"/plugin.json"] = &fstest.MapFile{Data: data}
	for _, text := range []string{"README.md", "CHANGELOG.md", "LICENSE"} {
		tree[name+"/"+text] = &fstest.MapFile{Data: []byte("A text.\n")}
	}
	for _, pointer := range doc.Pointers() {
		to, _ := doc.Text(pointer)
		content := map[string]string{".svg": "<svg/>", ".png": "\x89PNG\r\n\x1a\n", ".jpg": "\xff\xd8\xff", ".json": "{}"}[path.Ext(to)]
		if content != "" && fs.ValidPath(to) {
			tree[path.Join(name, to)] = &fstest.MapFile{Data: []byte(content)}
		}
	}
	return tree
}

// whyTrue says why an error in the corpus is one, "" if that is not known.
func whyTrue(f validate.Finding) string {
	switch f.Rule + " " + f.Pointer {
	case "required-field /dependencies", "required-field /dependencies/grafanaDependency":
		return "the contract requires it; this plugin is part of Grafana, which knows its own version"
	case "required-field /info/version", "required-field /info/updated":
		return "the contract requires it; the build of Grafana stands in for it"
	case "required-field /info", "required-field /info/keywords", "required-field /info/logos":
		return "the contract requires it, and the file does not have it"
	case "backend-needs-executable /backend":
		return "it says that it has a backend and names none; that of this plugin is linked into Grafana"
	}
	return ""
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
	for _, file := range corpusFiles(tb) {
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
			if f.Line == 0 && f.Message != "" && f.Help != "" {
				continue // a fault of the whole file
			}
			if f.Line < 1 || f.Line > lines || f.Column < 1 || f.EndLine < f.Line || f.Message == "" || f.Help == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}
