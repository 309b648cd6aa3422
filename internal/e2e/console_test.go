//go:build e2e && unix

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// consoleTest is a browser at the console of a running "slipway dev".
type consoleTest struct {
	t                   *testing.T // outlives the steps
	slipway, repo, data string
	axe                 string              // the source of axe-core, or ""
	screenshots         string              // a directory, or ""
	known               map[string][]string // selectors of what others made, by the rule of axe-core that it breaks
	subject             string              // begins the names of screenshots

	*server        // that runs dev; nil in the tests of the preview
	link    string // signs in once

	browser context.Context
	tab     context.Context

	mu       sync.Mutex
	requests int
	problems []string // errors in the browser that no step expects
	isDown   bool     // the host is stopped: failed requests are expected
}

// openBrowser starts Chromium with a profile of its own, and returns its tab. A test without it is skipped.
func openBrowser(t *testing.T) context.Context {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	// The sandbox needs a kernel feature that containers lack. The pages are ours.
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))...)
	t.Cleanup(stop)
	tab, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	if err := chromedp.Do(tab); err != nil { // starts the browser
		t.Fatal(err)
	}
	return tab
}

// TestConsole uses the console of "slipway dev" in Chromium. It takes screenshots if
// SLIPWAY_SCREENSHOTS names a directory for them.
func TestConsole(t *testing.T) {
	browser := openBrowser(t)
	dir := t.TempDir()
	c := &consoleTest{t: t, slipway: slipwayCommand(t), repo: filepath.Join(dir, pluginID), data: filepath.Join(dir, "data"), screenshots: os.Getenv("SLIPWAY_SCREENSHOTS"), subject: "console"}
	run(t, 0, "", c.slipway, "scaffold", "datasource", pluginID, "--dir", c.repo)
	testkit.WriteFile(t, filepath.Join(c.repo, "pkg", "resource.go"), resourceSource)
	c.start(t, "127.0.0.1:0")
	c.browser, c.tab = browser, browser
	testkit.OK(t, chromedp.Listen(c.tab, c.watch))
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"link", c.signInByLink},
		{"broken", c.broken},
		{"query", c.query},
		{"table", c.table},
		{"resource", c.resource},
		{"health", c.health},
		{"settings", c.settings},
		{"connection", c.connection},
		{"keyboard", c.keyboard},
		{"dashboard", c.dashboard},
		{"pages", c.pages},
		{"stream", c.stream},
	} {
		if !t.Run(step.name, step.run) {
			c.screenshot(t, "failed-"+step.name)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests == 0 {
		t.Error("no request was seen")
	}
	for _, p := range c.problems {
		t.Error(p)
	}
}

// start starts dev and waits until it watches.
func (c *consoleTest) start(t *testing.T, listen string) {
	t.Helper()
	cmd := exec.Command(c.slipway, "dev", "--dir", c.repo, "--listen", listen, "--data-dir", c.data)
	cmd.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	c.server = launch(c.t, cmd)
	c.await(t, 0, "watching ")
	_, c.url, _ = strings.Cut(c.await(t, 0, "slipway host is at "), " is at ")
	link, _ := strings.CutPrefix(c.await(t, 0, "sign in: "), "sign in: ")
	c.link, _, _ = strings.Cut(link, " ")
}

func (c *consoleTest) stop(t *testing.T) {
	t.Helper()
	testkit.OK(t, c.cmd.Process.Signal(syscall.SIGTERM))
	<-c.ended
}

// watch collects errors of the console, reports of the Content-Security-Policy, and requests
// to other origins.
func (c *consoleTest) watch(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	report := func(format string, args ...any) {
		if !c.isDown {
			c.problems = append(c.problems, fmt.Sprintf(format, args...))
		}
	}
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			report("console: %s %s", e.Type, e.Args[0].Value)
		}
	case *runtime.EventExceptionThrown:
		report("exception: %s", e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Source == cdplog.EntrySourceSecurity {
			report("log: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		c.requests++
		if !strings.HasPrefix(e.Request.URL, c.url+"/") && !strings.HasPrefix(e.Request.URL, "about:") && !strings.HasPrefix(e.Request.URL, "data:") {
			report("request to another origin: %s", e.Request.URL)
		}
	}
}

// do runs actions in the tab.
func (c *consoleTest) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(c.tab, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		ctx, cancel := context.WithTimeout(c.tab, 10*time.Second) // a page that hangs does not answer
		defer cancel()
		where, _ := chromedp.Run(ctx, chromedp.Location())
		text, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
		t.Fatalf("%v at %s:\n%s", err, where, text)
	}
}

// until waits until a JavaScript expression is true.
func until(expression string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		for {
			ok, err := chromedp.Evaluate[bool](expression)(ctx, tab)
			if ok { // an error means that the page is being replaced
				return chromedp.Void{}, nil
			}
			select {
			case <-ctx.Done():
				return chromedp.Void{}, fmt.Errorf("wait for %s: %w", expression, errors.Join(err, ctx.Err()))
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

func js(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](expression)
}

func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// set sets the value of the field with a name.
func set(name, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SetValue(chromedp.CSS(`[name="`+name+`"]`), text)
}

// value returns the value of a JavaScript expression.
func value[T any](t *testing.T, c *consoleTest, expression string) (v T) {
	t.Helper()
	c.do(t, func(ctx context.Context, tab *chromedp.Target) (_ chromedp.Void, err error) {
		v, err = chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise)(ctx, tab)
		return chromedp.Void{}, err
	})
	return v
}

func quoteJS(text string) string { return strconv.Quote(text) }

func hasText(selector, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))`, quoteJS(selector), quoteJS(text))
}

// signInByLink follows the printed link. It works once, and the address alone leads to the
// login.
func (c *consoleTest) signInByLink(t *testing.T) {
	c.do(t, chromedp.EmulateViewport(1280, 800),
		chromedp.Navigate(c.url), until(`location.pathname === "/login"`))
	c.screenshot(t, "login")
	c.do(t, chromedp.Navigate(c.link), until(`location.pathname === "/"`), until(hasText("h1", "Plugins")))
	if where := value[string](t, c, "location.href"); strings.Contains(where, "code") {
		t.Errorf("the code stays in the address: %s", where)
	}
	incognito, cancel := chromedp.NewContext(c.browser, chromedp.WithNewBrowserContext())
	defer cancel()
	testkit.OK(t, chromedp.Do(incognito))
	ctx, stop := context.WithTimeout(incognito, time.Minute)
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Navigate(c.link), until(hasText(".status", "has been used"))); err != nil {
		t.Errorf("the link used twice: %v", err)
	}
}

// broken saves a backend that cannot start, sees why, and fixes it, without loading the page
// again.
func (c *consoleTest) broken(t *testing.T) {
	c.do(t, chromedp.Navigate(c.url), until(hasText(".fine", "running")), js("window.isSamePage = true"))
	source := filepath.Join(c.repo, "pkg", "main.go")
	good := testkit.ReadFile(t, source)
	bad := strings.Replace(good, "func main() {", "func main() {\n\tpanic(\"<b>no database</b>\")", 1)
	if bad == good {
		t.Fatalf("no main in\n%s", good)
	}
	testkit.WriteFile(t, source, bad)
	c.do(t, until(hasText("#problems .problem", "<b>no database</b>")))
	c.screenshot(t, "overview-broken")
	for !value[bool](t, c, `fetch("/api/plugins/`+pluginID+`/changes").then((r) => r.json())
		.then((all) => all.some((e) => e.event === "plugin-failed" && e.reason.includes("no database")))`) {
		time.Sleep(10 * time.Millisecond) // another change would cancel this one before it is recorded
	}
	testkit.WriteFile(t, source, strings.Replace(good, "func main() {", "func main() {\n\tmissing()", 1)) // does not compile, so the build is not replaced
	c.do(t, until(hasText("#problems .problem", "undefined: missing")))
	testkit.WriteFile(t, source, good)
	c.do(t, until(hasText(".fine", "running")), until(`document.querySelectorAll("#problems .problem").length === 0`))
	if !value[bool](t, c, "window.isSamePage === true") {
		t.Error("the page was loaded again")
	}
	c.do(t, chromedp.Navigate(c.url+"/plugins/"+pluginID), until(hasText("#changes", "backend")))
	for _, want := range []string{"not live", "no database", "live"} {
		if !value[bool](t, c, hasText("#changes", want)) {
			t.Errorf("the changes do not contain %q: %s", want, value[string](t, c, `document.querySelector("#changes").innerText`))
		}
	}
}

// explore opens the page to query and runs a query.
func (c *consoleTest) explore(t *testing.T, query string) {
	t.Helper()
	c.do(t, chromedp.Navigate(c.url+"/explore"), set("query", query), click("button.first"),
		until(`location.search.includes("query=") && document.querySelector("#results .card, #results .problem") !== null && document.readyState === "complete"`))
}

// query compares the plotted values with those of the table.
func (c *consoleTest) query(t *testing.T) {
	c.explore(t, `{"points":24,"amplitude":3}`)
	type point struct{ X, Y float64 }
	plotted := value[[]point](t, c, `document.querySelector(".line").points.map(([X, Y]) => ({ X, Y }))`)
	listed := value[[]point](t, c, `[...document.querySelectorAll("[data-frame] tbody tr")].map((r) => ({ X: Date.parse(r.cells[0].textContent.replace(" ", "T") + "Z"), Y: Number(r.cells[1].textContent) }))`)
	if len(plotted) != 24 || !slices.Equal(plotted, listed) {
		t.Errorf("plotted %v, listed %v", plotted, listed)
	}
	if !value[bool](t, c, hasText("#curl", "/api/ds/query")) || !value[bool](t, c, hasText("#raw-A pre", `"frames"`)) {
		t.Error("the page has no curl command or no JSON")
	}
	// Hovering shows a value; clicking on its name hides a line.
	c.do(t, js(`document.querySelector(".plot").scrollIntoView({block: "center"})`))
	box := value[struct{ X, Y float64 }](t, c, `(({left, top, width, height}) => ({X: left + width / 2, Y: top + height / 2}))(document.querySelector(".plot").getBoundingClientRect())`)
	c.do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box.X, box.Y), until(`document.querySelector(".tip b")?.textContent !== ""`))
	c.screenshot(t, "explore-hover")
	c.do(t, click(".legend button"), until(`document.querySelector(".line").hasAttribute("hidden")`))
	// The query is offered again.
	c.do(t, chromedp.Navigate(c.url+"/explore"), until(`document.querySelector("[data-recent] select").options.length > 1`))
	c.explore(t, "{\n\"points\": }")
	if !value[bool](t, c, hasText("#invalid", "line 2")) {
		t.Error("a syntax error has no line")
	}
}

// table scrolls to the end of a table of many rows, and sorts it.
func (c *consoleTest) table(t *testing.T) {
	const rows = 100_000
	c.explore(t, fmt.Sprintf(`{"points":%d,"amplitude":3,"maxDataPoints":%d}`, rows, rows))
	total := value[int](t, c, `Number(document.querySelector("[data-frame]").dataset.total)`)
	if total != rows {
		t.Fatalf("the table has %d rows, want %d", total, rows)
	}
	c.do(t, js(`{ const r = document.querySelector("[data-frame]"); r.scrollTop = 1; }`), until(`document.querySelector("[aria-rowindex]") !== null`),
		js(`{ const r = document.querySelector("[data-frame]"); r.scrollTop = r.scrollHeight; }`),
		until(fmt.Sprintf(`document.querySelector('[aria-rowindex="%d"]') !== null`, rows)))
	if n := value[int](t, c, `document.querySelectorAll("[data-frame] tbody tr").length`); n > 200 {
		t.Errorf("%d rows are drawn at once", n)
	}
	took := value[float64](t, c, `(() => { const start = performance.now(); document.querySelectorAll(".sort")[1].click(); return performance.now() - start; })()`)
	c.do(t, until(`document.querySelector("[aria-sort=ascending]") !== null`), js(`document.querySelector("[data-frame]").scrollTop = 0`), until(`document.querySelector('[aria-rowindex="1"]') !== null`))
	values := value[[]float64](t, c, `[...document.querySelectorAll("[data-frame] tbody tr[aria-rowindex]")].map((r) => Number(r.cells[1].textContent))`)
	if len(values) == 0 || !slices.IsSorted(values) {
		t.Errorf("sorted by value: %v", values)
	}
	t.Logf("the click that sorts %d rows took %.0f ms", rows, took)
	// A table whose rows are all in the page keeps them all when it is sorted.
	c.explore(t, `{"points":90,"amplitude":3}`)
	c.do(t, js(`document.querySelectorAll(".sort")[1].click()`), until(`document.querySelector("[aria-sort=ascending]") !== null`), until(`document.querySelector("[aria-rowindex]") !== null`))
	if n := value[int](t, c, `document.querySelectorAll("[data-frame] tbody tr[aria-rowindex]").length`); n != 90 {
		t.Errorf("%d of 90 rows remain after sorting", n)
	}
}

// resource calls a resource of the plugin.
func (c *consoleTest) resource(t *testing.T) {
	c.do(t, chromedp.Navigate(c.url+"/explore?mode=resource"), set("path", "/list"), click("button.first"),
		until(hasText("#response .state", "200")))
	if !value[bool](t, c, hasText("#response code", "[]")) {
		t.Error("the response is not shown")
	}
}

// health checks the health on the page of the plugin.
func (c *consoleTest) health(t *testing.T) {
	c.do(t, chromedp.Navigate(c.url+"/plugins/"+pluginID), click("#check-health"), until(hasText("[data-health] .status", "OK")))
}

// settings creates a data source with settings and a secret of its own.
func (c *consoleTest) settings(t *testing.T) {
	c.do(t, chromedp.Navigate(c.url+"/datasources/new"), set("name", "North"),
		chromedp.SetValue(chromedp.CSS("[data-fills=jsonData]"), `{"maxPoints": 3}`),
		chromedp.SetValue(chromedp.CSS("[data-fills=secureJsonData]"), `{"apiKey": "hunter2"}`))
	c.screenshot(t, "datasources-new")
	c.do(t, click("[data-settings] .actions button"), until(`location.pathname.startsWith("/datasources/") && location.search === "?saved"`), until(hasText("[role=status]", "Saved")),
		until(`document.querySelector("[data-fills=jsonData]")?.value.includes('"maxPoints": 3')`))
	if !value[bool](t, c, `document.querySelector('[name="secureJsonData.apiKey"]').disabled`) || value[bool](t, c, `document.body.innerHTML.includes("hunter2")`) {
		t.Error("the secret is not shown as set, or its value is")
	}
	c.screenshot(t, "datasources-edit")
}

// streamSource adds a stream to the data source of a scaffold.
const streamSource = `package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

func (d *source) SubscribeStream(context.Context, *sdk.StreamRequest) (json.RawMessage, error) { return nil, nil }

func (d *source) RunStream(ctx context.Context, req *sdk.StreamRequest, to *sdk.StreamSender) error {
	if req.Path == "unknown" {
		return sdk.Errorf(404, "unknown numbers")
	}
	for n := 0.0; ctx.Err() == nil; n++ {
		if err := to.Send(frame.New("", frame.Of("time", []time.Time{time.Now()}), frame.Of("value", []float64{n}))); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return ctx.Err()
}
`

// stream adds a stream to the plugin and watches it move.
func (c *consoleTest) stream(t *testing.T) {
	c.do(t, chromedp.Navigate(c.url+"/plugins/"+pluginID), until(`document.getElementById("changes") !== null`))
	changes := value[int](t, c, `document.querySelectorAll("#changes tbody tr").length`)
	testkit.WriteFile(t, filepath.Join(c.repo, "pkg", "stream.go"), streamSource)
	c.do(t, until(fmt.Sprintf(`document.querySelectorAll("#changes tbody tr").length > %d`, changes)),
		chromedp.Navigate(c.url+"/streams?source=type:"+pluginID), set("path", "numbers"), click("button.first"),
		until(hasText("#stream-state", "Receiving")), until(`document.querySelectorAll("#values tbody tr").length === 20`))
	// The table and the plot show the same latest value, and both move.
	latest := `Number(document.querySelector("#values tbody tr").cells[1].textContent)`
	before := value[float64](t, c, latest)
	c.do(t, until(fmt.Sprintf(`%s > %g`, latest, before+10)))
	if !value[bool](t, c, latest+` === document.querySelector("#plot .line").points.at(-1)[1] && document.querySelector("#plot .line").getTotalLength() > 0`) {
		t.Error("the table and the plot differ")
	}
	// Stopped and started with the keyboard, whose focus moves to the other button.
	c.do(t, js(`document.getElementById("stop").focus()`), chromedp.KeyEvent(kb.Enter), until(hasText("#stream-state", "Stopped")))
	c.screenshot(t, "stream")
	c.check(t, "a stream", accessibility)
	stopped := value[float64](t, c, latest)
	c.do(t, chromedp.KeyEvent(kb.Enter), until(hasText("#stream-state", "Receiving")), until(fmt.Sprintf(`%s > %g`, latest, stopped)))
	// A stream that ends for good is not opened again.
	c.do(t, chromedp.Navigate(c.url+"/streams?source=type:"+pluginID+"&path=unknown"), until(hasText("#stream-state", "unknown numbers")),
		until(`!document.getElementById("start").disabled && document.getElementById("stop").disabled`))
	c.do(t, chromedp.Navigate(c.url))
}

// dashboard saves a dashboard, and runs a query of one of its panels.
func (c *consoleTest) dashboard(t *testing.T) {
	saved := value[int](t, c, `fetch("/api/dashboards/db", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({overwrite: true, dashboard:
		{uid: "kinds", title: "A dashboard", panels: [{type: "timeseries", title: "Sine", datasource: {type: "`+pluginID+`"}, targets: [{refId: "A", points: 48, amplitude: 30}]}]}})}).then((r) => r.status)`)
	if saved != 200 {
		t.Fatalf("saving the dashboard: status %d", saved)
	}
	c.do(t, chromedp.Navigate(c.url+"/dashboards"), until(hasText("#list a", "A dashboard")), click(`#list a[href="/dashboards/kinds"]`),
		until(hasText("main a", "Sine: A")), js(`[...document.querySelectorAll("main a")].find((a) => a.textContent === "Sine: A").click()`),
		until(`location.pathname === "/explore" && document.querySelector("[name=query]").value.includes("48")`), click("button.first"),
		until(`document.querySelector("#results .line") !== null`))
}

// pages checks each page in both themes and three widths with axe-core, and takes pictures. It
// loads a page once: a page follows the switch of the theme and the width of the window.
func (c *consoleTest) pages(t *testing.T) {
	var err error
	if c.axe, err = axeCore(t); err != nil {
		t.Logf("axe-core does not run: %v", err)
	}
	c.do(t, chromedp.Navigate(c.url), js(`localStorage.setItem("theme", "light")`))
	paths := value[[]string](t, c, `[...document.querySelectorAll("nav a")].map((a) => a.getAttribute("href"))`)
	query := url.Values{"source": {"type:" + pluginID}, "query": {`{"points":24,"amplitude":3}`}, "from": {"now-6h"}, "to": {"now"}}
	paths = append(paths, "/plugins/"+pluginID, "/explore?"+query.Encode(), "/explore?mode=resource", "/explore?mode=health", "/explore?source=type%3Ax&query=%7B", "/missing")
	paths = append(paths, "/dashboards/kinds", "/dashboards/new", "/playlists/new", "/datasources/new", "/folders", "/keys", "/roles", "/profile", "/login", "/accounts/1")
	for _, path := range paths {
		name, _, _ := strings.Cut(strings.Trim(path, "/"), "?")
		if name = strings.ReplaceAll(name, "/", "-"); name == "" {
			name = "overview"
		}
		if u, err := url.Parse(path); err == nil && u.RawQuery != "" {
			name += "-" + u.Query().Get("mode")
			if u.Query().Has("query") {
				name += map[bool]string{true: "results", false: "invalid"}[strings.HasSuffix(u.Query().Get("query"), "}")]
			}
		}
		c.mu.Lock()
		c.isDown = path == "/missing" // Chromium logs the status
		c.mu.Unlock()
		c.do(t, chromedp.Navigate(c.url+path), until(`document.readyState === "complete" && document.getElementById("main") !== null`))
		for n := range 2 { // the choice is kept: the next page begins with the theme that this one ends with
			rules := accessibility
			if n > 0 {
				rules = `["color-contrast"]` // the others do not depend on the theme
			}
			theme := value[string](t, c, "document.documentElement.dataset.theme")
			for _, width := range []int64{360, 1280, 2560} {
				c.do(t, chromedp.EmulateViewport(width, 900))
				if over := value[int](t, c, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
					t.Errorf("%s is %d pixels wider than %d", path, over, width)
				}
				c.screenshot(t, fmt.Sprintf("%s-%s-%d", name, theme, width))
				c.check(t, fmt.Sprintf("%s, %s, %d", path, theme, width), rules)
			}
			c.do(t, js(`document.querySelector("[data-theme-switch]").click()`), until(`document.documentElement.dataset.theme !== "`+theme+`"`))
		}
	}
	c.mu.Lock()
	c.isDown = false
	c.mu.Unlock()
	c.do(t, chromedp.EmulateViewport(1280, 800))
}

// accessibility are the rules of axe-core that every page must follow.
const accessibility = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`

// check runs rules of axe-core, if it is installed.
func (c *consoleTest) check(t *testing.T, name, rules string) {
	t.Helper()
	if c.axe == "" {
		return
	}
	type violation struct {
		ID    string
		Nodes []struct{ HTML, FailureSummary string }
	}
	known, _ := json.Marshal(c.known)
	if !value[bool](t, c, `"axe" in window`) {
		c.do(t, js(c.axe))
	}
	// A color on its way to another has a contrast that nobody reads; a spinner never ends.
	value[int](t, c, `Promise.allSettled(document.getAnimations().filter((a) => isFinite(a.effect.getComputedTiming().endTime))
		.map((a) => a.finished)).then((all) => all.length)`)
	found := value[[]violation](t, c, `axe.run(document, {elementRef: true, resultTypes: ["violations"], runOnly: `+rules+`})
		.then((r) => r.violations.map(({id, nodes}) => ({ID: id, Nodes: nodes
			.filter(({element}) => !(`+string(known)+`)[id]?.some((selector) => element.matches(selector))).slice(0, 3).map(({html, failureSummary}) => ({HTML: html, FailureSummary: failureSummary}))})))`)
	for _, v := range found {
		if len(v.Nodes) == 0 {
			continue
		}
		text, _ := json.Marshal(v.Nodes)
		t.Errorf("%s: axe-core reports %s: %s", name, v.ID, text)
	}
}

// screenshot saves a picture of the whole page, if there is a directory for it.
func (c *consoleTest) screenshot(t *testing.T, name string) {
	t.Helper()
	if c.screenshots == "" {
		return
	}
	picture := testkit.Must(chromedp.Run(c.tab, chromedp.FullScreenshot(100)))(t)
	testkit.OK(t, os.MkdirAll(c.screenshots, 0o755))
	testkit.OK(t, os.WriteFile(filepath.Join(c.screenshots, c.subject+"-"+name+".png"), picture, 0o644))
}

// connection stops the host and starts it again. The page reports both without being loaded
// again.
func (c *consoleTest) connection(t *testing.T) {
	c.do(t, chromedp.Navigate(c.url), until(hasText("h1", "Plugins")), js("window.isSamePage = true"))
	c.mu.Lock()
	c.isDown = true
	c.mu.Unlock()
	c.stop(t)
	c.do(t, until(`document.getElementById("connection").hidden === false`))
	c.screenshot(t, "connection-lost")
	// The next start finds a backend that does not compile.
	source := filepath.Join(c.repo, "pkg", "main.go")
	good := testkit.ReadFile(t, source)
	testkit.WriteFile(t, source, strings.Replace(good, "func main() {", "func main() {\n\tmissing()", 1))
	listen := strings.TrimPrefix(c.url, "http://")
	c.start(t, listen)
	c.do(t, until(`document.getElementById("connection").hidden === true`), until(hasText("#problems .problem", "undefined: missing")))
	testkit.WriteFile(t, source, good)
	c.do(t, until(hasText(".fine", "running")))
	c.mu.Lock()
	c.isDown = false
	c.mu.Unlock()
	if !value[bool](t, c, "window.isSamePage === true") {
		t.Error("the page was loaded again")
	}
}

// tabTo presses Tab until an element that matches has the focus, which must be visible.
func (c *consoleTest) tabTo(t *testing.T, selector string) {
	t.Helper()
	for range 60 {
		c.do(t, chromedp.KeyEvent(kb.Tab))
		if value[bool](t, c, `document.activeElement.matches(`+quoteJS(selector)+`)`) {
			if !value[bool](t, c, `(({outlineStyle, boxShadow}) => outlineStyle !== "none" || boxShadow !== "none")(getComputedStyle(document.activeElement))`) {
				t.Errorf("the focus on %s is invisible", selector)
			}
			return
		}
	}
	t.Fatalf("Tab does not reach %s", selector)
}

// keyboard signs out, signs in with the password, and runs a query, with keys only.
func (c *consoleTest) keyboard(t *testing.T) {
	c.do(t, chromedp.Navigate(c.url))
	c.tabTo(t, "[data-send='DELETE /api/session'] button")
	c.do(t, chromedp.KeyEvent(kb.Enter), until(`location.pathname === "/login"`))
	c.tabTo(t, "[name=password]")
	c.do(t, chromedp.KeyEvent(password+kb.Enter), until(hasText("h1", "Plugins")))
	c.tabTo(t, "nav a[href='/explore']")
	c.do(t, chromedp.KeyEvent(kb.Enter), until(hasText("h1", "Explore")))
	c.tabTo(t, "[name=query]")
	c.do(t, chromedp.KeyEvent(strings.Repeat(kb.Delete, len("{\n}"))+`{"points":5,"amplitude":1}`)) // in place of the example
	c.tabTo(t, "button.first")
	c.do(t, chromedp.KeyEvent(kb.Enter), until(`document.querySelector("#results .card") !== null`))
	c.tabTo(t, ".sort")
	c.do(t, chromedp.KeyEvent(kb.Enter), until(`document.querySelector("[aria-sort]") !== null`))
}
