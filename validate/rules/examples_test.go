package rules

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// TestExamples runs all rules over the example of each: good/ has no findings, and bad/
// has those that the example lists, at the positions between « and », including one of
// its own rule. If findings have fixes, bad/ with all of them applied is fixed/.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, rule := range All() {
		t.Run(rule.ID, func(t *testing.T) {
			t.Parallel()
			if rule.Example() == "" {
				t.Fatal("the rule has no example")
			}
			if rule.OfArchive {
				zipExample(t, rule)
				return
			}
			e := readExample(t, rule)
			if got := lines(e.run(t, e.good)); got != "" {
				t.Errorf("findings in good/:\n%s", got)
			}
			report := e.run(t, e.bad)
			got := lines(report)
			if !strings.Contains(got, " "+rule.ID+" ") {
				t.Errorf("no finding of %s in bad/:\n%s", rule.ID, got)
			}
			if diff := cmp.Diff(e.places, places(report)); diff != "" {
				t.Errorf("findings in bad/ are not where the marks are (-marks +findings):\n%s", diff)
			}
			fixed := e.fixAll(t, report)
			if *update {
				e.update(t, got, fixed)
				return
			}
			if diff := cmp.Diff(e.findings, got); diff != "" {
				t.Errorf("findings in bad/ (-want +got):\n%s", diff)
			}
			for name, f := range fixed {
				if want := e.fixed[name]; changed(e.bad[name], f) && (want == nil || changed(want, f)) {
					t.Errorf("fixed/%s:\n%s", name, f.Data)
				}
			}
		})
	}
}

// sample is an example with the files of base.txtar added to its trees.
type sample struct {
	rule             validate.Rule
	archive          *txtar.Archive
	good, bad, fixed fstest.MapFS
	findings         string
	places           []string // between the marks, sorted
	where            validate.Where
	isCatalog        bool // only this rule runs, in the preset catalog
}

func readExample(t *testing.T, rule validate.Rule) sample {
	marked := testkit.Must(examples.ReadFile(exampleFile(rule.ID)))(t)
	e := sample{rule: rule, archive: txtar.Parse(marked), good: fstest.MapFS{}, bad: fstest.MapFS{}, fixed: fstest.MapFS{}}
	if len(bytes.TrimSpace(e.archive.Comment)) == 0 {
		t.Error("the example has no comment")
	}
	trees := map[string]fstest.MapFS{"good": e.good, "bad": e.bad, "fixed": e.fixed}
	for _, f := range e.archive.Files {
		side, name, ok := strings.Cut(f.Name, "/")
		switch {
		case f.Name == "findings":
			e.findings = string(f.Data)
		case f.Name == "where":
			e.where = validate.Zip
		case f.Name == "preset":
			e.isCatalog = true
		case !ok || trees[side] == nil:
			t.Fatalf("unknown file %s", f.Name)
		default:
			data, spans := unmark(t, f.Data)
			for _, span := range spans {
				e.places = append(e.places, name+":"+span)
			}
			trees[side][name] = content(t, data)
		}
	}
	slices.Sort(e.places)
	layBase(t, e.good)
	layBase(t, e.bad)
	return e
}

// unmark removes the marks from a file and returns the spans between them.
func unmark(t *testing.T, marked []byte) (data []byte, spans []string) {
	t.Helper()
	var open []string
	line, column, previous := 1, 1, 0
	for len(marked) > 0 {
		r, size := utf8.DecodeRune(marked)
		at := fmt.Sprintf("%d:%d", line, column)
		if r == '»' && column == 1 && line > 1 { // the span ends with the line break
			at = fmt.Sprintf("%d:%d", line-1, previous)
		}
		switch {
		case r == '«':
			open = append(open, at)
		case r == '»' && len(open) > 0:
			spans = append(spans, open[len(open)-1]+"-"+at)
			open = open[:len(open)-1]
		case r == '»':
			t.Fatalf("%s: » without «", at)
		default:
			data = append(data, marked[:size]...)
			column++
			if r == '\n' {
				line, column, previous = line+1, 1, column
			}
		}
		marked = marked[size:]
	}
	if len(open) > 0 {
		t.Fatalf("%s: « without »", open[0])
	}
	return data, spans
}

// places returns the distinct positions of findings, except those of a whole file.
func places(r *validate.Report) (all []string) {
	for _, f := range r.Findings {
		if f.Line > 0 {
			all = append(all, fmt.Sprintf("%s:%d:%d-%d:%d", f.File, f.Line, f.Column, f.EndLine, f.EndColumn))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// layBase adds the files of base.txtar that the tree lacks.
func layBase(t testing.TB, tree fstest.MapFS) {
	data := testkit.Must(os.ReadFile("base.txtar"))(t)
	var dirs []string
	for _, dir := range []string{"src", "dist", "."} {
		if tree[path.Join(dir, bundle.MetadataFile)] != nil || dir == "." && dirs == nil {
			dirs = append(dirs, dir)
		}
	}
	for _, f := range txtar.Parse(data).Files {
		for _, dir := range dirs {
			if dir == "src" && path.Ext(f.Name) != ".svg" {
				dir = "."
			}
			name := path.Join(dir, f.Name)
			if tree[name] == nil && (f.Name != bundle.MetadataFile || len(dirs) == 1 && dir == dirs[0]) {
				tree[name] = content(t, f.Data)
			}
		}
	}
	for name, f := range tree {
		if f.Data == nil {
			delete(tree, name)
		}
	}
}

// content returns the file that a text in parentheses stands for. Data is nil for a
// file that does not exist.
func content(t testing.TB, data []byte) *fstest.MapFile {
	f := &fstest.MapFile{Data: data, Mode: 0o644}
	if f.Data == nil {
		f.Data = []byte{}
	}
	what, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "(")
	if !ok || !strings.HasSuffix(what, ")") {
		return f
	}
	what = strings.TrimSuffix(what, ")")
	platform, isProgram := strings.CutPrefix(what, "program ")
	switch {
	case isProgram:
		platform, mode, _ := strings.Cut(platform, ", ")
		os, arch, _ := strings.Cut(platform, "/")
		f.Data = program(t, bundle.Platform{OS: os, Arch: arch})
		if mode == "" {
			f.Mode = 0o755
		}
	case what == "missing":
		f.Data = nil
	case what == "png":
		f.Data = []byte("\x89PNG\r\n\x1a\n")
	case what == "bundled":
		f.Data = []byte(strings.Repeat("a();", 1000))
	}
	return f
}

func (e sample) run(t *testing.T, tree fstest.MapFS) *validate.Report {
	t.Helper()
	rules := All()
	if e.rule.ID != "schema-missing" {
		rules = without(rules, "schema-missing") // or every example would need a long line
	}
	if e.isCatalog {
		rules = slices.DeleteFunc(rules, func(r validate.Rule) bool { return r.ID != e.rule.ID })
	}
	return runWith(t, tree, validate.Options{Rules: rules, Where: e.where, IsCatalog: e.isCatalog})
}

// update writes the findings and the fixed files to the example.
func (e sample) update(t *testing.T, findings string, fixed fstest.MapFS) {
	e.archive.Files = slices.DeleteFunc(e.archive.Files, func(f txtar.File) bool {
		return strings.HasPrefix(f.Name, "fixed/") || f.Name == "findings"
	})
	e.archive.Files = append(e.archive.Files, txtar.File{Name: "findings", Data: []byte(findings)})
	var added []txtar.File
	for _, f := range e.archive.Files {
		name, ok := strings.CutPrefix(f.Name, "bad/")
		if !ok || e.bad[name] == nil || !changed(e.bad[name], fixed[name]) {
			continue
		}
		data := fixed[name].Data
		if bytes.HasPrefix(f.Data, []byte("(program ")) {
			data = []byte(strings.Replace(string(f.Data), ", mode 644", "", 1))
		}
		added = append(added, txtar.File{Name: "fixed/" + name, Data: data})
	}
	e.archive.Files = append(e.archive.Files, added...)
	testkit.OK(t, os.WriteFile(exampleFile(e.rule.ID), txtar.Format(e.archive), 0o644))
}

func without(rules []validate.Rule, ids ...string) []validate.Rule {
	return slices.DeleteFunc(rules, func(r validate.Rule) bool { return slices.Contains(ids, r.ID) })
}

// only returns the rules with the ids, in the order in which they run.
func only(ids ...string) []validate.Rule {
	return slices.DeleteFunc(All(), func(r validate.Rule) bool { return !slices.Contains(ids, r.ID) })
}

// run runs all rules but one, for which every example would need a long line.
func run(t *testing.T, tree fstest.MapFS) *validate.Report {
	t.Helper()
	return runWith(t, tree, validate.Options{Rules: without(All(), "schema-missing")})
}

func runWith(t testing.TB, tree fs.FS, o validate.Options) *validate.Report {
	t.Helper()
	return testkit.Must(validate.Run(t.Context(), tree, o))(t)
}

func lines(r *validate.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		pointer := f.Pointer
		if pointer == "" {
			pointer = "-"
		}
		fmt.Fprintf(&b, "%s:%d:%d %s %s %s\n", f.File, f.Line, f.Column, f.Rule, pointer, f.Message)
	}
	for _, s := range r.Skips {
		if s.IsBroken {
			fmt.Fprintf(&b, "%s %s: %s\n", s.File, s.Rule, s.Reason)
		}
	}
	return b.String()
}
