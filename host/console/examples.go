package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Limits of the examples in a page.
const (
	mostRead       = 20 // dashboards
	mostExamples   = 20
	maxExample     = 4 << 10 // bytes of a query
	exampleLetters = 120     // of a query in the list
)

// example is a query of a dashboard.
type example struct {
	Text  string // JSON, or its start
	Where string // the dashboard and the panel
	Link  string // to the page with its results
}

// examples collects queries for a data source: those for its plugin in stored dashboards and in
// the ones that the plugin offers.
type examples struct {
	all      []example
	known    map[string]bool // queries in all
	sources  []source        // all
	selected source
	from, to string
}

// examples returns queries from dashboards for a data source, as far as the API returns them.
func (e *exploration) examples(c *client, selected source) []example {
	list := examples{known: map[string]bool{}, selected: selected, from: e.From, to: e.To}
	for _, group := range e.Sources {
		list.sources = append(list.sources, group.Sources...)
	}
	var hits []hit
	_ = c.get(fmt.Sprintf("/api/search?type=dash-db&limit=%d", mostRead), &hits)
	for _, h := range hits {
		var stored storedDashboard
		if c.get("/api/dashboards/uid/"+url.PathEscape(h.UID), &stored) == nil {
			list.add(stored.Dashboard, "")
		}
	}
	plugin := url.PathEscape(selected.Plugin)
	var offered []struct{ Path string }
	_ = c.get(fmt.Sprintf("/api/plugins/%s/dashboards?limit=%d", plugin, mostRead), &offered)
	for _, o := range offered {
		var model json.RawMessage
		if c.get("/public/plugins/"+plugin+"/"+(&url.URL{Path: o.Path}).EscapedPath(), &model) == nil {
			list.add(model, selected.Plugin)
		}
	}
	return list.all
}

// add adds the queries of a dashboard. The data sources that exist only once the dashboard is
// imported are of the plugin that offers it.
func (e *examples) add(raw json.RawMessage, offeredBy string) {
	var model dashboardModel
	if _, err := decode(raw, &model); err != nil {
		return
	}
	replace := model.replacer()
	list := flatten(model)
	for _, panel := range list[:min(len(list), mostPanels)] {
		if len(e.all) == mostExamples || panel.replaceVariables(replace) != nil {
			continue
		}
		for _, target := range panel.Targets {
			ref := target["datasource"]
			if name := nameOf(ref); name == noSource || name == mixed {
				ref = panel.DataSource
			}
			if len(e.all) == mostExamples || e.pluginOf(ref, offeredBy) != e.selected.Plugin {
				continue
			}
			for _, key := range []string{"datasource", "datasourceId", "refId", "hide"} {
				delete(target, key)
			}
			text, err := json.MarshalIndent(target, "", "  ")
			if err != nil || len(target) == 0 || len(text) > maxExample || e.known[string(text)] {
				continue
			}
			e.known[string(text)] = true
			var line bytes.Buffer
			_ = json.Compact(&line, text) // it is valid
			link := url.Values{"source": {e.selected.Key}, "query": {string(text)}, "from": {e.from}, "to": {e.to}}
			e.all = append(e.all, example{cut(line.String(), exampleLetters), strings.Trim(model.Title+" › "+panel.Title, " ›"), "/explore?" + link.Encode()})
		}
	}
}

// pluginOf returns the id of the plugin of a data source that a dashboard refers to, or "".
func (e *examples) pluginOf(ref json.RawMessage, offeredBy string) string {
	name := nameOf(ref)
	if at := slices.IndexFunc(e.sources, func(s source) bool { return s.Key == "uid:"+name || s.Label == name }); at >= 0 {
		return e.sources[at].Plugin
	}
	var typed struct{ Type string }
	if json.Unmarshal(ref, &typed) == nil && typed.Type != "" {
		return typed.Type
	}
	if strings.HasPrefix(name, "$") || name == noSource {
		return offeredBy
	}
	return ""
}
