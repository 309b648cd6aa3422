package console

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of a page that draws a dashboard.
const (
	mostPanels   = 24
	mostQueries  = 4       // at the same time
	maxQuery     = 1 << 20 // bytes of the queries of a panel; the API accepts no more
	panelTimeout = 20 * time.Second
)

// panels is a dashboard drawn with live data.
type panels struct {
	UID, Title string
	From, To   string
	Every      int // seconds between refreshes
	Panels     []panel
	Omitted    int    // panels beyond mostPanels
	IsIdle     bool   // another site linked here, so nothing was queried
	Wrong      string // the first field of the dashboard, outside of its panels, that has another JSON type

	Playlist   *playlistInfo // nil outside of a playlist
	At, Count  int           // position in the playlist, from 1
	Prev, Next string        // pages
	Advance    int           // seconds until Next
}

// panel is a panel with the results of its queries.
type panel struct {
	Title, Type, Text string
	Wrong             string // the first field that has another JSON type
	Note              string // the key of a string about what is shown, with the type of the panel
	Results           []result
	Error             string
	NoQueries         bool
}

// panelModel is a panel in the JSON of a dashboard.
type panelModel struct {
	Title       string                       `json:"title"`
	Type        string                       `json:"type"`
	DataSource  json.RawMessage              `json:"datasource"`
	Targets     []map[string]json.RawMessage `json:"targets"`
	Panels      []json.RawMessage            `json:"panels"` // of a collapsed row
	Content     string                       `json:"content"`
	FieldConfig struct {
		Defaults  fieldConfig `json:"defaults"`
		Overrides []struct {
			Matcher struct {
				ID      string `json:"id"`
				Options any    `json:"options"`
			} `json:"matcher"`
			Properties []struct {
				ID    string          `json:"id"`
				Value json.RawMessage `json:"value"`
			} `json:"properties"`
		} `json:"overrides"`
	} `json:"fieldConfig"`

	options panelOptions
	wrong   string // the first field that has another JSON type
}

// panelOptions are the options of a panel that a page uses.
type panelOptions struct {
	Content       string `json:"content"`
	ReduceOptions struct {
		Calcs []string `json:"calcs"`
	} `json:"reduceOptions"`
}

// kindOf returns what panels of a type show, and whether this page knows the type.
func kindOf(panelType string) (kind string, isKnown bool) {
	switch panelType {
	case "table", "table-old", "logs":
		return kindTable, true
	case "stat", "gauge", "bargauge", "singlestat":
		return kindNumber, true
	case "timeseries", "graph", "barchart", "text", "":
		return "", true
	}
	return "", false
}

// display returns how a panel shows its results, and whether that is what its type stands for.
func (m *panelModel) display() (as display, isExact bool) {
	as = display{Defaults: m.FieldConfig.Defaults, ByName: map[string]fieldConfig{}}
	for _, override := range m.FieldConfig.Overrides {
		name, isText := override.Matcher.Options.(string)
		if !isText || override.Matcher.ID != "byName" {
			continue
		}
		c := as.ByName[name]
		for _, p := range override.Properties {
			if len(p.Value) == 0 {
				continue
			}
			property, _ := json.Marshal(map[string]json.RawMessage{p.ID: p.Value}) // a fieldConfig has the same names; the value is valid
			wrong, _ := decode(property, &c)
			m.wrong = cmp.Or(m.wrong, wrong)
		}
		as.ByName[name] = c
	}
	if calcs := m.options.ReduceOptions.Calcs; len(calcs) > 0 {
		as.Calculation = calcs[0]
	}
	as.Kind, isExact = kindOf(m.Type)
	return as, isExact
}

// dashboardModel is the part of the JSON of a dashboard that a page draws.
type dashboardModel struct {
	Title   string `json:"title"`
	Refresh any    `json:"refresh"`
	Time    struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"time"`
	Panels []json.RawMessage `json:"panels"`
	Rows   []struct {
		Panels []json.RawMessage `json:"panels"`
	} `json:"rows"` // of old dashboards
	Templating struct {
		List []variable `json:"list"`
	} `json:"templating"`
}

// variable is a variable of a dashboard.
type variable struct {
	Name    string `json:"name"`
	Current struct {
		Value any `json:"value"`
	} `json:"current"`
}

// decode decodes JSON that the API has accepted as a dashboard. A field of another type than a
// page expects is left out, and the first such field is reported: the rest can be drawn.
func decode(raw json.RawMessage, into any) (wrong string, err error) {
	err = json.Unmarshal(raw, into)
	mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return "", err
	}
	kinds := map[string]string{"bool": "a boolean", "string": "a string", "number": "a number", "array": "an array", "slice": "an array", "float64": "a smaller number"}
	got, _, _ := strings.Cut(mismatch.Value, " ") // without the digits of a number
	return fmt.Sprintf("%s is %s; it must be %s", cmp.Or(mismatch.Field, "the panel"), cmp.Or(kinds[got], "an object"), cmp.Or(kinds[mismatch.Type.Kind().String()], "an object")), nil
}

// viewDashboard loads a dashboard with live data.
func viewDashboard(c *client) (any, error) { return draw(c, c.r.PathValue("uid")) }

// play loads the dashboard of a playlist that the query parameter at selects, from 1.
func play(c *client) (any, error) {
	uid := url.PathEscape(c.r.PathValue("uid"))
	var list playlistInfo
	if err := c.get("/api/playlists/"+uid, &list); err != nil {
		return nil, err
	}
	var order []struct{ UID string }
	if err := c.get("/api/playlists/"+uid+"/dashboards", &order); err != nil {
		return nil, err
	}
	if len(order) == 0 {
		return panels{Title: list.Name, Playlist: &list}, nil
	}
	at, _ := strconv.Atoi(c.r.URL.Query().Get("at")) // 0 if it is invalid
	at = min(max(at, 1), len(order))
	p, err := draw(c, order[at-1].UID)
	if err != nil {
		return nil, err
	}
	page := func(n int) string {
		return "/playlists/" + uid + "/play?at=" + strconv.Itoa((n-1+len(order))%len(order)+1)
	}
	p.Playlist, p.At, p.Count, p.Prev, p.Next = &list, at, len(order), page(at-1), page(at+1)
	p.Advance = max(1, int(seconds(list.Interval)))
	return p, nil
}

// seconds returns the length of an interval such as 30s or 5m, at most a day, or 0 if it is
// invalid. Browser timers longer than 24 days fire immediately.
func seconds(interval string) int64 {
	if interval == "" {
		return 0
	}
	units := map[string]int64{"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "M": 30 * 86400}
	n, err := strconv.ParseInt(interval[:len(interval)-1], 10, 32)
	if err != nil {
		return 0
	}
	return min(n*units[interval[len(interval)-1:]], units["d"])
}

const (
	leastRefresh   = 5  // seconds
	defaultRefresh = 30 // seconds
)

// draw queries all panels of a dashboard.
func draw(c *client, uid string) (panels, error) {
	var stored storedDashboard
	if err := c.get("/api/dashboards/uid/"+url.PathEscape(uid), &stored); err != nil {
		return panels{}, err
	}
	var model dashboardModel
	wrong, err := decode(stored.Dashboard, &model)
	if err != nil {
		return panels{}, &apiError{http.StatusUnprocessableEntity, "the dashboard cannot be drawn: " + err.Error()}
	}
	p := panels{UID: uid, Wrong: wrong, Title: model.Title, From: cmp.Or(model.Time.From, "now-6h"), To: cmp.Or(model.Time.To, "now"), Every: defaultRefresh}
	if refresh, ok := model.Refresh.(string); ok {
		if every := int(seconds(refresh)); every > 0 {
			p.Every = max(every, leastRefresh)
		}
	}
	models, omitted := flatten(model)
	p.Omitted = omitted
	p.Panels = make([]panel, len(models))
	if p.IsIdle = !isFromHere(c.r); p.IsIdle {
		for i, m := range models {
			p.Panels[i] = panel{Title: m.Title, Type: m.Type}
		}
		return p, nil
	}
	values := model.variables()
	defaultSource := sync.OnceValues(func() (json.RawMessage, error) { return defaultSource(c) })
	asked := spanOf(p.From, p.To, time.Now())
	left := newRoom()
	turns := make(chan struct{}, mostQueries)
	var running sync.WaitGroup
	for i, m := range models {
		running.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			// Nothing else recovers in this goroutine: a panic would end the host.
			defer func() {
				if value := recover(); value != nil {
					p.Panels[i] = panel{Title: m.Title, Type: m.Type, Error: fmt.Sprint("the panel cannot be drawn: ", value)}
				}
			}()
			p.Panels[i] = m.draw(c, p.From, p.To, asked, values, defaultSource, left)
		})
	}
	running.Wait()
	return p, nil
}

// flatten returns the first panels of a dashboard, including those in rows, and the number of
// the others.
func flatten(d dashboardModel) (first []panelModel, omitted int) {
	add := func(raw json.RawMessage) {
		if len(first) == mostPanels {
			omitted++
			return
		}
		first = append(first, decodePanel(raw))
	}
	list := d.Panels
	for _, row := range d.Rows {
		list = append(list, row.Panels...)
	}
	for _, raw := range list {
		var row struct {
			Type   string            `json:"type"`
			Panels []json.RawMessage `json:"panels"`
		}
		err := json.Unmarshal(raw, &row)
		if row.Type != "row" {
			add(raw)
			continue
		}
		for _, p := range row.Panels {
			add(p)
		}
		if err != nil {
			add(raw) // it says what is wrong
		}
	}
	return first, omitted
}

func decodePanel(raw json.RawMessage) (p panelModel) {
	var err error
	if p.wrong, err = decode(raw, &p); err != nil {
		p.wrong = err.Error()
	}
	var more struct {
		Options panelOptions `json:"options"`
	}
	wrong, _ := decode(raw, &more)
	p.options = more.Options
	if _, isKnown := kindOf(p.Type); isKnown { // the options of other types have other fields
		p.wrong = cmp.Or(p.wrong, wrong)
	}
	return p
}

// variableName matches the name of a variable where it is used.
var variableName = regexp.MustCompile(`\$\w+|\$\{\w+\}|\[\[\w+\]\]`)

// variables returns the current values of the variables of a dashboard as they are written within
// a JSON string. Variables with several values, and those that refer to variables of the host such
// as $__interval, are left out.
func (d dashboardModel) variables() map[string][]byte {
	all := map[string][]byte{}
	for _, v := range d.Templating.List {
		value, ok := v.Current.Value.(string)
		if !ok || strings.HasPrefix(value, "$__") {
			continue
		}
		quoted, _ := json.Marshal(value)
		all[v.Name] = quoted[1 : len(quoted)-1]
	}
	return all
}

// draw runs the queries of a panel.
func (m panelModel) draw(c *client, from, to string, asked span, values map[string][]byte, defaultSource func() (json.RawMessage, error), left *room) panel {
	p := panel{Title: m.Title, Type: m.Type, Wrong: m.wrong, Text: cmp.Or(m.options.Content, m.Content)}
	if m.Type == "text" {
		m.Targets = nil // left over from another type
	}
	_, err := m.replaceVariables(values, maxQuery)
	if err != nil {
		p.Error = err.Error()
		return p
	}
	queries, hasOwnRange := []map[string]json.RawMessage{}, false
	for i, target := range m.Targets {
		if target == nil || string(target["hide"]) == "true" {
			continue
		}
		if target["datasource"], err = m.sourceOf(target, defaultSource); err != nil {
			p.Error = err.Error()
			return p
		}
		if nameOf(target["datasource"]) == otherPanel {
			p.Note = "play.other-panel"
			continue
		}
		if len(target["refId"]) == 0 {
			target["refId"], _ = json.Marshal("Q" + strconv.Itoa(i+1))
		}
		hasOwnRange = hasOwnRange || !slices.Contains([]string{"", "null"}, string(target["timeRange"]))
		queries = append(queries, target)
	}
	if p.NoQueries = len(queries) == 0; p.NoQueries {
		return p
	}
	as, isExact := m.display()
	p.Wrong = m.wrong
	if !isExact {
		p.Note = "play.other-type"
	}
	if !hasOwnRange {
		as.Asked = asked
	}
	body := map[string]any{"from": from, "to": to, "queries": queries}
	asked.setRange(body)
	ctx, cancel := context.WithTimeout(c.r.Context(), panelTimeout)
	defer cancel()
	bounded := &client{api: c.api, r: c.r.WithContext(ctx), who: c.who, decoding: c.decoding}
	err = bounded.query(body, func(refID string, raw json.RawMessage) error {
		r := result{RefID: refID}
		err := r.read(raw, as, left)
		p.Results = append(p.Results, r)
		return err
	})
	if err != nil {
		p.Error, p.Results = err.Error(), nil
	}
	return p
}

// replaceVariables replaces the variables in the queries. It returns how many of the bytes that
// the queries may have are left. A dashboard can repeat a long variable so often that its queries
// do not fit in memory.
func (m *panelModel) replaceVariables(values map[string][]byte, room int) (left int, err error) {
	used := struct {
		DataSource json.RawMessage
		Targets    []map[string]json.RawMessage
	}{m.DataSource, m.Targets}
	text, err := json.Marshal(used)
	if err != nil {
		return room, err
	}
	room -= len(text)
	text = variableName.ReplaceAllFunc(text, func(match []byte) []byte {
		value, isKnown := values[string(bytes.Trim(match, "${}[]"))]
		if !isKnown || room < 0 {
			return match
		}
		room -= len(value) - len(match)
		return value
	})
	if room < 0 {
		return 0, fmt.Errorf("the queries are larger than %d MiB with the values of the variables", maxQuery>>20)
	}
	if err := json.Unmarshal(text, &used); err != nil {
		return room, err
	}
	m.DataSource, m.Targets = used.DataSource, used.Targets
	return room, nil
}

// The names of data sources that exist only in dashboards.
const (
	noSource   = "default"         // the default one
	mixed      = "-- Mixed --"     // of a panel: each query has its own
	otherPanel = "-- Dashboard --" // the results of another panel
)

// nameOf returns the uid or name in a reference to a data source, noSource for a reference
// that is empty, or "" for one with another field.
func nameOf(ref json.RawMessage) (name string) {
	if len(ref) == 0 || string(ref) == "null" {
		return noSource
	}
	var fields map[string]any
	if json.Unmarshal(ref, &fields) == nil {
		name, _ = fields["uid"].(string)
		if name == "" && fields["type"] == nil && fields["id"] == nil {
			return noSource
		}
		return name
	}
	_ = json.Unmarshal(ref, &name) // the API refuses others
	return name
}

// sourceOf returns the reference of a query to a data source: its own, that of the panel, or
// the default one.
func (m panelModel) sourceOf(target map[string]json.RawMessage, defaultSource func() (json.RawMessage, error)) (json.RawMessage, error) {
	own := target["datasource"]
	if _, hasID := target["datasourceId"]; hasID {
		return own, nil
	}
	for _, ref := range []json.RawMessage{own, m.DataSource} {
		if name := nameOf(ref); name != noSource && name != mixed {
			return ref, nil
		}
	}
	return defaultSource()
}

// defaultSource returns a reference to the default data source.
func defaultSource(c *client) (json.RawMessage, error) {
	var settings struct {
		DefaultDatasource string
		Datasources       map[string]struct{ UID string }
	}
	if err := c.get("/api/frontend/settings", &settings); err != nil {
		return nil, err
	}
	uid := settings.Datasources[settings.DefaultDatasource].UID
	if uid == "" {
		return nil, errors.New("the panel has no data source, and no data source that you may query is the default; choose one in the panel, or make one the default")
	}
	return json.Marshal(map[string]string{"uid": uid})
}
