package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/preview"
)

// TestRead requires that what a page reports fails the view, unless the repository expects it, and that the line says why.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, report, problem, note string }{
		{"fine", `"drawn": 1`, "", ""},
		{"a query", `"drawn": 1, "errors": [{"kind": "query", "message": "A: panic triggered: boom"}], "calls": [{"method": "POST", "path": "/api/ds/query", "status": 500, "message": "panic triggered: boom"}]`, "query: A: panic triggered: boom", ""},
		{"an answer", `"drawn": 1, "calls": [{"method": "GET", "path": "/api/plugins/x/resources/a", "status": 500, "message": "no"}]`, "GET /api/plugins/x/resources/a answered 500: no", ""},
		{"of the host", `"drawn": 1, "calls": [{"method": "GET", "path": "/api/folders/a", "status": 404}]`, "", ""},
		{"no answer", `"drawn": 1, "awaited": ["test", "GET /api/datasources/uid/x/health", "GET /api/folders", "fonts"]`, "GET /api/datasources/uid/x/health was not answered",
			"the page did not come to rest: it still waits for test, GET /api/datasources/uid/x/health, GET /api/folders, fonts"},
		{"no answer, nothing", `"drawn": null, "awaited": ["POST /api/ds/query"]`, "POST /api/ds/query was not answered",
			"the page did not come to rest: it still waits for POST /api/ds/query"},
		{"a file", `"drawn": 1, "absent": ["/public/plugins/x/a.png"]`, "the plugin has no file /public/plugins/x/a.png", ""},
		{"React", `"drawn": 1, "errors": [{"kind": "console", "message": "no key", "file": "src/a.tsx", "line": 2}]`, "console: no key (src/a.tsx:2)", ""},
		{"said twice", `"drawn": 1, "errors": [{"kind": "console", "message": "Error: no"}, {"kind": "draw", "message": "no, in f"}]`, "draw: no, in f", ""},
		{"a name that is used", `"drawn": 1, "missing": ["@grafana/ui#used"]`, "the libraries have no @grafana/ui#used", ""},
		{"a name that is asked for", `"drawn": 1, "missing": ["@grafana/ui#asked"]`, "", "the libraries have no @grafana/ui#asked"},
		{"empty", `"drawn": 1, "empty": true`, "the drawing is empty: the plugin shows no text, graphic or control", ""},
		{"nothing", `"drawn": null`, "nothing was drawn", ""},
		{"expected", `"drawn": 1, "absent": ["/public/plugins/x/later.png"]`, "", "expected: the plugin has no file /public/plugins/x/later.png (soon)"},
	} {
		r := Result{View: preview.View{Name: "x: a"}}
		testkit.OK(t, r.read("{"+c.report+"}", func(name string) bool { return name == "@grafana/ui#used" }))
		r.expect([]config.ExpectedProblem{{View: "x: *", Text: "later.png", Reason: "soon"}, {View: "y", Text: "a", Reason: "other view"}})
		if strings.Join(r.Problems, "; ") != c.problem || strings.Join(r.Notes, "; ") != c.note {
			t.Errorf("%s: problems %q, notes %q", c.name, r.Problems, r.Notes)
		}
	}
}

// TestAlbum requires that a check that compares no picture, or not all, does not look like one that did.
func TestAlbum(t *testing.T) {
	t.Parallel()
	var picture strings.Builder
	testkit.OK(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 9, 9))))
	for _, c := range []struct {
		name     string
		files    []string
		with     string // of the side; version is that of the libraries
		version  string
		isStrict bool
		want     []string
	}{
		{"as it was", []string{"x-a.png", "x-b.png"}, "", "13.2", false, nil},
		{"one is new", []string{"x-a.png"}, "", "13.2", false, nil},
		{"one was deleted", []string{"x-a.png"}, "", "13.2", true, []string{"x: b: new: previews has no picture of this view; the option update keeps it"}},
		{"one was renamed", []string{"x-a.png", "x-b.png", "x-lost.png"}, "", "13.2", false, []string{"previews/x-lost.png: no view has this picture: the saved panel was lost or renamed; restore it, or delete the picture"}},
		{"kept with two versions", []string{"12.4/x-a.png", "13.2/x-a.png", "13.2/x-b.png"}, "", "13.2", false, nil},
		{"kept with another version", []string{"12.4/x-a.png"}, "", "13.1", false, []string{"previews: previews has no picture of version 13.1: nothing was compared"}},
		{"kept without a version", []string{"x-a.png"}, "12.4", "12.4", false, []string{"previews: previews has no picture of version 12.4: nothing was compared"}},
	} {
		dir := t.TempDir()
		o := Options{Pictures: filepath.Join(dir, "previews"), Out: filepath.Join(dir, "out"), Sides: []preview.Side{{With: c.with}}, Version: c.version,
			Strict: c.isStrict, Views: []preview.View{{Name: "x: a", Path: "/a"}, {Name: "x: b", Path: "/b"}}}
		for _, name := range append(c.files, "../out/x") {
			file := filepath.Join(o.Pictures, filepath.FromSlash(name))
			testkit.WriteFile(t, file, picture.String())
		}
		a := testkit.Must(o.openAlbum())(t)
		var results []Result
		for i, view := range o.Views {
			r := Result{View: view, With: c.with}
			testkit.OK(t, o.keep(&r, a, a.names[i], []byte(picture.String())))
			if isKept := slices.ContainsFunc(c.files, func(name string) bool { return name == filepath.ToSlash(filepath.Join(a.dirs[0], a.names[i])) }); r.IsNew == isKept {
				t.Errorf("%s: %s is new: %v", c.name, view.Name, r.IsNew)
			}
			results = append(results, r)
		}
		rest := testkit.Must(o.rest(results, a))(t)
		var got []string
		for _, r := range append(results, rest...) {
			for _, problem := range r.Problems {
				got = append(got, r.Name+": "+problem)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestAgainst compares what two builds of a module ask for and export, and the problems of a view with both.
func TestAgainst(t *testing.T) {
	t.Parallel()
	o := Options{Against: true, Sides: []preview.Side{{With: "ours"}, {With: "theirs"}}}
	loaded := func(with, asked string) Result {
		text := `{"loaded": {"/public/plugins/x/module.js": {"asked": ["react"` + asked + `], "exports": ["plugin"` +
			map[string]string{"ours": `, "__esModule"`}[with] + `]}}}`
		return Result{View: preview.View{Name: "x: a", Path: "/a"}, With: with, Report: json.RawMessage(text)}
	}
	said := func(results []Result) string { text, ok := Sameness(results); return fmt.Sprint(text, " ", ok) }
	same := []Result{loaded("ours", ""), loaded("theirs", "")}
	if list, said := o.modulesThatDiffer(same), said(same); len(list) > 0 || said != "the same: 1 module, 1 of 1 view true" {
		t.Errorf("%+v, %s", list, said)
	}
	unsteady := []Result{same[0], same[1]}
	if unsteady[0].IsUnsteady = true; said(unsteady) != "the same: 1 module, 0 of 1 view; 1 drawn differently each time false" {
		t.Error(said(unsteady))
	}
	list := o.modulesThatDiffer([]Result{loaded("ours", ""), loaded("theirs", `, "rxjs"`)})
	if len(list) != 1 || list[0].Name != "x/module.js" || strings.Join(list[0].Problems, "; ") != "only theirs asks for rxjs" {
		t.Errorf("%+v", list)
	}
	same[0].Problems, same[1].Problems = []string{"draw: `Td` in <Td> (src/a.ts:1)", "draw: ours"}, []string{"draw: `M` in <M> (src/a.ts:2)"}
	gone := func() ([]byte, error) { return nil, errRestless }
	for _, pictures := range [][][]byte{{nil, nil}, {{1}, {2}}} {
		testkit.OK(t, o.contrast(same, pictures, "a.png", gone))
	}
	want := "draw: ours; no pictures to compare; could not be drawn again: the page did not come to rest"
	if got := strings.Join(same[0].Problems, "; "); got != want || len(same[1].Problems) > 0 {
		t.Errorf("%s; %q", got, same[1].Problems)
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()
	if got := strings.Join(unique([]string{"no rest", "b", "no rest: for x", "b"}), "; "); got != "b; no rest: for x" {
		t.Errorf("%s", got)
	}
	for _, c := range []struct {
		err                   error
		hasReport, hasPicture bool
		problems, notes       int
	}{
		{nil, true, true, 0, 0},
		{nil, false, true, 1, 0},
		{errRestless, true, true, 0, 1},
		{errRestless, true, false, 1, 0}, // or it would pass
		{errRestless, false, true, 1, 0},
		{errors.New("no target"), true, true, 1, 0},
	} {
		var r Result
		if r.ended(c.err, c.hasReport, c.hasPicture); len(r.Problems) != c.problems || len(r.Notes) != c.notes {
			t.Errorf("%+v: problems %q, notes %q", c, r.Problems, r.Notes)
		}
	}
}

// TestPosition requires that the place of an endless function is that of the author's file, or of the package's.
func TestPosition(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"version": 3, "sources": ["webpack://@acme/x%s"], "names": [], "mappings": "AACA"}`, r.URL.Query().Get("of"))
	}))
	defer server.Close()
	for source, want := range map[string]string{"/./b/a.ts": "src/b/a.ts:2", "/../node_modules/p/q.js": "node_modules/p/q.js:2"} {
		if got := (position{url: server.URL + "/?of=" + source + "&"}).String(); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}
