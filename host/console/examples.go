package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// Limits of the examples in a page.
const (
	mostRead       = 20      // dashboards
	maxRead        = 4 << 20 // bytes of them, and of their queries with the values of the variables
	mostExamples   = 20
	maxExample     = 4 << 10 // bytes of a query
	exampleLetters = 120     // of a query in the list, and of where it is from
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
	known    map[string]bool   // queries in all
	plugins  map[string]string // ids, by the names and uids of data sources
	selected source
	from, to string
	left     int // of maxRead
}

// examples returns queries from dashboards for a data source, as far as the API returns them.
func (e *exploration) examples(c *client, selected source) []example {
	list := examples{known: map[string]bool{}, plugins: map[string]string{}, selected: selected, from: e.From, to: e.To, left: maxRead}
	for _, group := range e.Sources {
		for _, s := range group.Sources {
			if _, isKnown := list.plugins[s.Label]; !isKnown {
				list.plugins[s.Label] = s.Plugin
			}
			if uid, ok := strings.CutPrefix(s.Key, "uid:"); ok {
				list.plugins[uid] = s.Plugin
			}
		}
	}
	var hits []hit
	_ = c.get(fmt.Sprintf("/api/search?type=dash-db&limit=%d", mostRead), &hits)
	for _, h := range hits {
		var stored storedDashboard
		if !list.isFull() && c.get("/api/dashboards/uid/"+url.PathEscape(h.UID), &stored) == nil {
			list.add(stored.Dashboard, "")
		}
	}
	if list.isFull() || selected.Path == "" { // the host's own data source has no plugin
		return list.all
	}
	plugin := url.PathEscape(selected.Plugin)
	var offered []struct{ Path, Error string }
	_ = c.get(fmt.Sprintf("/api/plugins/%s/dashboards?limit=%d", plugin, mostRead), &offered)
	for _, o := range offered {
		var model json.RawMessage
		if o.Error == "" && !list.isFull() && c.get("/public/plugins/"+plugin+"/"+(&url.URL{Path: o.Path}).EscapedPath(), &model) == nil {
			list.add(model, selected.Plugin)
		}
	}
	return list.all
}

// isFull reports whether no more dashboards are read.
func (e *examples) isFull() bool { return len(e.all) == mostExamples || e.left <= 0 }

// add adds the queries of a dashboard. The data sources that exist only once the dashboard is
// imported are of the plugin that offers it.
func (e *examples) add(raw json.RawMessage, offeredBy string) {
	var model dashboardModel
	if e.left -= len(raw); e.left <= 0 {
		return
	}
	if _, err := decode(raw, &model); err != nil {
		return
	}
	values := model.variables()
	panels, _ := flatten(model)
	for _, panel := range panels {
		var err error
		if e.left, err = panel.replaceVariables(values, e.left); err != nil {
			continue
		}
		for _, target := range panel.Targets[:min(len(panel.Targets), mostExamples)] {
			ref := target["datasource"]
			if name := nameOf(ref); name == noSource || name == mixed {
				ref = panel.DataSource
			}
			if len(e.all) == mostExamples {
				return
			}
			for _, key := range []string{"datasource", "datasourceId", "refId", "hide"} {
				delete(target, key)
			}
			if len(target) == 0 || e.pluginOf(ref, offeredBy) != e.selected.Plugin {
				continue
			}
			text, err := json.MarshalIndent(target, "", "  ")
			if err != nil || len(text) > maxExample || e.known[string(text)] {
				continue
			}
			e.known[string(text)] = true
			var line bytes.Buffer
			_ = json.Compact(&line, text) // it is valid
			link := url.Values{"source": {e.selected.Key}, "query": {string(text)}, "from": {e.from}, "to": {e.to}}
			where := strings.Trim(model.Title+" › "+panel.Title, " ›")
			e.all = append(e.all, example{cut(line.String(), exampleLetters), cut(where, exampleLetters), "/explore?" + link.Encode()})
		}
	}
}

// pluginOf returns the id of the plugin of a data source that a dashboard refers to, or "".
func (e *examples) pluginOf(ref json.RawMessage, offeredBy string) string {
	name := nameOf(ref)
	if plugin, ok := e.plugins[name]; ok {
		return plugin
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
