package console

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// dashboardAPI serves one dashboard, and answers each query with a time series.
type dashboardAPI struct {
	panels      string // JSON
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
		"unknown":    {`"type":"heatmap"`, []string{plot, note, "cannot draw panels of type heatmap"}, []string{table}},
		"odd values": {`"type":"timeseries","options":[],"fieldConfig":{"defaults":{"unit":3,"decimals":"auto"}}`, []string{plot}, []string{note}},
		"text":       {`"type":"text","options":{"content":"<b>x"}`, []string{`&lt;b&gt;x`}, []string{plot, table, note}},
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
