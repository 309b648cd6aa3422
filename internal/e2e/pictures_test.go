//go:build e2e && unix

package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

var updatePictures = flag.Bool("update", false, "take the pictures in doc/pictures again")

// pictureWidth is the width of a picture in pixels.
const pictureWidth = 1280

// TestPictures requires that the pictures in doc/pictures still show the console. Beside each is its
// outline: the texts, fields and plotted lines of the page, in order, its colors, and the digest of
// the picture that was taken with it, so that neither changes alone. The test compares outlines and
// not pixels: fonts, and with them the position of almost every pixel, differ between machines and
// versions of Chromium. "go tool mage pictures" takes the pictures again.
func TestPictures(t *testing.T) {
	tab := openBrowser(t)
	dir := t.TempDir()
	shop := httptest.NewServer(http.HandlerFunc(shopHandler))
	defer shop.Close()
	c := &consoleTest{t: t, slipway: slipwayCommand(t)}
	startExamples(t, c, dir)
	c.tab = tab
	c.do(t, chromedp.Navigate(c.url+"/login"), chromedp.SendKeys("input[name=password]", password+kb.Enter), until(`location.pathname === "/"`),
		js(`localStorage.setItem("theme", "light")`))
	settings := testkit.Must(json.Marshal(map[string]any{"name": "Corner shop", "uid": "corner-shop", "type": "slipway-shop-datasource",
		"access": "proxy", "url": shop.URL, "jsonData": map[string]any{"currency": "EUR"}}))(t)
	if status := value[int](t, c, `fetch("/api/datasources", {method: "POST", headers: {"Content-Type": "application/json"}, body: `+quoteJS(string(settings))+`}).then((r) => r.status)`); status != 200 {
		t.Fatalf("creating the data source: status %d", status)
	}
	// What the page of the plugin shows: the health was checked, and a query asked for what the shop does not sell.
	if status := value[int](t, c, `fetch("/api/datasources/uid/corner-shop/health").then(() => fetch("/api/ds/query", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({queries: [{refId: "A", datasource: {uid: "corner-shop"}, queryType: "sales", article: "unicycle"}]})})).then((r) => r.status)`); status != 207 {
		t.Fatalf("a query that fails: status %d", status)
	}
	query := url.Values{"source": {"uid:corner-shop"}, "type": {"sales"}, "query": {"{\n  \"article\": \"bicycle\"\n}"},
		"from": {opened.Format(time.RFC3339)}, "to": {opened.Add(24 * time.Hour).Format(time.RFC3339)}}
	for _, picture := range []struct {
		name, path, drawn string
		height            int64
	}{
		{"explore", "/explore?" + query.Encode(), `document.querySelector("#results .line") !== null`, 1010},
		{"plugin", "/plugins/slipway-shop-datasource", `document.querySelector("#log .error") !== null`, 720},
	} {
		c.do(t, chromedp.EmulateViewport(pictureWidth, picture.height), chromedp.Navigate(c.url+picture.path),
			until(picture.drawn), until(`document.readyState === "complete"`))
		c.compare(t, filepath.Join("..", "..", "doc", "pictures", picture.name))
	}
}

// startExamples starts a host with the plugins of examples/.
func startExamples(t *testing.T, c *consoleTest, dir string) {
	t.Helper()
	programs := built(t, shared.examples, "examples")
	for _, example := range []string{"app", "datasource", "renderer", "secretsmanager"} {
		source := filepath.Join("..", "..", "examples", example, "src")
		var manifest struct{ ID, Executable string }
		testkit.OK(t, json.Unmarshal(readFile(t, filepath.Join(source, "plugin.json")), &manifest))
		plugin := filepath.Join(dir, "plugins", manifest.ID)
		testkit.OK(t, os.CopyFS(plugin, os.DirFS(source)))
		testkit.OK(t, os.Link(filepath.Join(programs, example), filepath.Join(plugin, bundle.Host().Executable(manifest.Executable))))
	}
	cmd := exec.Command(c.slipway, "host", "--plugins-dir", filepath.Join(dir, "plugins"), "--data-dir", filepath.Join(dir, "data"),
		"--listen=127.0.0.1:0", "--feature-toggles=externalServiceAccounts")
	cmd.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	c.server = serve(t, cmd)
}

// opened is when the shop sold the first bicycle of the plot.
var opened = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// shopHandler is the HTTP API of a shop whose prices rise and fall with the hours of a day.
func shopHandler(w http.ResponseWriter, r *http.Request) {
	var response any = "Corner shop"
	switch r.URL.Path {
	case "/articles/unicycle/sales":
		http.NotFound(w, r)
		return
	case "/articles/bicycle/sales":
		var sales []map[string]any
		for n := range 97 {
			price := 480 - 60*math.Cos(float64(n)/96*2*math.Pi) + 15*math.Sin(float64(n)/4)
			sales = append(sales, map[string]any{"time": opened.Add(time.Duration(n) * 15 * time.Minute), "price": math.Round(price)})
		}
		response = sales
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(response)
}

// outline lists what a page shows: a line for each text, field and plotted line that is visible, with
// the name of its element, and the colors.
const outline = `(() => {
	const lines = [], colors = new Set();
	const clean = (text) => text.replace(/\s+/g, " ").trim();
	const visit = (e) => {
		if (!e.checkVisibility({visibilityProperty: true})) return;
		const style = getComputedStyle(e), name = e.localName;
		for (const color of [style.color, style.backgroundColor, name === "path" || name === "polyline" ? style.stroke : ""])
			if (color.startsWith("rgb(")) colors.add(color);
		if (name === "select") { lines.push("select " + e.selectedOptions[0]?.textContent); return; }
		if (name === "input" || name === "textarea") { lines.push(name + " " + clean(e.value)); return; }
		if (name === "time" || name === "dd" && e.previousElementSibling.textContent === "Process") { lines.push(name + " ..."); return; }
		if (e.dataset.name) lines.push(name + " " + e.dataset.name + ": " + e.points.length + " points");
		const text = clean([...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.data).join(" "));
		if (text) lines.push(name + " " + text);
		for (const child of e.children) visit(child);
	};
	visit(document.body);
	return [...lines, ...[...colors].sort()].join("\n");
})()`

// duration is what a page says about how long something took.
var duration = regexp.MustCompile(`\b[0-9.]+ ?(?:µs|ms|s)\b`)

// compare compares the outline of the page with that of a picture, or takes the picture again.
func (c *consoleTest) compare(t *testing.T, name string) {
	t.Helper()
	got := duration.ReplaceAllString(value[string](t, c, outline), "... s") + "\n"
	if *updatePictures {
		picture := testkit.Must(chromedp.Run(c.tab, chromedp.CaptureScreenshot()))(t)
		testkit.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		testkit.OK(t, os.WriteFile(name+".png", picture, 0o644))
		testkit.WriteFile(t, name+".txt", digestLine(picture)+got)
	}
	picture := readFile(t, name+".png")
	if diff := cmp.Diff(strings.Split(testkit.ReadFile(t, name+".txt"), "\n"), strings.Split(digestLine(picture)+got, "\n")); diff != "" {
		t.Errorf("%s.png is out of date; run go tool mage pictures and look at it (-recorded +now):\n%s", name, diff)
	}
	if len(picture) > 120<<10 {
		t.Errorf("%s.png has %d bytes, want at most 120 KiB", name, len(picture))
	}
	if strings.Contains(got, strings.TrimPrefix(c.url, "http://")) {
		t.Errorf("%s.png shows the address of this host", name)
	}
}

// digestLine is the first line of the outline of a picture.
func digestLine(picture []byte) string { return fmt.Sprintf("sha256 %x\n", sha256.Sum256(picture)) }
