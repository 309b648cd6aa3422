package rules

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// corpusDir returns the directory in SLIPWAY_CORPUS, or that next to the repository.
func corpusDir() string {
	return cmp.Or(os.Getenv("SLIPWAY_CORPUS"), filepath.FromSlash("../../../shared/corpus/plugin-json"))
}

// corpusFiles returns the plugin.json files of real plugins, if there are any.
func corpusFiles(tb testing.TB) []string {
	tb.Helper()
	files := testkit.Must(filepath.Glob(filepath.Join(corpusDir(), "*.json")))(tb)
	if len(files) == 0 {
		tb.Logf("no plugin.json files of real plugins in %s; set SLIPWAY_CORPUS to a directory that has some", corpusDir())
	}
	return files
}

// TestCorpus runs the grafana profile over real files, each in a tree with all the files
// it names. testdata/corpus.golden lists every finding, and for every error the reason
// why it is not a false positive, from whyTrue.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files := corpusFiles(t)
	if len(files) == 0 {
		t.Skip("no corpus of real plugin.json files")
	}
	var got strings.Builder
	for _, file := range files {
		data := testkit.Must(os.ReadFile(file))(t)
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		report := runWith(t, corpusTree(t, name, data), validate.Options{Rules: All(), Profile: "grafana"})
		for _, f := range report.Findings {
			fmt.Fprintf(&got, "%s:%d:%d %s %s %s", name, f.Line, f.Column, f.Severity, f.Rule, f.Message)
			if f.Severity == validate.Error {
				why := whyTrue(f)
				if why == "" {
					t.Errorf("%s: whyTrue has no reason for this error: %s: %s", name, f.Rule, f.Message)
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
		testkit.OK(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want := testkit.Must(os.ReadFile(golden))(t)
	if got.String() != string(want) {
		t.Errorf("%s differs (run with -update to accept):\n%s", golden, got.String())
	}
}

// corpusTree returns a tree with the plugin.json and all the files it names.
func corpusTree(t *testing.T, name string, data []byte) fstest.MapFS {
	doc := testkit.Must(bundle.ParseDocument(name, data))(t)
	tree := fstest.MapFS{}
	tree[name+"/plugin.json"] = &fstest.MapFile{Data: data}
	for _, text := range []string{"README.md", "CHANGELOG.md", "LICENSE"} {
		tree[name+"/"+text] = &fstest.MapFile{Data: []byte("A text.\n")}
	}
	for _, pointer := range doc.Pointers() {
		to, _ := doc.Text(pointer)
		content := map[string]string{".svg": "<svg/>", ".png": "\x89PNG\r\n\x1a\n", ".jpg": "\xff\xd8\xff", ".json": `{"uid": "a", "title": "A"}`}[path.Ext(to)]
		if content != "" && fs.ValidPath(to) {
			tree[path.Join(name, to)] = &fstest.MapFile{Data: []byte(content)}
		}
	}
	return tree
}

// whyTrue returns why an error in the corpus is not a false positive, or "".
func whyTrue(f validate.Finding) string {
	switch f.Rule + " " + f.Pointer {
	case "required-field /dependencies", "required-field /dependencies/grafanaDependency":
		return "required by the contract; this plugin is part of Grafana, which needs no range for itself"
	case "required-field /info/version", "required-field /info/updated":
		return "required by the contract; the build of Grafana provides it"
	case "required-field /info", "required-field /info/keywords", "required-field /info/logos":
		return "required by the contract"
	case "backend-needs-executable /backend":
		return "required with a backend; the backend of this plugin is compiled into Grafana"
	}
	return ""
}

// seeds returns the files to start fuzzing with.
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

// FuzzRun validates arbitrary bytes as plugin.json: no rule panics, and every position
// is in the file.
func FuzzRun(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	rules := All()
	f.Fuzz(func(t *testing.T, data []byte) {
		tree := fstest.MapFS{"plugin.json": {Data: data}}
		report := runWith(t, tree, validate.Options{Rules: rules})
		for _, s := range report.Skips {
			if s.IsBroken {
				t.Errorf("%s broke: %s", s.Rule, s.Reason)
			}
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, f := range report.Findings {
			if f.Line == 0 && f.Message != "" && f.Help != "" {
				continue // a finding for the whole file
			}
			if f.Line < 1 || f.Line > lines || f.Column < 1 || f.EndLine < f.Line || f.Message == "" || f.Help == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}
