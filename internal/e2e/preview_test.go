//go:build e2e && unix

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
)

// previewVersions has the versions of the libraries that scaffolds are shown in.
var previewVersions = []string{"12.4", "13.2"}

// brokenElsewhere are violations in components of @grafana/ui, which the page cannot correct.
var brokenElsewhere = map[string][]string{
	// The legend of a plot has buttons with the text of a series and the label "All series selected".
	"label-content-name-mismatch": {`button[class$="LegendLabel"]`},
}

// TestPreview shows each scaffold with a frontend in the preview: every view in both themes and two
// widths, with axe-core, and the editors used with keys only. It takes pictures if SLIPWAY_SCREENSHOTS
// names a directory for them.
func TestPreview(t *testing.T) {
	t.Parallel()
	axe, err := axeCore(t)
	if _, isOffline := errors.AsType[*url.Error](err); isOffline {
		t.Skipf("no registry of npm can be reached: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	slipway, dir := slipwayCommand(t), t.TempDir()
	for _, kind := range templates.Types() {
		id := "acme-shown-" + kind.Name
		repo := filepath.Join(dir, id)
		run(t, 0, dir, slipway, "scaffold", kind.Name, id)
		if !kind.HasFrontend {
			if out := run(t, 2, repo, slipway, "preview"); !strings.Contains(out, "has no frontend to show") {
				t.Errorf("%s: %s", kind.Name, out)
			}
			continue
		}
		for _, version := range previewVersions {
			name := kind.Name + "-" + version
			t.Run(name, func(t *testing.T) {
				// A browser of its own: one draws only the tab in front.
				p := &previewTest{id: id, consoleTest: &consoleTest{t: t, slipway: slipway, repo: repo, tab: openBrowser(t), axe: axe,
					known: brokenElsewhere, screenshots: os.Getenv("SLIPWAY_SCREENSHOTS"), subject: "preview-" + name}}
				p.do(t, chromedp.EmulateViewport(1280, 800))
				t.Cleanup(p.launch(t, "preview", "--with="+version))
				p.views(t, kind.Name)
				p.told(t)
				p.edit(t, kind.Name)
			})
		}
	}
}

// axeCore returns the source of axe-core, which Slipway downloads as it does the packages of plugins.
func axeCore(t *testing.T) (string, error) {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "package.json"), "{}")
	testkit.WriteFile(t, filepath.Join(dir, "package-lock.json"), `{"lockfileVersion": 3, "packages": {"node_modules/axe-core": {"version": "4.14.1",
		"integrity": "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="}}}`)
	store, err := packages.Open(packages.Options{Root: dir, CacheDir: filepath.Join(cacheDir(t), "npm"), Environ: os.Environ()})
	if err != nil {
		return "", err
	}
	from, _, err := store.Dir(t.Context(), filepath.Join(dir, "package.json"), "axe-core")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(from, "node_modules", "axe-core", "axe.min.js"))
	return string(text), err
}

// cacheDir returns the directory that Slipway keeps downloads in.
func cacheDir(t *testing.T) string {
	t.Helper()
	dir := testkit.Must(os.UserCacheDir())(t)
	return filepath.Join(dir, "slipway")
}

// previewTest is a plugin in a running "slipway preview" or "slipway dev", and a tab.
type previewTest struct {
	*consoleTest
	id   string
	link string // of the preview, with its token
}

var previewLink = regexp.MustCompile(`http://localhost:\d+/#token=\w+`)

// launch runs a verb until it watches. It skips the test if the libraries cannot be downloaded.
func (p *previewTest) launch(t *testing.T, args ...string) (stop func()) {
	t.Helper()
	cmd := exec.Command(p.slipway, append(args, "--dir="+p.repo)...)
	cmd.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	h := launch(t, cmd)
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-h.ended
	}
	h.find(0, "watching ")
	printed := h.output()
	if p.link = previewLink.FindString(printed); p.link == "" {
		stop()
		if strings.Contains(printed, "cannot be reached") {
			t.Skip(printed)
		}
		t.Fatalf("no preview:\n%s", printed)
	}
	return stop
}

// navigate opens a page of the preview.
func (p *previewTest) navigate(t *testing.T, path string) {
	t.Helper()
	p.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(strings.Replace(p.link, "/#", path+"#", 1)))
}

// rest waits until the page has drawn what it draws.
const rest = `window.__preview ? window.__preview.ready.then(() => true) : false`

// open opens a view, which must be drawn without an error.
func (p *previewTest) open(t *testing.T, path, theme string) {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	p.navigate(t, path+separator+"theme="+theme)
	p.do(t, until("window.__preview !== undefined"))
	value[bool](t, p.consoleTest, rest)
	p.fine(t, path)
}

// fine requires that nothing went wrong so far, and that a view of the plugin shows something.
func (p *previewTest) fine(t *testing.T, path string) {
	t.Helper()
	type call struct {
		Path    string
		Refused bool
	}
	got := value[struct {
		Errors   []struct{ Kind, Message string }
		Missing  []string
		Drawn    *float64
		Empty    bool
		Calls    []call
		Drawings []struct{ Title, Error string }
	}](t, p.consoleTest, "window.__preview.report()")
	refused := slices.ContainsFunc(got.Calls, func(c call) bool { return c.Refused })
	isOfPlugin := path != "/" && !strings.HasSuffix(path, "=extensions")
	if len(got.Errors) > 0 || len(got.Missing) > 0 || refused || isOfPlugin && (got.Drawn == nil || got.Empty) {
		t.Errorf("%s: %+v", path, got)
	}
	for _, d := range got.Drawings {
		if d.Error != "" {
			t.Errorf("%s: %s: %s", path, d.Title, d.Error)
		}
	}
}

// views opens each view in both themes and two widths, and checks it with axe-core.
func (p *previewTest) views(t *testing.T, kind string) {
	for _, path := range map[string][]string{
		"panel": {"/", "/panel/" + p.id, "/panel/" + p.id + "/stories", "/panel/" + p.id + "?scenario=nodata"},
		"datasource": {"/datasource/" + p.id, "/datasource/" + p.id + "?tab=settings", "/datasource/" + p.id + "?tab=annotations",
			"/datasource/" + p.id + "?tab=variable"},
		"app": {"/a/" + p.id + "/status", "/a/" + p.id + "/about", "/plugins/" + p.id, "/plugins/" + p.id + "?page=extensions"},
	}[kind] {
		rules := accessibility
		for theme, background := range map[string]string{"light": "> 200", "dark": "< 55"} {
			p.open(t, path, theme)
			if !value[bool](t, p.consoleTest, `Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]) `+background) {
				t.Errorf("%s does not have the %s theme", path, theme)
			}
			for _, width := range []int64{800, 1280} {
				p.do(t, chromedp.EmulateViewport(width, 800))
				if over := value[int](t, p.consoleTest, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
					t.Errorf("%s is %d pixels wider than %d", path, over, width)
				}
				name := fmt.Sprintf("%s-%s-%d", strings.Trim(strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path), "-"), theme, width)
				p.screenshot(t, name)
				p.check(t, name, rules)
			}
			rules = `["color-contrast"]` // the others do not depend on the theme
		}
	}
}

// told opens the list of problems, with keys only.
func (p *previewTest) told(t *testing.T) {
	p.open(t, "/", "dark")
	p.tabTo(t, "header button[aria-expanded=false]")
	p.do(t, chromedp.KeyEvent(kb.Enter), until(`document.querySelector("aside") !== null`))
	p.screenshot(t, "told")
	p.check(t, "problems", accessibility)
	p.do(t, chromedp.KeyEvent(kb.Enter), until(`document.querySelector("aside") === null`))
	// Another theme does not load the page again.
	p.do(t, js(`window.isSamePage = true; [...document.querySelectorAll("header button")].find((b) => b.textContent.includes("theme")).click()`),
		until(`window.isSamePage && document.body.classList.contains("theme-light") && document.querySelector("header").textContent.includes("the dark theme")`))
}

// edit uses the editors with keys only. A field that is reached with Tab is selected: what is typed
// replaces its text.
func (p *previewTest) edit(t *testing.T, kind string) {
	enter := func(selector, text string) {
		t.Helper()
		p.tabTo(t, selector)
		p.do(t, chromedp.KeyEvent(text))
	}
	var path string
	switch kind {
	case "panel":
		path = "/panel/" + p.id + "?scenario=nodata"
		p.open(t, path, "light")
		enter("#option-emptyText", "Nothing yet"+kb.Enter)
		p.do(t, until(hasText("[data-preview-drawing]", "Nothing yet")))
		p.open(t, "/panel/"+p.id+"?scenario=series", "light")
		p.tabTo(t, `[aria-label="Settings of the panel"] [role=tab][aria-selected=false]`)
		p.do(t, chromedp.KeyEvent(kb.Enter))
		enter("#field-decimals", "4"+kb.Enter)
		p.do(t, until(`/^-?\d+\.\d{4}$/.test(document.querySelector("[data-preview-drawing] dd")?.textContent)`))
	case "datasource":
		path = "/datasource/" + p.id
		p.open(t, path, "light")
		enter(`[aria-label="Points"]`, "7"+kb.Enter)
		p.do(t, until(hasText(`section[aria-label="Answer"]`, "1 frame, 7 rows")))
		enter(`[aria-label="Amplitude"]`, "3"+kb.Tab+kb.Enter) // the button "Run query" comes next
		p.do(t, until(`document.querySelector('section[aria-label="Answer"] canvas') !== null`))
		p.screenshot(t, "query")
		p.check(t, "an answer", accessibility)
		p.fine(t, path)
		p.settings(t, enter)
	case "app":
		path = "/plugins/" + p.id
		p.open(t, path, "light")
		p.do(t, js("window.isOld = true"))
		enter(`[aria-label="URL"]`, "https://shop.example.com")
		enter(`[aria-label="API key"]`, "hunter2"+kb.Enter)
		p.do(t, until(`!window.isOld && document.querySelector('[aria-label="URL"]')?.value === "https://shop.example.com"`))
		path = "/a/" + p.id + "/status"
		p.open(t, path, "light")
		p.do(t, until(hasText("[data-preview-drawing]", "https://shop.example.com, with an API key")))
	}
	p.screenshot(t, "edited")
	p.fine(t, path)
}

// settings saves and tests the settings of a data source, whose backend sends the secret to the service.
func (p *previewTest) settings(t *testing.T, enter func(selector, text string)) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "hunter2") {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer service.Close()
	p.open(t, "/datasource/"+p.id+"?tab=settings", "light")
	enter(`[aria-label="URL"]`, service.URL)
	enter(`[aria-label="API key"]`, "hunter2")
	enter(`.preview-action button`, kb.Enter)
	p.do(t, until(hasText("main", "the service responds")))
	p.check(t, "saved and tested", accessibility)
	p.open(t, "/datasource/"+p.id+"?tab=settings", "light") // as the host has them
	p.do(t, until(`document.querySelector('[aria-label="URL"]').value === `+quoteJS(service.URL)),
		until(`document.querySelector('[aria-label="API key"]').disabled`))
}
