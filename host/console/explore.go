package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk/hostapi"
)

const (
	firstRows   = 100      // of a table in a page; JavaScript loads the rest
	mostFrames  = 50       // of a result in a page
	mostColumns = 200      // of a table in a page
	longestCell = 1000     // characters
	maxRaw      = 64 << 10 // bytes of the JSON of a result in a page
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

// source is a data source that can be queried: one that is stored, or a plugin with its
// default settings.
type source struct {
	Key        string // "uid:" or "type:" with the value that a query contains
	Label      string // differs from that of other sources
	Path       string // of its routes in the API
	Plugin     string // its id
	IsSelected bool
}

// exploration is the page to query a data source, call its resources or check its health.
type exploration struct {
	Mode      string
	Sources   []sourceGroup
	Source    string // the key of the selected one
	Query     string // JSON
	OwnRange  bool   // the query has a time range of its own
	QueryType string // added to the query, unless it is ""
	From      string
	To        string
	Ranges    []timeRange
	Every     string // seconds between runs, "" for one run
	Invalid   string // why the query was not sent
	Took      time.Duration
	Results   []result
	Body      string // of the request
	Curl      string
}

// timeRange is a range until now that a page offers.
type timeRange struct {
	Name      string
	IsCurrent bool
}

// labeled is a number with the name of its field.
type labeled struct{ Name, Value string }

// result is the result of one query.
type result struct {
	RefID, Error, ErrorSource string
	Status                    int
	Frames                    []frameView
	Plot                      template.HTML
	Legend                    []string
	Omitted                   int       // frames beyond mostFrames
	Numbers                   []labeled // of a single row
	Raw                       string    // JSON
	IsRawCut                  bool
}

// frameView is a frame as a table.
type frameView struct {
	Name    string
	Number  int
	Columns []string
	Rows    [][]string // the first ones
	Total   int
	IsCut   bool // Rows are not all
	Notices []notice
}

// explore loads the page to query a data source. The query is in the URL, so that a link
// to the page repeats it.
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
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the query: %w", err)
	}
	e.Body, e.Curl = string(text), curl(c.r, "/api/ds/query", string(text))
	start := time.Now()
	asked := spanOf(e.From, e.To, start)
	asked.setRange(body)
	if e.OwnRange {
		asked = span{}
	}
	err = c.query(body, func(refID string, raw json.RawMessage) error {
		if e.Took == 0 {
			e.Took = time.Since(start).Round(time.Millisecond / 10)
		}
		view := result{RefID: refID}
		view.keepRaw(raw)
		err := view.read(raw, asked)
		e.Results = append(e.Results, view)
		return err
	})
	if problem, ok := errors.AsType[*apiError](err); ok && problem.Status != http.StatusUnauthorized {
		e.Invalid = problem.Message
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	return e, nil
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

// read decodes a result of POST /api/ds/query.
func (r *result) read(raw json.RawMessage, asked span) error {
	var decoded hostapi.QueryResult
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return fmt.Errorf("read the result %s: %w", r.RefID, err)
	}
	r.Status, r.Error, r.ErrorSource = decoded.Status, decoded.Error, decoded.ErrorSource
	return r.show(decoded.Frames, asked)
}

// keepRaw keeps the JSON of a result, or its start.
func (r *result) keepRaw(raw json.RawMessage) {
	r.IsRawCut = len(raw) > maxRaw
	r.Raw = strings.ToValidUTF8(string(raw[:min(len(raw), maxRaw)]), "")
	if !r.IsRawCut {
		var b bytes.Buffer
		_ = json.Indent(&b, raw, "", "  ") // raw is valid
		r.Raw = b.String()
	}
}

// sources returns the data sources that the caller may see, and the plugins that the mode can
// use without one.
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

// body returns the body of POST /api/ds/query.
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
	e.OwnRange = isSet("timeRange")
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

// show decodes frames into tables and a plot or numbers. asked is the span of the plot.
func (r *result) show(frames []json.RawMessage, asked span) error {
	var lines []series
	for i, raw := range frames[:min(len(frames), mostFrames)] {
		f, err := readFrame(raw)
		if err != nil {
			return fmt.Errorf("read frame %d: %w", i, err)
		}
		r.addTable(f, i)
		if len(r.Numbers)+len(lines) < mostSeries {
			lines = append(lines, f.series()...)
			r.Numbers = append(r.Numbers, f.numbers()...)
		}
	}
	r.Omitted = max(0, len(frames)-mostFrames)
	r.Numbers = r.Numbers[:min(len(r.Numbers), mostSeries)]
	if len(lines) == 0 {
		return nil
	}
	r.Plot = linePlot(r.RefID, lines, asked)
	for _, s := range lines[:min(len(lines), mostSeries)] {
		r.Legend = append(r.Legend, s.Name)
	}
	return nil
}

// addTable adds a frame as a table.
func (r *result) addTable(f frame, number int) {
	fields := f.Schema.Fields[:min(len(f.Schema.Fields), mostColumns)]
	view := frameView{Name: cmp.Or(f.Schema.Name, r.RefID), Number: number, Total: f.rows(), IsCut: f.rows() > firstRows, Notices: f.Schema.Meta.Notices}
	for _, field := range fields {
		view.Columns = append(view.Columns, field.title())
	}
	for row := range min(view.Total, firstRows) {
		cells := make([]string, len(fields))
		for i := range cells {
			cells[i] = cut(f.cell(i, row), longestCell)
		}
		view.Rows = append(view.Rows, cells)
	}
	r.Frames = append(r.Frames, view)
}

// curl returns the command that repeats a call of the API. The token is for the reader to
// fill in.
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

// streaming is the page that follows a channel.
type streaming struct {
	Sources []sourceGroup
	Source  string // the key of the selected one
	Path    string // of the channel within the plugin
	Channel string // "" until one is chosen
	IsIdle  bool   // another site linked here, so the stream waits for the button
	Curl    string
}

// streams loads the page that follows a channel, which is in the URL, so that a link to the
// page shows it again.
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
