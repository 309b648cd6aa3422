package console

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// dashboardAPI serves one dashboard, and answers each query with a time series.
type dashboardAPI struct {
	panels      string // JSON
	dashboard   string // JSON, in place of one with the panels
	defaultName string // of the data source x, or "" for none

	mu      sync.Mutex
	sources []string // JSON of the data sources of the queries
}

func (f *dashboardAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/user":
		_, _ = io.WriteString(w, `{"login":"a","role":"Admin"}`)
	case "/api/access-control/user/permissions":
		_, _ = io.WriteString(w, `{"dashboards:write":["*"]}`)
	case "/api/folders":
		_, _ = io.WriteString(w, `[]`)
	case "/api/frontend/settings":
		_, _ = io.WriteString(w, `{"defaultDatasource":"`+f.defaultName+`","datasources":{"X":{"uid":"x"}}}`)
	case "/api/dashboards/uid/d":
		if f.dashboard != "" {
			_, _ = io.WriteString(w, `{"dashboard":`+f.dashboard+`}`)
			return
		}
		_, _ = io.WriteString(w, `{"dashboard":{"time":{"from":"0","to":"10"},"panels":`+f.panels+`,"templating":{"list":[{"name":"ds","current":{"value":"default"}}]}}}`)
	case "/api/ds/query":
		var body struct {
			Queries []struct{ DataSource json.RawMessage }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, q := range body.Queries {
			f.sources = append(f.sources, string(q.DataSource))
		}
		_, _ = io.WriteString(w, `{"results":{"A":{"status":200,"frames":[{"schema":{"fields":[{"name":"t","type":"time"},{"name":"v","labels":{"l":"x"},"type":"number"}]},"data":{"values":[[1,2,3],[1000,4000,2500]]}}]}}}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// A panel shows what its type stands for.
func TestPanelTypes(t *testing.T) {
	t.Parallel()
	const plot, table, number, note = `class="plot`, `<details open>`, `class="numbers"`, `class="remark"`
	for name, c := range map[string]struct {
		panel     string // without its queries
		want, not []string
	}{
		"time series": {`"type":"timeseries"`, []string{plot, `>4000<`}, []string{table, number, note}},
		"unit":        {`"type":"timeseries","fieldConfig":{"defaults":{"unit":"ms"}}`, []string{plot, `>4 s<`, `<td data-value="2500">2.5 s</td>`}, nil},
		"table":       {`"type":"table"`, []string{table, `>2500<`}, []string{plot, number, note}},
		"stat":        {`"type":"stat"`, []string{number, `<dd>2500</dd>`}, []string{plot, table, note}},
		"mean":        {`"type":"gauge","options":{"reduceOptions":{"calcs":["mean"]}}`, []string{`<dd>2500</dd>`}, nil},
		"max in s":    {`"type":"stat","options":{"reduceOptions":{"calcs":["max"]}},"fieldConfig":{"defaults":{"unit":"ms","decimals":2}}`, []string{`<dd>4.00 s</dd>`}, nil},
		"override": {`"type":"stat","fieldConfig":{"defaults":{"unit":"s"},"overrides":[null,{"matcher":{"id":"byName","options":{}}},{"matcher":{"id":"byType","options":"v"},"properties":[{"id":"unit","value":"d"}]},` +
			`{"matcher":{"id":"byName","options":"v"},"properties":[{"id":"unit","value":"ms"},{"id":"displayName","value":"<b>Took"},{"id":"decimals","value":1e300},{"id":"decimals","value":"x"},{"id":[],"value":{}},{"id":"decimals","value":2}]}]}`,
			[]string{`<dt>&lt;b&gt;Took</dt><dd>2.50 s</dd>`}, []string{note}},
		"threshold":          {`"type":"stat","fieldConfig":{"defaults":{"unit":"ms","thresholds":{"mode":"absolute","steps":[{"color":"green","value":null},{"color":"dark-red","value":2000},{"color":"x\"><b>","value":9000}]}}}`, []string{`fill="#e02f44"/></svg>2.5 s <small>≥ 2 s</small></dd>`}, nil},
		"first threshold":    {`"type":"gauge","fieldConfig":{"defaults":{"thresholds":{"mode":"absolute","steps":[{"color":"rgb(1, 2, 3)","value":null},{"color":"#f00","value":3000}]}}}`, []string{`fill="rgb(1, 2, 3)"/></svg>2500 <small>&lt; 3000</small>`}, nil},
		"default thresholds": {`"type":"stat","fieldConfig":{"defaults":{"thresholds":{"mode":"absolute","steps":[{"color":"green"}]}}}`, []string{`<dd>2500</dd>`}, nil},
		"percentage":         {`"type":"stat","fieldConfig":{"defaults":{"thresholds":{"mode":"percentage","steps":[{"color":"green"},{"color":"red","value":80}]}}}`, []string{`<dd>2500</dd>`}, nil},
		"mapped value":       {`"type":"stat","fieldConfig":{"defaults":{"mappings":[{"type":"value","options":{"1":{"text":"No"},"2500":{"text":"<b>Up","color":"semi-dark-green","index":1}}}]}}`, []string{`fill="#56a64b"/></svg>&lt;b&gt;Up</dd>`}, nil},
		"mapped range": {`"type":"table","fieldConfig":{"overrides":[{"matcher":{"id":"byName","options":"v"},"properties":[{"id":"mappings","value":[{"type":"range","options":{"from":2500,"to":null,"result":{"text":"high"}}},{"type":"range","options":{"from":null,"to":1000,"result":{"text":"low","color":"javascript:alert(1)"}}}]}]}]}`,
			[]string{`<td data-value="1000">low</td>`, `<td data-value="4000">high</td>`, `<td data-value="2500">high</td>`}, []string{"javascript"}},
		"mapped times":  {`"type":"table","fieldConfig":{"defaults":{"mappings":[{"type":"range","options":{"from":0,"to":null,"result":{"text":"any"}}}]}}`, []string{`<td>1970-01-01`, `>any</td>`}, nil},
		"old mappings":  {`"type":"stat","fieldConfig":{"defaults":{"mappings":[{"type":1,"value":"2500","text":"Up"}],"thresholds":[]}}`, []string{`<dd>2500</dd>`}, []string{`class="bad"`}},
		"no mappings":   {`"type":"stat","fieldConfig":{"defaults":{"mappings":[{"type":"value","options":{"2500":{"text":"Up"}}}]},"overrides":[{"matcher":{"id":"byName","options":"v"},"properties":[{"id":"mappings","value":[]}]}]}`, []string{`<dd>2500</dd>`}, nil},
		"unmapped plot": {`"type":"timeseries","fieldConfig":{"defaults":{"mappings":[{"type":"value","options":{"2500":{"text":"Up"}}}]}}`, []string{`>2500<`}, nil},
		"unknown":       {`"type":"heatmap"`, []string{plot, note, "cannot draw panels of type heatmap"}, []string{table}},
		"odd values":    {`"type":"timeseries","options":[],"fieldConfig":{"defaults":{"unit":3,"decimals":"auto"}}`, []string{plot}, []string{note}},
		"text":          {`"type":"text","options":{"content":"<b>x"}`, []string{`&lt;b&gt;x`}, []string{plot, table, note}},
	} {
		api := &dashboardAPI{panels: `[{` + c.panel + `,"targets":[{"refId":"A","datasource":{"uid":"x"}}]}]`}
		page := load(t, api, "/dashboards/d/view").Body.String()
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not contain %s:\n%s", name, want, page)
			}
		}
		for _, not := range c.not {
			if strings.Contains(page, not) {
				t.Errorf("%s: the page contains %s:\n%s", name, not, page)
			}
		}
	}
}

// A query without a data source uses that of its panel, or the default one.
func TestPanelSources(t *testing.T) {
	t.Parallel()
	const byDefault = `{"uid":"x"}`
	for panel, want := range map[string]string{
		`"targets":[{}]`: byDefault,
		`"datasource":null,"targets":[{"datasource":null}]`:                      byDefault,
		`"datasource":"default","targets":[{}]`:                                  byDefault,
		`"datasource":{"uid":"default"},"targets":[{"datasource":{}}]`:           byDefault,
		`"datasource":{"uid":"$ds"},"targets":[{}]`:                              byDefault,
		`"datasource":{"uid":"-- Mixed --"},"targets":[{}]`:                      byDefault,
		`"datasource":"-- Mixed --","targets":[{"datasource":{"uid":"own"}}]`:    `{"uid":"own"}`,
		`"datasource":"of the panel","targets":[{}]`:                             `"of the panel"`,
		`"datasource":{"type":"acme"},"targets":[{}]`:                            `{"type":"acme"}`,
		`"datasource":3,"targets":[{}]`:                                          `3`,
		`"targets":[{"datasourceId":3}]`:                                         `null`,
		`"datasource":{"uid":"-- Dashboard --"},"targets":[{"panelId":1}]`:       "",
		`"targets":[{"datasource":{"uid":"-- Dashboard --"},"panelId":1}]`:       "",
		`"type":"text","datasource":"default","targets":[{"refId":"left over"}]`: "",
	} {
		api := &dashboardAPI{panels: `[{` + panel + `}]`, defaultName: "X"}
		page := load(t, api, "/dashboards/d/view").Body.String()
		if got := strings.Join(api.sources, " "); got != want {
			t.Errorf("%s: queried %s, want %s", panel, got, want)
		}
		if strings.Contains(panel, otherPanel) != strings.Contains(page, "the results of another panel") {
			t.Errorf("%s:\n%s", panel, page)
		}
	}
	without := load(t, &dashboardAPI{panels: `[{"targets":[{}]}]`}, "/dashboards/d/view").Body.String()
	if !strings.Contains(without, "no data source that you may query is the default") {
		t.Errorf("without a default data source:\n%s", without)
	}
}

// A field of another type than expected is reported at its panel, which shows what it can.
func TestWrongFields(t *testing.T) {
	t.Parallel()
	const plot, number = `class="plot`, `<dd>2500</dd>`
	for panel, want := range map[string][]string{
		`"title":5`:                             {"title is a number; it must be a string", plot},
		`"type":[]`:                             {"type is an array; it must be a string", plot},
		`"targets":{}`:                          {"targets is an object; it must be an array"},
		`"targets":[1]`:                         {"targets is a number; it must be an object"},
		`"targets":"x"`:                         {"targets is a string; it must be an array"},
		`"fieldConfig":true`:                    {"fieldConfig is a boolean; it must be an object", plot},
		`"fieldConfig":{"defaults":{"unit":3}}`: {"fieldConfig.defaults.unit is a number; it must be a string", plot},
		`"fieldConfig":{"defaults":{"decimals":1e999}}`:                                                                   {"fieldConfig.defaults.decimals is a number; it must be a smaller number", plot},
		`"fieldConfig":{"overrides":[{"matcher":{"id":"byName","options":"v"},"properties":[{"id":"unit","value":[]}]}]}`: {"unit is an array; it must be a string", plot},
		`"type":"stat","options":[]`:                                {"options is an array; it must be an object", number},
		`"type":"stat","options":{"reduceOptions":{"calcs":"max"}}`: {"options.reduceOptions.calcs is a string; it must be an array", number},
		`"type":"text","options":{"content":{}}`:                    {"options.content is an object; it must be a string"},
		`"type":"row","panels":{}`:                                  {"panels is an object; it must be an array"},
	} {
		targets := `"targets":[{"refId":"A"}],`
		if strings.Contains(panel, "targets") {
			targets = ""
		}
		w := load(t, &dashboardAPI{panels: `[{` + targets + panel + `},7,{"title":"Other","type":"stat","targets":[{"refId":"A"}]}]`, defaultName: "X"}, "/dashboards/d/view")
		page := w.Body.String()
		articles := strings.Split(page, "<article")
		if w.Code != http.StatusOK || len(articles) != 4 || !strings.Contains(articles[2], "the panel is a number; it must be an object") || !strings.Contains(articles[3], number) {
			t.Errorf("%s: the other panels are not shown:\n%s", panel, page)
			continue
		}
		for _, part := range want {
			if !strings.Contains(articles[1], part) {
				t.Errorf("%s: the panel does not contain %q:\n%s", panel, part, articles[1])
			}
		}
	}
	if page := load(t, &dashboardAPI{panels: `[{"type":"acme-panel","options":{"content":{}},"targets":[{"refId":"A"}]}]`, defaultName: "X"}, "/dashboards/d/view").Body.String(); strings.Contains(page, `class="bad"`) {
		t.Errorf("the options of another plugin are checked:\n%s", page)
	}
}

// typicalDashboard has a field of each kind that the page reads.
const typicalDashboard = `{"title":"D","refresh":"10s","time":{"from":"0","to":"10"},
	"templating":{"list":[{"name":"ds","current":{"value":"x"}},{"name":"more","current":{"value":["a"]}}]},
	"rows":[{"panels":[{"title":"In an old row","targets":[{"refId":"A"}]}]}],
	"panels":[
		{"title":"One","type":"timeseries","datasource":{"type":"t","uid":"$ds"},"targets":[{"refId":"A","hide":false,"datasource":{"uid":"x"},"timeRange":null}],
			"fieldConfig":{"defaults":{"unit":"s","decimals":1,"displayName":""},
			"overrides":[{"matcher":{"id":"byName","options":"v"},"properties":[{"id":"unit","value":"ms"}]}]}},
		{"title":"Two","type":"stat","targets":[{"refId":"A"}],"options":{"reduceOptions":{"calcs":["max"]}}},
		{"title":"Three","type":"text","options":{"content":"c"}},
		{"title":"Row","type":"row","collapsed":true,"panels":[{"title":"Four","type":"table","targets":[{"refId":"A"}]}]},
		{"title":"Five","type":"gauge","targets":[{"refId":"A"}],"fieldConfig":{"defaults":{
			"mappings":[{"type":"value","options":{"1":{"text":"Up","color":"green","index":0}}},{"type":"range","options":{"from":0,"to":null,"result":{"text":"Down"}}}],
			"thresholds":{"mode":"absolute","steps":[{"color":"red","value":null},{"color":"green","value":3}]}}}}]}`

// The type of no field keeps the other panels from being drawn.
func TestAnyFieldWrong(t *testing.T) {
	t.Parallel()
	api := &dashboardAPI{defaultName: "X", dashboard: typicalDashboard}
	c := New(api)
	of := func() map[string]string { // articles by title
		t.Helper()
		w := loadFrom(t, c, "/dashboards/d/view")
		if w.Code != http.StatusOK {
			t.Errorf("status %d for %s", w.Code, api.dashboard)
		}
		all := map[string]string{}
		for _, article := range strings.Split(w.Body.String(), "<article")[1:] {
			article, _, _ = strings.Cut(article, "</article>")
			_, title, _ := strings.Cut(article, "<h2>")
			title, _, _ = strings.Cut(title, "</h2>")
			all[title] = article
		}
		return all
	}
	before := of()
	if len(before) != 6 {
		t.Fatalf("%d panels", len(before))
	}
	var model any
	if err := json.Unmarshal([]byte(typicalDashboard), &model); err != nil {
		t.Fatal(err)
	}
	tried := 0
	// walk replaces a value, and those in it. Panel is the title of the panel that it is in.
	var walk func(value any, panel string, set func(any))
	walk = func(value any, panel string, set func(any)) {
		for _, other := range []any{nil, true, 5.0, "x", []any{}, map[string]any{}, []any{5.0}, map[string]any{"a": 1.0}} {
			set(other)
			text, err := json.Marshal(model)
			if err != nil {
				t.Fatal(err)
			}
			tried++
			api.dashboard = string(text)
			after := of()
			for title, article := range before {
				if panel != "" && title != panel && !(panel == "Row" && title == "Four") && after[title] != article {
					t.Errorf("%s in %s changes the panel %s:\n%s", text, panel, title, after[title])
				}
			}
		}
		set(value)
		switch v := value.(type) {
		case map[string]any:
			if title, ok := v["title"].(string); ok && title != "D" {
				panel = title
			}
			for key := range v {
				walk(v[key], panel, func(other any) { v[key] = other })
			}
		case []any:
			for i := range v {
				walk(v[i], panel, func(other any) { v[i] = other })
			}
		}
	}
	for key, value := range model.(map[string]any) {
		walk(value, "", func(other any) { model.(map[string]any)[key] = other })
	}
	t.Logf("%d dashboards", tried)
}

// A new dashboard has a panel that can be drawn.
func TestNewDashboard(t *testing.T) {
	t.Parallel()
	for name, uid := range map[string]string{"X": "x", "": "grafana"} {
		page := load(t, &dashboardAPI{defaultName: name}, "/dashboards/new").Body.String()
		for _, want := range []string{`&#34;timeseries&#34;`, `&#34;datasource&#34;: {&#34;uid&#34;:&#34;` + uid + `&#34;}`} {
			if !strings.Contains(page, want) {
				t.Errorf("with the default data source %q, the page does not contain %s:\n%s", name, want, page)
			}
		}
	}
}

// A saved dashboard is shown, and only a stored one can be overwritten.
func TestSaveDashboard(t *testing.T) {
	t.Parallel()
	for path, isStored := range map[string]bool{"/dashboards/new": false, "/dashboards/d": true} {
		page := load(t, &dashboardAPI{panels: `[]`}, path).Body.String()
		if !strings.Contains(page, `data-next="/dashboards/{uid}/view"`) || strings.Contains(page, `name="overwrite"`) != isStored {
			t.Errorf("%s:\n%s", path, page)
		}
	}
}

// A stored dashboard is shown as JSON even if its title is not a string.
func TestDashboardWithoutTitle(t *testing.T) {
	t.Parallel()
	for _, dashboard := range []string{`{"title":5}`, `{"title":{}}`, `{}`} {
		w := load(t, &dashboardAPI{dashboard: dashboard}, "/dashboards/d")
		if page := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(page, "<h1>d <small>") || !strings.Contains(page, "data-fills=\"dashboard\">{") {
			t.Errorf("%s: %d\n%s", dashboard, w.Code, page)
		}
	}
}

// Special values are mapped, and the first mapping that matches counts.
func TestMappings(t *testing.T) {
	t.Parallel()
	for match, texts := range map[string][]string{"null": {""}, "empty": {""}, "nan": {"NaN"}, "null+nan": {"", "NaN"}, "true": {"true"}, "false": {"false"}, "other": nil} {
		var m mappings
		if err := json.Unmarshal([]byte(`[{"type":"special","options":{"match":"`+match+`","result":{"text":"found"}}},{"type":"special","options":{"match":"true","result":{"text":"later"}}}]`), &m); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"", "NaN", "true", "false", "x"} {
			if got := m.find(text, math.NaN()).Text == "found"; got != slices.Contains(texts, text) {
				t.Errorf("%s maps %q: %t", match, text, got)
			}
		}
	}
}

// A panel has many columns, and each of its values is compared with all mappings.
func TestMostMappings(t *testing.T) {
	t.Parallel()
	var c fieldConfig
	list := strings.Repeat(`{"type":"value","options":{}},`, mostMappings-1) + `{"type":"value","options":{"1":{"text":"last"}}},{"type":"value","options":{"2":{"text":"more"}}}`
	if err := json.Unmarshal([]byte(`{"mappings":[`+list+`]}`), &c); err != nil {
		t.Fatal(err)
	}
	var f frame
	f.Schema.Fields = make([]field, 2)
	f.complete(display{Defaults: c})
	for _, column := range f.Schema.Fields {
		if got := column.Config.Mappings; got != c.Mappings || got.find("1", 1).Text != "last" || got.find("2", 2).Text != "" {
			t.Errorf("a column has the mappings %v", got)
		}
	}
}

// The text of a mapping counts in the size of the page for each number that shows it.
func TestMappedNumbersFit(t *testing.T) {
	t.Parallel()
	of := func(part string) string { return strings.TrimSuffix(strings.Repeat(part+",", mostSeries), ",") }
	text := strings.Repeat("x", 2*maxPage/mostSeries)
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, map[string]string{
			"/api/user": `{"login":"a","role":"Viewer"}`,
			"/api/dashboards/uid/d": `{"dashboard":{"panels":[{"type":"stat","targets":[{"refId":"A","datasource":{"uid":"x"}}],
				"fieldConfig":{"defaults":{"mappings":[{"type":"value","options":{"1":{"text":"` + text + `"}}}]}}}]}}`,
			"/api/ds/query": `{"results":{"A":{"status":200,"frames":[{"schema":{"fields":[` + of(`{"name":"v","type":"number"}`) + `]},"data":{"values":[` + of(`[1]`) + `]}}]}}}`,
		}[r.URL.Path])
	})
	page := load(t, api, "/dashboards/d/view").Body.String()
	if len(page) > maxPage+1<<20 || strings.Count(page, text) == 0 || !strings.Contains(page, errNoRoom.Error()) {
		t.Errorf("the page has %d bytes and %d texts", len(page), strings.Count(page, text))
	}
}

// A row counts as its panels, also after the last panel that is drawn.
func TestOmittedPanels(t *testing.T) {
	t.Parallel()
	of := func(n int) string { return strings.TrimSuffix(strings.Repeat(`{"title":"One"},`, n), ",") }
	row := func(n int) string { return `,{"type":"row","panels":[` + of(n) + `]}` }
	page := load(t, &dashboardAPI{panels: `[` + of(mostPanels-2) + row(5) + row(0) + row(3) + `,7]`}, "/dashboards/d/view").Body.String()
	if n := strings.Count(page, "<article"); n != mostPanels || !strings.Contains(page, "Panels not shown: 7<") {
		t.Errorf("%d panels:\n%s", n, page)
	}
}

// fakePlaylist serves a playlist of the dashboard d and of one that a search does not find.
func fakePlaylist(interval, refresh string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := map[string]string{
			"/api/user":                   `{"login":"a","role":"Viewer"}`,
			"/api/search":                 `[{"id":1,"uid":"d","title":"D"}]`,
			"/api/playlists/p":            `{"uid":"p","name":"P","interval":"` + interval + `"}`,
			"/api/playlists/p/dashboards": `[{"id":1,"uid":"d","title":"D"},{"id":6000,"uid":"late","title":"Late"}]`,
			"/api/dashboards/uid/d":       `{"dashboard":{"title":"D","refresh":"` + refresh + `"}}`,
			"/api/dashboards/uid/late":    `{"dashboard":{"title":"Late"}}`,
		}[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, body)
	})
}

// A playlist shows dashboards that are beyond the first ones that a search finds.
func TestPlayedDashboards(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{"1": "<h1>D ", "2": "<h1>Late "} {
		if page := load(t, fakePlaylist("30s", ""), "/playlists/p/play?at="+at).Body.String(); !strings.Contains(page, want) || !strings.Contains(page, at+" of 2") {
			t.Errorf("at %s, the page does not contain %s:\n%s", at, want, page)
		}
	}
}

// A page opened from another site does not run queries by itself later.
func TestPlaylistFromElsewhere(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]bool{"same-origin": true, "cross-site": false} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/playlists/p/play", nil)
		r.Header.Set("Sec-Fetch-Site", site)
		w := httptest.NewRecorder()
		New(fakePlaylist("30s", "5s")).ServeHTTP(w, r)
		for _, attribute := range []string{"data-live", "data-every", "data-advance"} {
			if page := w.Body.String(); strings.Contains(page, attribute) != want {
				t.Errorf("%s: want %s in the page: %t\n%s", site, attribute, want, page)
			}
		}
	}
}

// Browser timers longer than 24 days fire immediately.
func TestLongIntervals(t *testing.T) {
	t.Parallel()
	for interval, want := range map[string][2]string{"1s": {"1", "5"}, "2m": {"120", "120"}, "24h": {"86400", "86400"}, "30d": {"86400", "86400"}, "4w": {"86400", "86400"}, "1M": {"86400", "86400"}, "2147483647M": {"86400", "86400"}} {
		page := load(t, fakePlaylist(interval, interval), "/playlists/p/play").Body.String()
		if !strings.Contains(page, `data-advance="`+want[0]+`"`) || !strings.Contains(page, `data-every="`+want[1]+`"`) {
			t.Errorf("%s: the page does not advance after %s seconds or is not refreshed after %s:\n%s", interval, want[0], want[1], page)
		}
	}
}

// A variable is replaced where its whole name stands, and nowhere else.
func TestVariableNames(t *testing.T) {
	t.Parallel()
	var d dashboardModel
	if err := json.Unmarshal([]byte(`{"templating":{"list":[{"name":"host","current":{"value":"a"}},{"name":"hosts","current":{"value":["a","b"]}},
		{"name":"time","current":{"value":"1h"}},{"name":"quote","current":{"value":"\"$host"}},{"name":"auto","current":{"value":"$__auto"}}]}}`), &d); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"$host ${host} [[host]]":        "a a a",
		"$host.x $host-y $$host/$host":  "a.x a-y $a/a",
		"$hosts ${hosts} [[hosts]]":     "$hosts ${hosts} [[hosts]]",
		"$hostname ${hostname} $host_a": "$hostname ${hostname} $host_a",
		"$timeFilter $__time $time":     "$timeFilter $__time 1h",
		"${host:csv} $auto $other":      "${host:csv} $auto $other",
		"$quote":                        `"$host`,
		"$":                             "$",
	} {
		m := panelModel{Targets: []map[string]json.RawMessage{{}}}
		m.Targets[0]["x"], _ = json.Marshal(query)
		if _, err := m.replaceVariables(d.variables(), maxQuery); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		var got string
		if err := json.Unmarshal(m.Targets[0]["x"], &got); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", query, got, err, want)
		}
	}
}
