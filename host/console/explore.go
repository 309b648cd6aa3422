package console

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/instant"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// The modes of the page.
const (
	modeQuery    = "query"
	modeResource = "resource"
	modeHealth   = "health"
)

// sourceGroup is a part of the list of what can be queried.
type sourceGroup struct {
	Title   string
	Sources []source
}

// source is a stored data source, or a plugin with its default settings, that can be queried.
type source struct {
	Key        string // "uid:" or "type:" with the value that a query contains
	Label      string // differs from that of other sources
	Path       string // of its routes in the API
	Plugin     string // its id
	IsSelected bool
}

type exploration struct {
	Mode      string
	Sources   []sourceGroup
	Source    string // the key of the selected one
	Query     string // JSON
	QueryType string // added to the query, unless it is ""
	From      string
	To        string
	Ranges    []timeRange
	Every     string // seconds between runs, "" for one run
	Invalid   string // why the query is not sent
	Body      string // of the request that the page sends
	Curl      string
}

// timeRange is a range until now that a page offers.
type timeRange struct {
	Name      string
	IsCurrent bool
}

// explore loads the page to query a data source. The query is in the URL, so that a link
// to the page repeats it. The page runs it and shows the results.
func explore(c *client) (any, error) {
	q := c.r.URL.Query()
	// "for" selects a data source without running a query.
	e := exploration{Mode: modeQuery, Source: cmp.Or(q.Get("source"), q.Get("for")), Query: cmp.Or(q.Get("query"), "{\n}"), QueryType: q.Get("type"),
		From: cmp.Or(q.Get("from"), "now-1h"), To: cmp.Or(q.Get("to"), "now"), Every: q.Get("every")}
	if mode := q.Get("mode"); mode == modeResource || mode == modeHealth {
		e.Mode = mode
	}
	ranges := []string{"5m", "15m", "1h", "6h", "24h", "7d", "30d"}
	if chosen := q.Get("range"); slices.Contains(ranges, chosen) {
		e.From, e.To = "now-"+chosen, "now"
	}
	for _, name := range ranges {
		e.Ranges = append(e.Ranges, timeRange{name, e.From == "now-"+name && e.To == "now"})
	}
	var err error
	if e.Sources, err = sources(c, e.Mode, e.Source); err != nil {
		return nil, err
	}
	if e.Mode != modeQuery {
		return e, nil
	}
	if !q.Has("source") || !isFromHere(c.r) {
		return e, nil
	}
	body, err := e.body()
	if err != nil {
		e.Invalid = err.Error()
		return e, nil
	}
	text, _ := json.Marshal(body) // which comes from JSON
	e.Curl = curl(c.r, "/api/ds/query", string(text))
	setRange(body, e.From, e.To, time.Now())
	text, _ = json.Marshal(body)
	e.Body = string(text)
	return e, nil
}

// setRange sets the time range of a body of POST /api/ds/query to milliseconds, which the plot
// spans. The API reports why one is invalid.
func setRange(body map[string]any, from, to string, now time.Time) {
	start, isStart := instant.Parse(from, now, false)
	end, isEnd := instant.Parse(to, now, true)
	if isStart && isEnd && !end.Before(start) {
		body["from"], body["to"] = start.UnixMilli(), end.UnixMilli()
	}
}

// isFromHere reports whether the request came from a page of this host or directly from the
// user, rather than from another origin. Others must not run queries. Browsers send Sec-Fetch-Site
// only over HTTPS and to loopback. Otherwise, a page of this host sends the Referer, and
// without one, the page may come from anywhere.
func isFromHere(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin" || site == "none"
	}
	from, err := url.Parse(cmp.Or(r.Header.Get("Origin"), r.Header.Get("Referer")))
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return err == nil && from.Scheme == scheme && from.Host == r.Host
}

// sources returns the data sources that the caller may see, and plugins that the mode uses without one.
func sources(c *client, mode, selected string) (all []sourceGroup, err error) {
	var stored []hostapi.DataSource
	err = c.get("/api/datasources", &stored)
	if problem, ok := errors.AsType[*apiError](err); ok && problem.Status == http.StatusForbidden {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(stored, func(d hostapi.DataSource) bool { return d.IsDefault }); i > 0 {
		stored = slices.Insert(slices.Delete(slices.Clone(stored), i, i+1), 0, stored[i])
	}
	var plugins []hostapi.Plugin
	if err := c.get("/api/plugins", &plugins); err != nil {
		return nil, err
	}
	named := map[string]int{}
	ofStored, ofPlugins := sourceGroup{Title: "Data sources"}, sourceGroup{Title: "Plugins, without a data source"}
	add := func(to *sourceGroup, key, name, path, plugin string) {
		named[name]++
		to.Sources = append(to.Sources, source{key, name, path, plugin, key == selected})
	}
	for _, d := range stored {
		add(&ofStored, "uid:"+d.UID, d.Name, "/api/datasources/uid/"+url.PathEscape(d.UID), d.Type)
	}
	if mode == modeQuery {
		add(&ofStored, "uid:grafana", "-- Grafana -- (randomWalk)", "", "grafana") // every host has it
	}
	for _, p := range plugins {
		if p.Backend != nil && !p.IsFailed() && (p.Type == "datasource" || mode != modeQuery) {
			add(&ofPlugins, "type:"+p.ID, p.Name, "/api/plugins/"+url.PathEscape(p.ID), p.ID)
		}
	}
	for i, s := range ofPlugins.Sources { // the names of data sources are unique
		if named[s.Label] > 1 {
			ofPlugins.Sources[i].Label += " (" + strings.TrimPrefix(s.Key, "type:") + ")"
		}
	}
	return slices.DeleteFunc([]sourceGroup{ofStored, ofPlugins}, func(g sourceGroup) bool { return len(g.Sources) == 0 }), nil
}

func (e *exploration) body() (map[string]any, error) {
	var query map[string]json.RawMessage // the numbers keep their digits
	if err := json.Unmarshal([]byte(e.Query), &query); err != nil {
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			line := 1 + strings.Count(e.Query[:min(int(at.Offset), len(e.Query))], "\n")
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		return nil, err
	}
	if query == nil {
		query = map[string]json.RawMessage{}
	}
	isSet := func(key string) bool { return len(query[key]) > 0 && string(query[key]) != "null" }
	set := func(key string, value any) { query[key], _ = json.Marshal(value) } // strings and maps of strings
	kind, value, _ := strings.Cut(e.Source, ":")
	set("datasource", map[string]string{kind: value})
	if !isSet("refId") {
		set("refId", "A")
	}
	if e.QueryType != "" {
		set("queryType", e.QueryType)
	}
	return map[string]any{"from": e.From, "to": e.To, "queries": []any{query}}, nil
}

// curl returns the command that repeats a call of the API, without the token.
func curl(r *http.Request, path, body string) string {
	return "curl -H 'Authorization: Bearer '\"$TOKEN\" -H 'Content-Type: application/json' \\\n  -d '" +
		strings.ReplaceAll(body, "'", `'\''`) + "' \\\n  " + quotedURL(r, path, "")
}

// quotedURL returns an address of this host as an argument for a shell.
func quotedURL(r *http.Request, path, query string) string {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	target := (&url.URL{Scheme: scheme, Host: r.Host, Path: path, RawQuery: query}).String()
	return "'" + strings.ReplaceAll(target, "'", "%27") + "'"
}

type streaming struct {
	Sources []sourceGroup
	Source  string // the key of the selected one
	Path    string // of the channel within the plugin
	Channel string // "" until one is chosen
	IsIdle  bool   // another site linked here, so the stream waits for the button
	Curl    string
}

// streams loads the page that follows the channel in its URL.
func streams(c *client) (any, error) {
	q := c.r.URL.Query()
	s := streaming{Source: q.Get("source"), Path: strings.Trim(q.Get("path"), "/"), IsIdle: !isFromHere(c.r)}
	var err error
	if s.Sources, err = sources(c, modeResource, s.Source); err != nil {
		return nil, err
	}
	kind, id, _ := strings.Cut(s.Source, ":")
	scope, ok := map[string]string{"uid": "ds", "type": "plugin"}[kind]
	if ok && id != "" && s.Path != "" {
		s.Channel = scope + "/" + id + "/" + s.Path
		s.Curl = "curl --no-buffer -H 'Authorization: Bearer '\"$TOKEN\" \\\n  " + quotedURL(c.r, "/api/live/events", url.Values{"channel": {s.Channel}}.Encode())
	}
	return s, nil
}
