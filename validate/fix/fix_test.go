package fix_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/fix"
)

// rule returns a rule that reports what check returns.
func rule(id string, check func(p *validate.Pass) []*validate.Fix) validate.Rule {
	return validate.Rule{ID: id, Severity: validate.Error, Help: "fix it", Check: func(p *validate.Pass) {
		for i, f := range check(p) {
			p.Report(validate.Finding{Place: p.Whole(), Message: fmt.Sprintf("problem %d", i), Fix: f})
		}
	}}
}

func oneFix(title string, edits ...validate.Edit) []*validate.Fix {
	return []*validate.Fix{{Title: title, Edits: edits}}
}

// rename renames a top-level key.
func rename(old, name string) validate.Rule {
	return rule("rename-"+old, func(p *validate.Pass) []*validate.Fix {
		if !p.Doc.Has("/" + old) {
			return nil
		}
		return oneFix(fmt.Sprintf("rename %q to %q", old, name), p.Rename("/"+old, name))
	})
}

// remove deletes a top-level key.
func remove(key string) validate.Rule {
	return rule("remove-"+key, func(p *validate.Pass) []*validate.Fix {
		if !p.Doc.Has("/" + key) {
			return nil
		}
		return oneFix(fmt.Sprintf("delete %q", key), p.Remove("/"+key))
	})
}

// breaks has a fix that invalidates the JSON.
func breaks() validate.Rule {
	return rule("breaks", func(p *validate.Pass) []*validate.Fix {
		return oneFix("cut it", validate.Edit{File: p.File, From: 0, To: 1})
	})
}

func runnable() validate.Rule {
	return rule("runnable", func(p *validate.Pass) []*validate.Fix {
		info, err := fs.Stat(p.FS, "gpx_x")
		if err != nil || info.Mode()&0o100 != 0 {
			return nil
		}
		return oneFix("let gpx_x run", validate.Edit{File: "gpx_x", MakeExecutable: true})
	})
}

func tree(text string) fstest.MapFS {
	return fstest.MapFS{"plugin.json": {Data: []byte(text), Mode: 0o640}, "gpx_x": {Data: []byte("\x7fELF"), Mode: 0o644}}
}

func run(t testing.TB, tree fs.FS, rules ...validate.Rule) *fix.Result {
	t.Helper()
	return testkit.Must(fix.Run(t.Context(), tree, validate.Options{Rules: rules, Prefix: "../up"}))(t)
}

func TestFixes(t *testing.T) {
	t.Parallel()
	flip := rule("flip", func(p *validate.Pass) []*validate.Fix {
		return oneFix("flip", p.Replace("/a", !p.Doc.Bool("/a")))
	})
	far := rule("far", func(p *validate.Pass) []*validate.Fix {
		return oneFix("far", validate.Edit{File: p.File, From: 1000, To: 1001})
	})
	elsewhere := rule("elsewhere", func(p *validate.Pass) []*validate.Fix {
		return oneFix("elsewhere", p.Rename("/a", "z"), validate.Edit{File: "nowhere"})
	})
	empty := rule("empty", func(p *validate.Pass) []*validate.Fix { return oneFix("nothing") })
	for _, c := range []struct {
		name, in, out string
		rules         []validate.Rule
		left          int
		skip          string
	}{
		{"keeps what it does not touch", "\xEF\xBB\xBF{\r\n\t\"b\": 1,\r\n\r\n\t\"a\":2 }", "\xEF\xBB\xBF{\r\n\t\"b\": 1,\r\n\r\n\t\"z\":2 }", []validate.Rule{rename("a", "z")}, 0, ""},
		{"chains over rounds", `{"a": 1}`, `{"d": 1}`, []validate.Rule{rename("a", "b"), rename("b", "c"), rename("c", "d")}, 0, ""},
		{"neighbors", `{"a": 1, "b": 2, "c": 3}`, `{}`, []validate.Rule{remove("a"), remove("b"), remove("c")}, 0, ""},
		{"the first of two on one key", `{"a": 1}`, `{}`, []validate.Rule{rename("a", "b"), remove("a")}, 0, ""},
		{"one that breaks JSON", `{"a": 1}`, `{"b": 1}`, []validate.Rule{breaks(), rename("a", "b")}, 1, `the fix "cut it" cannot be applied: plugin.json would not be valid JSON: `},
		{"one that never ends", `{"a": true}`, `{"a": true}`, []validate.Rule{flip}, 1, "fixes remain after 10 rounds"},
		{"out of the file", `{"a": 1}`, `{"a": 1}`, []validate.Rule{far}, 1, `the fix "far" cannot be applied: it edits bytes 1000 to 1001 of plugin.json, which has 8 bytes`},
		{"all edits or none", `{"a": 1}`, `{"a": 1}`, []validate.Rule{elsewhere}, 1, `the fix "elsewhere" cannot be applied: open nowhere`},
		{"no edits", `{}`, `{}`, []validate.Rule{empty}, 1, ""},
		{"comments stay", "{ // why\n \"a\": 1, }", "{ // why\n \"b\": 1, }", []validate.Rule{rename("a", "b")}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result := run(t, tree(c.in), c.rules...)
			got := c.in
			for _, change := range result.Changes {
				got = string(change.After)
			}
			if got != c.out {
				t.Errorf("got %q, want %q", got, c.out)
			}
			if n := len(result.Report.Findings); n != c.left {
				t.Errorf("%d findings remain, want %d", n, c.left)
			}
			var skips []string
			for _, s := range result.Report.Skips {
				skips = append(skips, s.Reason)
			}
			if all := strings.Join(skips, "\n"); (all == "") != (c.skip == "") || !strings.Contains(all, c.skip) {
				t.Errorf("skips %q, want %q", all, c.skip)
			}
			for _, f := range result.Report.Findings {
				if f.File != "../up/plugin.json" {
					t.Errorf("a finding in %s", f.File)
				}
				for _, e := range f.Fix.Edits {
					if !strings.HasPrefix(e.File, "../up/") {
						t.Errorf("an edit of %s", e.File)
					}
				}
			}
		})
	}
}

func TestMode(t *testing.T) {
	t.Parallel()
	r := run(t, tree("{}"), runnable())
	if len(r.Changes) != 1 || !r.Changes[0].MakeExecutable {
		t.Errorf("got the changes %+v", r.Changes)
	}
	if n := len(r.Report.Findings); n != 0 {
		t.Errorf("%d findings remain, want 0", n)
	}
	if got, want := string(fix.Diff(r.Changes, "")), "diff --git a/gpx_x b/gpx_x\nold mode 100644\nnew mode 100755\n"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestBuiltPluginsAreNotEdited(t *testing.T) {
	t.Parallel()
	built := fstest.MapFS{"plugin.json": {Data: []byte(`{"a": 1}`)}, "MANIFEST.txt": {}, "gpx_x": {Data: []byte("x")}}
	r := run(t, built, rename("a", "b"), runnable())
	if len(r.Changes) != 1 || r.Changes[0].File != "gpx_x" {
		t.Errorf("got the changes %+v, want only one of gpx_x", r.Changes)
	}
	if n := len(r.Report.Findings); n != 1 {
		t.Errorf("%d findings remain, want 1", n)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	r := run(t, tree("{\n  \"a\": 1,\n  \"b\": 2\n}"), rename("a", "z"))
	want := "diff --git a/x/plugin.json b/x/plugin.json\n--- a/x/plugin.json\n+++ b/x/plugin.json\n" +
		"@@ -1,4 +1,4 @@\n {\n-  \"a\": 1,\n+  \"z\": 1,\n   \"b\": 2\n }\n\\ No newline at end of file\n"
	if got := string(fix.Diff(r.Changes, "x")); got != want {
		t.Errorf("got:\n%s", got)
	}
	want = "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+text\n"
	if got := string(fix.Diff([]fix.Change{{File: "new", After: []byte("text\n")}}, "")); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func onDisk(t *testing.T, text string) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(text), 0o640), os.WriteFile(filepath.Join(dir, "gpx_x"), []byte("x"), 0o644))
	root = testkit.Must(os.OpenRoot(dir))(t)
	t.Cleanup(func() { _ = root.Close() })
	return dir, root
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir, root := onDisk(t, `{"a": 1}`)
	r := run(t, os.DirFS(dir), rename("a", "b"), runnable())
	written, failed := fix.Write(root, r.Changes)
	if len(failed) > 0 {
		t.Fatal(failed)
	}
	if len(written) != 2 {
		t.Errorf("wrote %+v, want 2 changes", written)
	}
	for file, want := range map[string]string{"plugin.json": `-rw-r----- {"b": 1}`, "gpx_x": "-rwxr-xr-x x"} {
		info, err := os.Stat(filepath.Join(dir, file))
		data, err2 := os.ReadFile(filepath.Join(dir, file))
		if got := fmt.Sprintf("%v %s", info.Mode(), data); errors.Join(err, err2) != nil || got != want {
			t.Errorf("%s is %s", file, got)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory has the entries %v (%v), want 2", entries, err)
	}
	if again := run(t, os.DirFS(dir), rename("a", "b"), runnable()); len(again.Changes) != 0 {
		t.Errorf("a second run changes %+v", again.Changes)
	}
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	dir, root := onDisk(t, `{"a": 1}`)
	r := run(t, os.DirFS(dir), rename("a", "b"), runnable())
	file := filepath.Join(dir, "plugin.json")
	testkit.OK(t, os.WriteFile(file, []byte(`{"a": 2}`), 0o640))
	written, failed := fix.Write(root, r.Changes)
	want := validate.Skip{File: "plugin.json", Reason: "not fixed: " + fix.ErrChanged.Error(), IsBroken: true}
	if len(failed) != 1 || failed[0] != want {
		t.Errorf("failed are %+v, want %+v", failed, want)
	}
	if len(written) != 1 {
		t.Errorf("wrote %+v, want only the other file", written)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.Rename(file, other), os.Symlink(other, file)); err != nil {
		t.Skipf("cannot create symbolic links: %v", err)
	}
	if _, failed := fix.Write(root, r.Changes); len(failed) == 0 || !strings.Contains(failed[0].Reason, "symbolic link") {
		t.Errorf("Write through a symbolic link failed with %v", failed)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory has the entries %v (%v), want 2", entries, err)
	}
}

// FuzzFix applies fixes of any kind to any text. The result must be JSON if the text is,
// and a second run must change nothing.
func FuzzFix(f *testing.F) {
	f.Add([]byte(`{"a": 1, "b": [1, {"a": 2}], "c": {}}`), uint8(0))
	f.Add([]byte("\xEF\xBB\xBF{\r\n \"a\":1 ,\r\n /* x */ \"b\"\t:2,}"), uint8(3))
	f.Add([]byte(`{"a":1,"a":2,"é":"\u0000"}`), uint8(7))
	f.Add([]byte(`[1, 2, 3]`), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, seed uint8) {
		if len(data) > 4<<10 {
			return
		}
		rules := []validate.Rule{rename("a", "b"), remove("b"), {ID: "any", Severity: validate.Error, Check: func(p *validate.Pass) { anyFix(p, seed) }}}
		fixTwice(t, data, rules)
	})
}

// fixTwice requires that the fixes of rules keep a plugin.json valid, and that a second run changes nothing.
func fixTwice(t *testing.T, data []byte, rules []validate.Rule) {
	t.Helper()
	r := testkit.Must(fix.Run(t.Context(), fstest.MapFS{"plugin.json": {Data: data}}, validate.Options{Rules: rules}))(t)
	for _, s := range r.Report.Skips {
		if s.IsBroken {
			t.Fatalf("%q: %s: %s", data, s.Rule, s.Reason)
		}
	}
	if len(r.Changes) == 0 {
		return
	}
	after := r.Changes[0].After
	if _, err := bundle.ParseDocument("before", []byte(strings.TrimPrefix(string(data), "\uFEFF"))); err == nil {
		if _, err := bundle.ParseDocument("after", []byte(strings.TrimPrefix(string(after), "\uFEFF"))); err != nil {
			t.Fatalf("%q became %q: %v", data, after, err)
		}
	}
	again := testkit.Must(fix.Run(t.Context(), fstest.MapFS{"plugin.json": {Data: after}}, validate.Options{Rules: rules}))(t)
	if len(again.Changes) > 0 {
		t.Fatalf("%q became %q, and a second run changed %+v", data, after, again.Changes)
	}
}

// anyFix reports fixes of every kind, none of which leads to another.
func anyFix(p *validate.Pass, seed uint8) {
	report := func(title string, e validate.Edit) {
		p.Report(validate.Finding{Place: p.Whole(), Message: title, Fix: &validate.Fix{Title: title, Edits: []validate.Edit{e}}})
	}
	for i, pointer := range p.Doc.Pointers() {
		kind := p.Doc.Kind(pointer)
		switch {
		case kind == "null" && pointer != "" && seed%3 != 0:
			report(fmt.Sprintf("remove %d", i), p.Remove(pointer))
		case kind == "number" && seed%2 == 0:
			report(fmt.Sprintf("replace %d", i), p.Replace(pointer, "<&\u2028>"))
		case kind == "object" && !p.Doc.Has(pointer+"/$schema"):
			report(fmt.Sprintf("insert %d", i), p.Insert(pointer, "$schema", true))
		}
	}
}
