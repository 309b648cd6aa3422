package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	firstRows = 100      // of a table in a page; JavaScript loads the rest
	maxRaw    = 64 << 10 // bytes of the JSON of a result in a page
)

// The modes of the page.
const (
	modeQuery    = "query"
	modeResource = "resource"
	modeHealth   = "health"
)

// sourceGroup is a part of the list of what can be queried.
type sourceGroup struct {
	Title   string // the key of its heading
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
	Examples  []example
}

// timeRange is a range until now that a page offers.
type timeRange struct {
	Name      string
	IsCurrent bool
}

// labeled is a number with the name of its field.
type labeled struct {
	Name, Value string
	Color       swatch
	Note        string // the threshold that applies, or ""
}

// result is the result of one query.
type result struct {
	RefID, Error, ErrorSource string
	Status                    int
	Frames                    []frameView
	Plot                      template.HTML
	Legend                    []string
	Numbers                   []labeled // of a single row
	Raw                       string    // JSON
	IsRawCut                  bool
}

// frameView is a frame as a table.
type frameView struct {
	Name    string
	Number  int
	Columns []column
	Rows    [][]cell // the first ones
	Total   int
	IsCut   bool // Rows are not all
	Notices []notice
}

// column is a column of a table. Format is the JSON of its numberFormat, or "".
type column struct{ Title, Format string }

// cell is a cell of a table. Value is the value if Text has a unit or is mapped.
type cell struct {
	Text, Value string
	Color       swatch
}

// display is how a panel shows results. The zero value shows what fits them best.
type display struct {
	Asked       span        // the times on the horizontal axis of a plot
	Kind        string      // kindTable, kindNumber or ""
	Calculation string      // of a number
	Defaults    fieldConfig // of columns that have none
	ByName      map[string]fieldConfig
}

// fieldConfig is the part of the configuration of columns that a page uses.
type fieldConfig struct {
	DisplayName string      `json:"displayName"`
	Unit        string      `json:"unit"`
	Decimals    *float64    `json:"decimals"`
	Mappings    *mappings   `json:"mappings"`
	Thresholds  *thresholds `json:"thresholds"`
}

const (
	kindTable  = "table"
	kindNumber = "number"
)

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
	if e.Every == "" { // or it is loaded too often
		e.Examples = e.examples(c, selectedOf(e.Sources))
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
	left := newRoom()
	start := time.Now()
	asked, as := spanOf(e.From, e.To, start), display{}
	asked.setRange(body)
	if !e.OwnRange {
		as.Asked = asked
	}
	err = c.query(body, func(refID string, raw json.RawMessage) error {
		if e.Took == 0 {
			e.Took = time.Since(start).Round(time.Millisecond / 10)
		}
		view := result{RefID: refID}
		view.keepRaw(raw)
		err := view.read(raw, as, left)
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
func (r *result) read(raw json.RawMessage, as display, left *room) error {
	var decoded struct {
		Status             int
		Error, ErrorSource string
		Frames             []json.RawMessage
	}
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return fmt.Errorf("read the result %s: %w", r.RefID, err)
	}
	r.Status, r.Error, r.ErrorSource = decoded.Status, decoded.Error, decoded.ErrorSource
	return r.show(decoded.Frames, as, left)
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
	var stored []dataSource
	err = c.get("/api/datasources", &stored)
	if problem, ok := errors.AsType[*apiError](err); ok && problem.Status == http.StatusForbidden {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(stored, func(d dataSource) bool { return d.IsDefault }); i > 0 {
		stored = slices.Insert(slices.Delete(slices.Clone(stored), i, i+1), 0, stored[i])
	}
	var plugins []pluginInfo
	if err := c.get("/api/plugins", &plugins); err != nil {
		return nil, err
	}
	named := map[string]int{}
	ofStored, ofPlugins := sourceGroup{Title: "explore.sources.stored"}, sourceGroup{Title: "explore.sources.plugins"}
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

// selectedOf returns the selected data source, or the first one, as a browser shows it.
func selectedOf(groups []sourceGroup) (first source) {
	for _, group := range groups {
		for _, s := range group.Sources {
			if s.IsSelected {
				return s
			}
			if first.Key == "" {
				first = s
			}
		}
	}
	return first
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

// show decodes frames into tables and a plot or numbers, as far as there is room for them.
func (r *result) show(frames []json.RawMessage, as display, left *room) error {
	var lines []series
	var bars []bar
	isFull := false
	for i, raw := range frames {
		f, err := readFrame(raw)
		if err != nil {
			return fmt.Errorf("read frame %d: %w", i, err)
		}
		f.complete(as)
		if isFull = !r.addTable(f, i, as, left); isFull {
			break
		}
		switch {
		case as.Kind == kindTable:
		case len(r.Numbers)+len(lines)+len(bars) >= mostSeries:
		case as.Kind == kindNumber:
			r.Numbers = append(r.Numbers, f.reduced(as.Calculation)...)
		default:
			lines, bars = append(lines, f.series()...), append(bars, f.bars()...)
			r.Numbers = append(r.Numbers, f.numbers()...)
		}
	}
	r.Numbers = r.Numbers[:min(len(r.Numbers), mostSeries)]
	for i, n := range r.Numbers {
		if !left.take(n.Name, n.Value) {
			r.Numbers, isFull = r.Numbers[:i], true
			break
		}
	}
	switch {
	case len(lines) > 0:
		r.Plot = linePlot(r.RefID, lines, as.Asked)
		for _, s := range lines[:min(len(lines), mostSeries)] {
			r.Legend = append(r.Legend, s.Name)
		}
	case len(bars) > 0:
		r.Plot = barPlot(r.RefID, bars[:min(len(bars), mostBars)])
	}
	if !left.take(append(r.Legend, string(r.Plot))...) {
		r.Plot, r.Legend, isFull = "", nil, true
	}
	if isFull {
		r.Error = strings.TrimPrefix(r.Error+"; "+errNoRoom.Error(), "; ")
	}
	return nil
}

// addTable adds a frame as a table. It reports whether there was room for the head.
func (r *result) addTable(f frame, number int, as display, left *room) bool {
	view := frameView{Name: cmp.Or(f.Schema.Name, r.RefID), Number: number, Total: f.rows(), IsCut: f.rows() > firstRows, Notices: f.Schema.Meta.Notices}
	hasRoom := left.take(view.Name)
	for _, notice := range view.Notices {
		hasRoom = hasRoom && left.take(notice.Text)
	}
	formats, mapped := make([]numberFormat, len(f.Schema.Fields)), make([]*mappings, len(f.Schema.Fields))
	for i, field := range f.Schema.Fields {
		head := column{Title: field.title()}
		if field.Type == "number" {
			formats[i] = field.format()
		}
		if as.Kind == kindTable && field.Type != "time" { // ranges of numbers would contain all times
			mapped[i] = field.Config.Mappings
		}
		if !formats[i].isPlain() {
			head.Format = formats[i].JSON()
		}
		hasRoom = hasRoom && left.take(head.Title, head.Format)
		view.Columns = append(view.Columns, head)
	}
	if !hasRoom {
		return false
	}
	for row := range min(view.Total, firstRows) {
		cells := make([]cell, len(view.Columns))
		for i := range cells {
			cells[i].Text = f.cell(i, row)
			v, isNumber := f.number(i, row)
			if !isNumber {
				v = math.NaN()
			}
			to := mapped[i].find(cells[i].Text, v)
			if to.Text != "" || isNumber && !formats[i].isPlain() {
				cells[i] = cell{Text: cmp.Or(to.Text, formats[i].text(v)), Value: cells[i].Text}
			}
			cells[i].Color = to.Color
			hasRoom = hasRoom && left.take(cells[i].Text, cells[i].Value, string(to.Color))
		}
		if !hasRoom {
			view.IsCut = true
			break
		}
		view.Rows = append(view.Rows, cells)
	}
	r.Frames = append(r.Frames, view)
	return true
}

const (
	maxPage  = 32 << 20 // bytes of the results in a page, by an estimate
	cellSize = 32       // bytes of the elements around a string
)

var errNoRoom = errors.New("the results are too large for a page; ask for fewer columns or queries")

// room bounds the size of a page: results can have any number of frames, columns and bytes
// in a cell. It is safe for concurrent use.
type room struct{ bytes atomic.Int64 }

func newRoom() *room {
	r := &room{}
	r.bytes.Store(maxPage)
	return r
}

// take reports whether there is room for more strings.
func (r *room) take(texts ...string) bool {
	size := int64(0)
	for _, text := range texts {
		size += int64(len(text)) + cellSize
	}
	if r.bytes.Add(-size) < 0 {
		r.bytes.Add(size) // smaller ones may still fit
		return false
	}
	return true
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
