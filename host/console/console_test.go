package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// fakeAPI answers every call of the pages with a string wherever a plugin or a user controls it.
type fakeAPI struct {
	text string
	role string // of the caller; "" is not signed in
}

func (f fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, _ := json.Marshal(f.text) // a string is always encoded
	raw := string(q)
	body, ok := map[string]string{
		"/api/user":                            `{"login":$,"role":"` + f.role + `"}`,
		"/api/plugins":                         `[{"id":"p","name":$,"type":$,"version":$,"backend":{"state":"running","reason":$,"restarts":1,"pid":2,"token":{"injected":false,"reason":$}}},{"id":"q","name":$,"type":"datasource","version":$,"backend":{"state":$}}]`,
		"/api/plugins/errors":                  `[{"errorCode":$,"pluginId":"p","path":$,"reason":$,"stage":$,"help":$,"stderr":[$]},{"errorCode":$,"path":$,"reason":$,"stderr":[$]}]`,
		"/api/plugins/p/changes":               `[{"event":"plugin-failed","version":$,"changed":[$],"reason":$},{"event":$,"changed":null}]`,
		"/api/plugins/changes":                 `[{"id":"q","event":"plugin-failed","reason":$}]`,
		"/api/access-control/user/permissions": `{"dashboards:create":["folders:*"]}`,
		"/api/plugins/p/dashboards":            `[{"uid":$,"title":$,"path":$,"imported":true},{"title":$,"path":$,"error":$}]`,
		"/api/plugins/p/logs":                  `{"records":[{"number":1,"time":"2026-01-02T03:04:05Z","level":"info","message":$,"fields":{"k":$}}],"dropped":3}`,
		"/api/sessions":                        `[{"id":1,"userAgent":$,"created":"2026-01-02T03:04:05Z","seenAt":"2026-01-02T03:04:05Z"}]`,
		"/api/datasources":                     `[{"uid":$,"name":$,"type":$}]`,
		"/api/ds/query":                        `{"results":{"A":{"status":200,"error":$,"errorSource":$,"frames":[{"schema":{"name":$,"fields":[{"name":"t","type":"time"},{"name":$,"type":"number","labels":{"l":$}},{"name":$,"type":"string"}],"meta":{"notices":[{"severity":$,"text":$}]}},"data":{"values":[[1,2],[3,4],[$,$]]}}]},"B":{"status":200,"frames":[{"schema":{"fields":[{"name":"k","type":"string"},{"name":"v","type":"number"}]},"data":{"values":[[$],[1]]}}]},"C":{"status":200,"frames":[{"schema":{"fields":[{"name":$,"type":"number"}]},"data":{"values":[[1]]}}]}}}`,
		"/api/search":                          `[{"uid":"d","title":$}]`,
		"/api/dashboards/uid/d": `{"dashboard":{"title":$,"panels":[{"title":$,"type":"table","targets":[{"expr":$,"datasource":{"uid":$}}],
			"fieldConfig":{"defaults":{"mappings":[{"type":"range","options":{"from":0,"result":{"text":$,"color":$}}}],"thresholds":{"steps":[{"color":$},{"color":$,"value":1}]}}}},
			{"title":$,"type":$,"targets":$},{"type":"text","options":{"content":$}},{"title":$,"type":"stat","targets":[{"datasource":$}],"fieldConfig":{"defaults":{"thresholds":{"steps":[{"color":$},{"color":$,"value":1}]}}}}]}}`,
	}[r.URL.Path]
	switch {
	case f.role == "":
		w.WriteHeader(http.StatusUnauthorized)
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"message":%s}`, raw)
	default:
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "$", raw))
	}
}

// adminAPI answers the calls of an administrator, by path.
type adminAPI map[string]string

func (f adminAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := f[r.URL.Path]
	switch {
	case ok:
	case r.URL.Path == "/api/user":
		body = `{"login":"a","role":"Admin"}`
	case r.URL.Path == "/api/access-control/user/permissions":
		body = `{}`
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = io.WriteString(w, body)
}

// load returns a page.
func load(t *testing.T, api http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	return loadFrom(t, New(api, Options{}), path)
}

func loadFrom(t *testing.T, c http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Sec-Fetch-Site", "none")
	c.ServeHTTP(w, r)
	return w
}

// The console offers what the host allows. TestAllows of package host has the kinds of scopes.
func TestMay(t *testing.T) {
	t.Parallel()
	p := permissions{"playlists:write": {""}, "folders:write": {"folders:uid:a"}}
	if !p.May("playlists:write", "playlists:uid:*") || !p.May("folders:write", "folders:uid:a") || p.May("folders:write", "folders:uid:*") {
		t.Error("May differs from the host")
	}
}

// Without plugins, there is a data source to query.
func TestBuiltinSource(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"/explore": true, "/explore?mode=resource": false, "/explore?mode=health": false} {
		if got := strings.Contains(load(t, fakeAPI{role: "Viewer"}, path).Body.String(), `value="uid:grafana" data-path="">-- Grafana -- (randomWalk)`); got != want {
			t.Errorf("%s contains the built-in data source: %v", path, got)
		}
	}
}

// Data sources are apart from the plugins, which have their ids where names repeat and are left
// out if they failed, and the default data source comes first.
func TestSourceLists(t *testing.T) {
	t.Parallel()
	api := adminAPI{
		"/api/ds/query":    `{"results":{}}`,
		"/api/datasources": `[{"uid":"u","name":"Rooms","type":"acme"},{"uid":"v","name":"Other","type":"acme","isDefault":true}]`,
		"/api/plugins": `[{"id":"acme","name":"Rooms","type":"datasource","backend":{"state":"running"}},{"id":"one","name":"One","type":"datasource","backend":{"state":"restarting"}},
				{"id":"app","name":"App","type":"app","backend":{}},{"id":"panel","name":"Panel","type":"panel"},
				{"id":"bad","name":"Bad","type":"datasource","backend":{"state":"failed"}},{"id":"loop","name":"Loop","type":"datasource","backend":{"state":"crash-loop"}}]`,
	}
	option := regexp.MustCompile(`<optgroup label="([^"]*)|<option value="(\w+:\w+)" data-path="[^"]*"( selected)?>([^<]*)`)
	for path, want := range map[string][]string{
		"/explore?source=uid:u":    {"Data sources", "uid:v Other", "uid:u selected Rooms", "uid:grafana -- Grafana -- (randomWalk)", "Plugins, without a data source", "type:acme Rooms (acme)", "type:one One"},
		"/explore?mode=health":     {"Data sources", "uid:v Other", "uid:u Rooms", "Plugins, without a data source", "type:acme Rooms (acme)", "type:one One", "type:app App"},
		"/streams?source=type:one": {"Data sources", "uid:v Other", "uid:u Rooms", "Plugins, without a data source", "type:acme Rooms (acme)", "type:one selected One", "type:app App"},
	} {
		var got []string
		for _, m := range option.FindAllStringSubmatch(load(t, api, path).Body.String(), -1) {
			got = append(got, cmp.Or(m[1], m[2]+m[3]+" "+m[4]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A saved data source is shown with a button that tests it, and a new one has a plugin that works.
// The links to Explore select a data source without running a query.
func TestSaveDataSource(t *testing.T) {
	t.Parallel()
	api := adminAPI{
		"/api/access-control/user/permissions": `{"datasources:create":["*"],"datasources:write":["*"],"datasources:query":["*"]}`,
		"/api/datasources":                     `[{"uid":"u","name":"Rooms","type":"good"}]`,
		"/api/datasources/uid/u":               `{"uid":"u","name":"Rooms","type":"good"}`,
		"/api/plugins": `[{"id":"a","type":"datasource","backend":{"state":"failed"}},{"id":"c","type":"datasource","backend":{"state":"running"}},
				{"id":"b","type":"datasource"},{"id":"app","type":"app"}]`,
	}
	const next, saved, test = `data-next="/datasources/{uid}?saved"`, `role="status">Saved<`, `data-health`
	const types, form = `<option selected>b</option><option>c</option><option>a</option>`, `name="type" value="b"`
	const explore = `href="/explore?for=uid:u"`
	for path, want := range map[string][]string{
		"/datasources/new":        {next, types, form},
		"/datasources/new?type=a": {next, `<option selected>a</option>`, `name="type" value="a"`},
		"/datasources":            {explore},
		"/datasources/u":          {next, test, explore},
		"/datasources/u?saved":    {next, test, explore, saved},
	} {
		page := load(t, api, path).Body.String()
		for _, part := range append([]string{saved, test, explore}, want...) {
			if strings.Contains(page, part) != slices.Contains(want, part) {
				t.Errorf("%s: contains %s is %t:\n%s", path, part, !slices.Contains(want, part), page)
			}
		}
	}
}

// The latest changes are outcomes, without the states that come with them, and a build that
// failed is a problem until a change is live.
func TestFailedBuild(t *testing.T) {
	t.Parallel()
	const (
		state  = `{"event":"plugin-state","state":"running"}`
		ready  = `{"id":"p","event":"plugin-ready","changed":["backend"]}`
		build  = `{"id":"p","event":"plugin-failed","changed":[],"reason":"syntax error"}`
		start  = `{"id":"p","event":"plugin-failed","changed":[],"reason":"p: exited: no database"}`
		change = `{"id":"p","event":"plugin-failed","changed":["backend"],"reason":"exited"}`
	)
	for _, c := range []struct {
		changes, last string
		rows          int
		isWrong       bool
	}{
		{state, "", 0, false},
		{state + "," + ready + "," + state, ready, 1, false},
		{ready + "," + build, build, 2, true},
		{build + "," + state, build, 1, true},
		{state, build, 0, true}, // the host remembers few events
		{build + "," + state + "," + ready, ready, 2, false},
		{start, start, 1, false},
		{change, change, 1, false},
	} {
		api := adminAPI{
			"/api/plugins":           `[{"id":"p","backend":{"state":"running","reason":"exited: no database"}},{"id":"q","backend":{"state":"running"}}]`,
			"/api/plugins/errors":    `[]`,
			"/api/plugins/changes":   "[" + c.last + "]",
			"/api/plugins/p/changes": "[" + c.changes + "]",
		}
		page := load(t, api, "/plugins/p").Body.String()
		if rows := strings.Count(page, "<tr>") - strings.Count(page, "<thead>"); rows != c.rows {
			t.Errorf("%s: %d rows, want %d", c.changes, rows, c.rows)
		}
		for _, page := range []string{page, load(t, api, "/").Body.String()} {
			if got := strings.Contains(page, `class="problem"`); got != c.isWrong || got && strings.Contains(page, `class="fine"`) {
				t.Errorf("%s: a problem is shown: %t\n%s", c.changes, got, page)
			}
		}
	}
}

// The overview asks for the changes of all plugins at once.
func TestOverviewCalls(t *testing.T) {
	t.Parallel()
	calls := 0
	fake := adminAPI{
		"/api/plugins":         `[` + strings.Repeat(`{"id":"p"},`, 299) + `{"id":"p"}]`,
		"/api/plugins/errors":  `[{"pluginId":"p","reason":""}]`,
		"/api/plugins/changes": `[{"id":"p","event":"plugin-failed","reason":"syntax error"}]`,
	}
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		fake.ServeHTTP(w, r)
	})
	if page := load(t, api, "/").Body.String(); calls != 5 || !strings.Contains(page, "syntax error") {
		t.Errorf("%d calls for\n%s", calls, page)
	}
}

// The page of a plugin calls no action to see whether it exists: the host logs refused requests,
// and the page is loaded every few seconds.
func TestPluginCalls(t *testing.T) {
	t.Parallel()
	fake := fakeAPI{role: "Admin", text: "x"}
	page := load(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/restart") || strings.HasSuffix(r.URL.Path, "/reload") {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		fake.ServeHTTP(w, r)
	}), "/plugins/p").Body.String()
	if !strings.Contains(page, `data-send="POST /api/plugins/p/restart"`) || !strings.Contains(page, `href="/dashboards/x"`) {
		t.Errorf("no button restarts the plugin, or no link leads to its dashboard:\n%s", page)
	}
}

// A data source can have headers with any numbers, and new headers have higher ones.
func TestHeaderNumbers(t *testing.T) {
	t.Parallel()
	api := adminAPI{
		"/api/access-control/user/permissions": `{"datasources:write":["*"]}`,
		"/api/plugins":                         `[]`,
		"/api/datasources/uid/u": `{"uid":"u","name":"Rooms","type":"good","jsonData":{"httpHeaderName2":"X-Two","httpHeaderName10":"X-Ten","httpHeaderName02":"X-Other"},
				"secureJsonFields":{"httpHeaderValue2":true,"httpHeaderValue4":true}}`,
	}
	page := load(t, api, "/datasources/u").Body.String()
	var got []string
	for _, m := range regexp.MustCompile(`name="jsonData\.httpHeaderName(\d+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		got = append(got, m[1]+m[2])
	}
	if want := []string{"2X-Two", "4", "10X-Ten", "11", "12"}; !slices.Equal(got, want) {
		t.Errorf("headers %q, want %q", got, want)
	}
	if strings.Contains(page, "&#34;X-Two&#34;") || !strings.Contains(page, "&#34;X-Other&#34;") || strings.Count(page, `name="secureJsonData.httpHeaderValue4"`) != 1 {
		t.Errorf("the other settings are not those without fields:\n%s", page)
	}
}

// An empty log says why it is empty.
func TestEmptyLog(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct{ state, problems, filter string }{
		"has not logged anything since":             {state: "running"},
		"No records match the filter":               {state: "running", filter: "?text=x"},
		"is not running and has not logged":         {state: "failed", problems: `{"pluginId":"p","reason":"exited"}`},
		"Its last output:</p>\n<pre tabindex=\"0\"": {state: "failed", problems: `{"pluginId":"q","stderr":["other"]},{"pluginId":"p","stderr":["panic: no database","exit status 2"]}`},
	} {
		api := adminAPI{
			"/api/plugins":        `[{"id":"p","backend":{"state":"` + c.state + `"}}]`,
			"/api/plugins/errors": `[` + c.problems + `]`,
			"/api/plugins/p/logs": `{"records":[]}`,
		}
		page := load(t, api, "/plugins/p"+c.filter).Body.String()
		_, log, _ := strings.Cut(page, `id="log"`)
		if !strings.Contains(log, want) || strings.Contains(log, "panic: no database\nexit status 2") != strings.Contains(c.problems, "panic") || strings.Contains(log, "other") {
			t.Errorf("%s: the log is\n%s", want, log)
		}
	}
}

// shape returns the elements of a page with the names of their attributes and, if they can
// hold code, the values.
func shape(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Type == html.TextToken || token.Type == html.CommentToken {
			continue
		}
		fmt.Fprint(&b, token.Type, " ", token.Data)
		for _, a := range token.Attr {
			fmt.Fprint(&b, " ", a.Key)
			isLink := a.Key == "href" || a.Key == "data" || a.Key == "formaction"
			if a.Key == "src" || a.Key == "action" || strings.HasPrefix(a.Key, "on") || isLink && !regexp.MustCompile(`^[/#?]([^/]|$)`).MatchString(a.Val) {
				fmt.Fprint(&b, "=", a.Val)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// payloads returns strings that run code in pages that do not escape them.
func payloads() []string {
	return []string{
		`<script>alert(1)</script>`, `"><script>alert(1)</script>`, `'><img src=x onerror=alert(1)>`, `<img src=x onerror=alert(1)>`,
		`</title><script>alert(1)</script>`, `</textarea><script>alert(1)</script>`, `</pre><svg onload=alert(1)>`, `</code></pre><iframe src=javascript:alert(1)>`,
		`" onmouseover="alert(1)`, `' onfocus='alert(1)' autofocus='`, "` onclick=`alert(1)", `javascript:alert(1)`, `JaVaScRiPt:alert(1)//`, `data:text/html,<script>alert(1)</script>`,
		`<svg><script>alert(1)</script></svg>`, `</svg><script>alert(1)</script>`, `<style>*{background:url(javascript:alert(1))}</style>`, `<base href=//evil.example>`,
		`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`, `<form action=//evil.example><button>`, `<a href="javascript:alert(1)">x</a>`, `<math><mtext></mtext><script>alert(1)</script></math>`,
		`{{.Who}}`, `${alert(1)}`, `<!--`, `-->`, `]]>`, `<![CDATA[`, `&lt;script&gt;alert(1)&lt;/script&gt;`, `&#x3c;script&#x3e;`, `\u003cscript\u003e`, "\x00<script>alert(1)</script>",
		"<scr\x00ipt>alert(1)</scr\x00ipt>", `<script/src=//evil.example>`, `<details open ontoggle=alert(1)>`, `<video><source onerror=alert(1)>`, `<body onload=alert(1)>`, `<link rel=stylesheet href=//evil.example>`,
		`<object data=javascript:alert(1)>`, `<embed src=javascript:alert(1)>`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<xmp><script>alert(1)</script>`, `<plaintext>`, `<template><script>alert(1)</script></template>`,
		`<input autofocus onfocus=alert(1)>`, `<select onfocus=alert(1) autofocus>`, `<marquee onstart=alert(1)>`, `<isindex type=image src=1 onerror=alert(1)>`, `<p style="background:url(//evil.example)">`, "\u2028alert(1)", "\u202e<script>", "+ADw-script+AD4-",
		`//evil.example/x`, `/\evil.example`, `https://evil.example`, `?next=//evil.example`, `#code=x`, `%0d%0aSet-Cookie: x=y`, `%3Cscript%3Ealert(1)%3C/script%3E`, `"};alert(1);//`, `'-alert(1)-'`,
	}
}

// Strings from plugins and users change the text of a page, never its elements.
func TestEscaping(t *testing.T) {
	t.Parallel()
	n := 0
	api := &fakeAPI{role: "Admin"}
	c := New(api, Options{URL: "http://example.com", Preview: &url.URL{Scheme: "http", Host: "localhost:4000"}})
	of := func(text, path string) *httptest.ResponseRecorder {
		t.Helper()
		api.text = text
		return loadFrom(t, c, path)
	}
	for _, path := range []string{"/", "/plugins/p?text=TEXT&level=TEXT", "/plugins/TEXT", "/plugins/q/preview", "/sessions", "/login?next=TEXT", "/missing/TEXT", "/explore?mode=resource",
		"/streams?source=uid:TEXT&path=TEXT", "/streams?source=TEXT&path=TEXT", "/explore?source=uid:TEXT&query=%7B%7D&from=TEXT&to=TEXT&type=TEXT&every=TEXT", "/explore?source=TEXT&query=TEXT&mode=TEXT&range=TEXT", "/explore?for=uid:TEXT"} {
		benign := of("benign", strings.ReplaceAll(path, "TEXT", "benign"))
		want := shape(t, benign.Body.String())
		for _, payload := range payloads() {
			w := of(payload, strings.ReplaceAll(path, "TEXT", url.PathEscape(url.QueryEscape(payload))))
			if strings.Contains(path, "?") {
				w = of(payload, strings.ReplaceAll(path, "TEXT", url.QueryEscape(payload)))
			}
			if got := shape(t, w.Body.String()); got != want || w.Code != benign.Code {
				t.Errorf("%s with %q has status %d and other elements:\n%s", path, payload, w.Code, w.Body.String())
			}
			n++
		}
	}
	t.Logf("%d pages", n)
}

// Signing in leads only to pages of this host.
func TestLoginNext(t *testing.T) {
	t.Parallel()
	c := New(fakeAPI{}, Options{})
	next := regexp.MustCompile(`data-next="([^"]*)"`)
	for given, want := range map[string]string{
		"": "/", "/explore?a=b": "/explore?a=b", "/plugins/x": "/plugins/x", "//evil.example": "/", "/\\evil.example": "/", `\\evil.example`: "/", "https://evil.example": "/",
		"javascript:alert(1)": "/", "evil.example": "/", "/\t/evil.example": "/", "/\n/evil.example": "/", "///evil.example": "/", "%2f%2fevil.example": "/", "/%5cevil.example": "/",
	} {
		w := loadFrom(t, c, "/login?next="+url.QueryEscape(given))
		if got := html.UnescapeString(next.FindStringSubmatch(w.Body.String())[1]); got != want {
			t.Errorf("next=%q: %q, want %q", given, got, want)
		}
	}
	w := load(t, fakeAPI{}, "/explore?query=a%26b")
	if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/login?next=%2Fexplore%3Fquery%3Da%2526b" {
		t.Errorf("not signed in: %d %s", w.Code, got)
	}
}

// A page of another origin cannot make a browser run a query or a stream.
func TestExploreFromElsewhere(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"Sec-Fetch-Site: none": true, "Sec-Fetch-Site: same-origin": true, "Sec-Fetch-Site: same-site": false, "Sec-Fetch-Site: cross-site": false,
		"Referer: http://example.com/explore": true, "Referer: http://example.com:81/explore": false, "Referer: https://example.com/": false,
		"Referer: http://evil.example/": false, "Origin: http://example.com": true, "Origin: null": false, "X-None: x": false,
	} {
		c := New(fakeAPI{"x", "Admin"}, Options{})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/explore?source=uid:x&query=%7B%7D", nil)
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		if got := requestOf(w) != ""; got != want {
			t.Errorf("%s: run is %t", header, got)
		}
		// Requests by the page's scripts count as coming from this host.
		if got := strings.Contains(w.Body.String(), "data-live"); got != want {
			t.Errorf("%s: the page refreshes itself: %t", header, got)
		}
		r.URL.Path, r.URL.RawQuery = "/streams", "source=uid:x&path=y"
		w = httptest.NewRecorder()
		c.ServeHTTP(w, r)
		if body := w.Body.String(); strings.Contains(body, "data-start") != want || !strings.Contains(body, `data-channel="ds/x/y"`) {
			t.Errorf("%s: want data-start %t in %s", header, want, body)
		}
	}
}

// requestOf returns the body of the request for results that a page sends, or "".
func requestOf(page *httptest.ResponseRecorder) string {
	_, after, _ := strings.Cut(page.Body.String(), `<pre id="request"`)
	_, after, _ = strings.Cut(after, ">")
	body, _, _ := strings.Cut(after, "</pre>")
	return html.UnescapeString(body)
}

// A page asks the API for the range of the form in milliseconds, which its plot spans.
func TestPageRanges(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]time.Duration{
		"": time.Hour, "&from=2026-01-01&to=2026-01-01T06:00": 6 * time.Hour, "&from=now%2Fd&to=now%2Fd": 24*time.Hour - time.Millisecond,
	} {
		var asked struct{ From, To int64 }
		testkit.OK(t, json.Unmarshal([]byte(requestOf(load(t, fakeAPI{"x", "Admin"}, "/explore?source=uid:x"+query))), &asked))
		if got := time.Duration(asked.To-asked.From) * time.Millisecond; got != want {
			t.Errorf("%s: %d to %d, want %s", query, asked.From, asked.To, want)
		}
	}
	if body := requestOf(load(t, fakeAPI{"x", "Admin"}, "/explore?source=uid:x&from=soon")); !strings.Contains(body, `"from":"soon","queries"`) {
		t.Errorf("an invalid time: %s", body)
	}
}

// A query is sent with the values that the user wrote.
func TestQueryValues(t *testing.T) {
	t.Parallel()
	const source = `"datasource":{"uid":"x"}`
	for query, want := range map[string]string{
		`{"id":9007199254740993,"n":[1.50,{"m":1e400}],"refId":"B"}`: `{` + source + `,"id":9007199254740993,"n":[1.50,{"m":1e400}],"refId":"B"}`,
		`{"refId":null,"datasource":{"uid":"y"}}`:                    `{` + source + `,"refId":"A"}`,
		`null`: `{` + source + `,"refId":"A"}`,
	} {
		var sent struct{ Queries []json.RawMessage }
		testkit.OK(t, json.Unmarshal([]byte(requestOf(load(t, fakeAPI{"x", "Admin"}, "/explore?source=uid:x&query="+url.QueryEscape(query)))), &sent))
		if len(sent.Queries) != 1 || string(sent.Queries[0]) != want {
			t.Errorf("%s: sent %s, want %s", query, sent.Queries, want)
		}
	}
}

// A viewer's pages contain nothing for administrators only.
func TestViewer(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/plugins/p"} {
		page := load(t, fakeAPI{"secret", "Viewer"}, path).Body.String()
		for _, bad := range []string{`class="problem"`, "restart\"", "/metrics", "log-filter", "/preview"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s contains %q", path, bad)
			}
		}
	}
}

// The page with the preview of a plugin frames the origin of the preview, and has its token, if an
// administrator opens it where the preview can be framed. No other page does.
func TestPreviewPage(t *testing.T) {
	t.Parallel()
	const here, elsewhere, view = "http://example.com", "http://127.0.0.1:3000", "http://localhost:4000/panel/p#token=s3cret"
	link := &url.URL{Scheme: "http", Host: "localhost:4000", Path: "/", Fragment: "token=s3cret"}
	for _, c := range []struct {
		name, role, kind, path string
		options                Options
		status                 int
		frame, token           bool
	}{
		{"preview", "Admin", "panel", "/plugins/p/preview", Options{here, link}, 200, true, true},
		{"another name of the host", "Admin", "panel", "/plugins/p/preview", Options{elsewhere, link}, 200, false, true},
		{"no preview", "Admin", "panel", "/plugins/p/preview", Options{here, nil}, 200, false, false},
		{"no frontend", "Admin", "renderer", "/plugins/p/preview", Options{here, link}, 404, false, false},
		{"viewer", "Viewer", "panel", "/plugins/p/preview", Options{here, link}, 403, false, false},
		{"editor", "Editor", "panel", "/plugins/p/preview", Options{here, link}, 403, false, false},
		{"signed out", "", "panel", "/plugins/p/preview", Options{here, link}, 303, false, false},
		{"another page", "Admin", "panel", "/plugins/p", Options{here, link}, 200, false, false},
	} {
		w := loadFrom(t, New(fakeAPI{text: c.kind, role: c.role}, c.options), c.path)
		page, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
		if w.Code != c.status || strings.Contains(page, "s3cret") != c.token || strings.Contains(page, `data-src="`+view+`"`) != c.frame ||
			strings.HasSuffix(policy, "; frame-src http://localhost:4000") != c.frame || strings.Contains(policy, "frame-src") != c.frame {
			t.Errorf("%s: %d %s\n%s", c.name, w.Code, policy, page)
		}
		if !strings.Contains(policy, "frame-ancestors 'none'") || w.Header().Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: the page can be framed: %v", c.name, w.Header())
		}
		if got := strings.Contains(page, `href="/plugins/p/preview"`); got != (w.Code == http.StatusOK) {
			t.Errorf("%s: a tab leads to the preview: %t", c.name, got)
		}
		if got := strings.Contains(page, "go tool mage preview"); got != (c.name == "no preview") {
			t.Errorf("%s: says how to start the preview: %t", c.name, got)
		}
	}
}

// The assets are small, and only the current version is cached forever.
func TestAssets(t *testing.T) {
	t.Parallel()
	version := testkit.Must(assetVersion())(t)
	c := New(fakeAPI{}, Options{})
	for name, media := range map[string]string{"console.js": "text/javascript; charset=utf-8", "style.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml"} {
		for v, cached := range map[string]bool{version: true, "old": false} {
			w := loadFrom(t, c, "/static/"+v+"/"+name)
			if w.Code != http.StatusOK || w.Header().Get("Content-Type") != media || strings.Contains(w.Header().Get("Cache-Control"), "immutable") != cached {
				t.Errorf("%s of %s: %d %v", name, v, w.Code, w.Header())
			}
		}
	}
	if w := load(t, fakeAPI{}, "/static/x/%2e%2e%2fconsole.go"); w.Code != http.StatusBadRequest {
		t.Errorf("a file outside: %d", w.Code)
	}
	login := load(t, fakeAPI{}, "/login")
	policy := login.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
	// Files of plugins have the origin of the pages, but only the scripts of a page have its nonce.
	nonce := regexp.MustCompile(`script-src 'nonce-(\w+)'; style-src 'nonce-(\w+)';`).FindStringSubmatch(policy)
	if nonce == nil || nonce[1] != nonce[2] || len(nonce[1]) < 22 {
		t.Fatalf("policy %s", policy)
	}
	if scripts, own := strings.Count(login.Body.String(), "<script"), strings.Count(login.Body.String(), `<script nonce="`+nonce[1]+`"`); scripts == 0 || own != scripts {
		t.Errorf("%d of %d scripts have the nonce", own, scripts)
	}
	if again := load(t, fakeAPI{}, "/login").Header().Get("Content-Security-Policy"); again == policy {
		t.Errorf("two pages have the same nonce: %s", policy)
	}
}

// The page of a dashboard links to the queries of its panels, those of rows included.
func TestQueriesIn(t *testing.T) {
	t.Parallel()
	found := queriesIn([]byte(`{"panels":[
		{"title":"a","datasource":{"uid":"one"},"targets":[{"refId":"A","expr":"up"},{"refId":"B","datasource":{"uid":"two"}},{"refId":"C","datasource":{"uid":"-- Mixed --"}}]},
		{"type":"row","panels":[{"title":"b","targets":[{"refId":"D","datasource":{"uid":"$ds"}},{"refId":"E","datasource":{"type":"three"}}]}]},
		{"title":"c","datasource":"old","targets":"x"}]}`))
	var got []string
	for _, q := range found {
		link := testkit.Must(url.Parse(q.Link))(t)
		got = append(got, q.Panel+" "+q.RefID+" "+link.Query().Get("for")+" "+strings.Join(strings.Fields(link.Query().Get("query")), ""))
	}
	want := []string{`a A uid:one {"expr":"up","refId":"A"}`, `a B uid:two {"refId":"B"}`, `b E type:three {"refId":"E"}`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, other := range []string{"", "[]", "null", `{"panels":{}}`} {
		if got := queriesIn([]byte(other)); got != nil {
			t.Errorf("%s: %v", other, got)
		}
	}
}
