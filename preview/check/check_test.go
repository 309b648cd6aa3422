package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/preview"
)

// pages are what a browser may find at the address of a view.
func pages() map[string]string {
	const page = `<!doctype html><body style="background: white"><script>
		window.__preview = { ready: new Promise((r) => setTimeout(r, 50)), report: () => (%s) };
		document.body.append(%s);</script>`
	return map[string]string{
		"/fine": fmt.Sprintf(page, `{missing: [], errors: [], calls: [], deprecations: [], drawn: 12, empty: false}`, `"fine"`),
		"/steady": fmt.Sprintf(page, `{missing: [], errors: [], calls: [], deprecations: [], drawn: 1}`, `Math.random() + " " + new Date().toLocaleDateString("en")`) + `<pre>0</pre><script>
			fetch("/slow").then(() => setInterval(() => { document.querySelector("pre").append(Date.now(), " "); }, 1000))</script>`,
		"/broken":  fmt.Sprintf(page, `{missing: ["@grafana/ui x"], errors: [{kind: "draw", message: "wrong", file: "src/a.ts", line: 3}], calls: [{method: "GET", path: "/api/x", refused: true}], deprecations: ["old"], drawn: null, empty: true}`, `"x"`),
		"/late":    fmt.Sprintf(page, `{missing: [], errors: [], calls: [], deprecations: [], drawn: null, awaited: ["GET /api/x", "fonts"]}`, `"x"`),
		"/endless": `<!doctype html><script>window.__preview = { ready: new Promise(() => {}) }</script>`,
		"/stuck":   `<!doctype html>no preview at all`,
	}
}

// TestOtherFiles requires that a report deletes nothing but an earlier report.
func TestOtherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(dir, picturesDir, "mine.png")
	testkit.OK(t, writeFile(dir, picturesDir+"/mine.png", nil))
	if _, err := Run(t.Context(), Options{Out: dir}); !errors.Is(err, errOtherFiles) {
		t.Errorf("%v, want %v", err, errOtherFiles)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	for _, free := range []string{t.TempDir(), filepath.Join(dir, "missing")} {
		for range 2 { // the second report replaces the first
			if err := beginReport(free); err != nil {
				t.Errorf("%s: %v", free, err)
			}
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("chromium is not installed")
	}
	var tokens []string
	var slow atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" { // by another while each time
			time.Sleep(time.Duration(slow.Add(1)) * 700 * time.Millisecond)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(pages()[r.URL.Path]))
	}))
	defer server.Close()
	dir := t.TempDir()
	var views []preview.View
	for _, path := range []string{"/fine", "/steady", "/broken", "/late", "/endless", "/stuck"} {
		views = append(views, preview.View{Name: "acme: " + path, Path: path + "?bare=1"})
	}
	o := Options{Sides: []preview.Side{{Origin: server.URL}}, Token: "x", Views: views, Pictures: filepath.Join(dir, "kept"), Out: filepath.Join(dir, "out"), Patience: 3 * time.Second,
		Each: func(r []Result) { tokens = append(tokens, r[0].Name) }}
	results, err := Run(t.Context(), o)
	if errors.Is(err, ErrNoBrowser) {
		t.Fatal("chromium is installed, but was not found")
	}
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{}, {}, {"draw: wrong (src/a.ts:3)", "the libraries have no @grafana/ui x", "nothing was drawn"},
		{"the page did not come to rest: it still waits for GET /api/x, fonts"},
		{"the page did not come to rest"}, {"the page did not come to rest"}}
	var got [][]string
	for _, r := range results {
		got = append(got, r.Problems)
		if r.Picture == "" {
			t.Errorf("%s has no picture", r.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(tokens) != len(views) {
		t.Errorf("%d results (-want +got):\n%s", len(tokens), diff)
	}
	if notes := strings.Join(results[2].Notes, "; "); !strings.Contains(notes, "GET /api/x is not available") || !strings.Contains(notes, "deprecated: old") {
		t.Error(notes)
	}
	var written []Result
	text, err := os.ReadFile(filepath.Join(o.Out, "report.json"))
	if err != nil || json.Unmarshal(text, &written) != nil || len(written) != len(views) {
		t.Errorf("%v %s", err, text)
	}
	if text, err := os.ReadFile(filepath.Join(o.Out, "junit.xml")); err != nil || !strings.Contains(string(text), `tests="6" failures="4"`) {
		t.Errorf("%v %s", err, text)
	}
	// Pictures are kept, are the same at another time, and differ when the view does.
	o.Views, o.Update, o.Patience = views[:2], true, patience // these come to rest, on a busy machine later
	testkit.Must(Run(t.Context(), o))(t)
	o.Update = false
	o.Views = []preview.View{views[1], {Name: views[0].Name, Path: "/steady"}}
	results = testkit.Must(Run(t.Context(), o))(t)
	if len(results[0].Problems) > 0 || len(results[1].Problems) != 1 || !strings.Contains(results[1].Problems[0], "of what is drawn differs") {
		t.Errorf("%q, %q", results[0].Problems, results[1].Problems)
	}
	if _, err := os.Stat(filepath.Join(o.Out, results[1].Marked)); err != nil || results[1].Marked == "" || results[0].Marked != "" {
		t.Errorf("%v: %q, %q", err, results[0].Marked, results[1].Marked)
	}
	page, err := os.ReadFile(filepath.Join(o.Out, "index.html"))
	if err != nil || !strings.Contains(string(page), "2 views, 1 failed") || !strings.Contains(string(page), results[1].Marked) {
		t.Errorf("%v %s", err, page)
	}
	// A view without a picture is one that fails: the others are compared. A dashboard that cannot be shown is no difference.
	o.Views = []preview.View{views[0], {Name: "a.json", Problems: []string{"no panel"}}}
	o.Against, o.Sides, o.Patience = true, []preview.Side{{Origin: server.URL, With: "ours"}, {Origin: server.URL, With: "theirs"}}, 1
	if results, err = Run(t.Context(), o); err != nil || !slices.Contains(results[0].Problems, "no pictures to compare") ||
		len(results[2].Problems) > 0 || !slices.Equal(results[2].Notes, o.Views[1].Problems) {
		t.Errorf("%v, %+v", err, results)
	}
}

// TestWritesThroughNoLink requires that pictures and the report are not written through a link of the repository.
func TestWritesThroughNoLink(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"previews", "previews/a.png", "out/pictures", "out/index.html"} {
		dir, outside := t.TempDir(), t.TempDir()
		o := Options{Sides: []preview.Side{{}}, Out: filepath.Join(dir, "out"), Pictures: filepath.Join(dir, "previews"), Update: true}
		link, target := filepath.Join(dir, filepath.FromSlash(name)), outside
		if path.Ext(name) != "" {
			target = filepath.Join(outside, "new")
		}
		testkit.OK(t, os.MkdirAll(o.Out, 0o755), os.MkdirAll(filepath.Dir(link), 0o755))
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("cannot make symbolic links: %v", err)
		}
		album, err := o.openAlbum()
		if err == nil {
			err = o.keep(&Result{}, album, "a.png", []byte("x"))
		}
		err = errors.Join(err, write(o.Out, nil))
		if err == nil || !strings.Contains(err.Error(), path.Base(name)+"\" is a symbolic link") {
			t.Errorf("%s: %v", name, err)
		}
		if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
			t.Errorf("%s: wrote %v (%v)", name, entries, err)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	picture := func(width int, black ...int) []byte {
		m := image.NewGray(image.Rect(0, 0, width, 100))
		for i := range m.Pix {
			m.Pix[i] = 255
		}
		for _, x := range black {
			for y := range 100 {
				m.SetGray(x, y, color.Gray{})
			}
		}
		var b bytes.Buffer
		testkit.OK(t, png.Encode(&b, m))
		return b.Bytes()
	}
	for _, c := range []struct {
		name      string
		kept, now []byte
		want      float64
	}{
		{"the same", picture(100, 1), picture(100, 1), 0},
		{"one of two lines is new", picture(100, 1), picture(100, 1, 2), 0.5},
		{"all is gone", picture(100, 1), picture(100), 1},
	} {
		if got, _, err := compare(c.kept, c.now); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	if _, _, err := compare(picture(100), picture(101)); err == nil {
		t.Error("pictures of different sizes are compared")
	}
	if _, _, err := compare([]byte("x"), picture(100)); err == nil {
		t.Error("something that is not a picture is compared")
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"acme-x-panel: Sales, last week (2)": "acme-x-panel-sales-last-week-2", "a: ../b": "a-..-b"} {
		if got := fileName(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	view := preview.View{Name: "acme-x-panel: a"}
	results := []Result{
		{View: view, With: "12.4", Notes: []string{"deprecated: old"}},
		{View: view, With: "13.2", Problems: []string{"the libraries have no @grafana/ui x"}, Notes: []string{"deprecated: old"}},
	}
	distinguish(results)
	if len(results[0].Only) > 0 || len(results[1].Only) != 1 || results[1].Only[0] != results[1].Problems[0] {
		t.Errorf("%q, %q", results[0].Only, results[1].Only)
	}
	dir := t.TempDir()
	testkit.OK(t, write(dir, results))
	for name, want := range map[string]string{
		"junit.xml":  `<testsuite name="preview 13.2" tests="1" failures="1" errors="0" skipped="0">`,
		"index.html": "<p>Only with this version:</p><ul><li>the libraries have no @grafana/ui x</li></ul>",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v: no %s in %s", err, want, text)
		}
	}
}
