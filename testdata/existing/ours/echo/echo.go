// Package echo responds to every call of our SDK with the contents of the call, so that
// tests see whether anything was lost. Its counterpart for Grafana's SDK,
// testdata/existing/internal/echo, responds to the same calls with the same JSON.
package echo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk"
)

// patience is how long the plugin waits for the host to request the next piece.
const patience = 10 * time.Second

type settings struct {
	JSON       json.RawMessage   `json:"json,omitempty"`
	Secrets    map[string]string `json:"secrets,omitempty"`
	Updated    int64             `json:"updated,omitempty"` // in ms since 1970
	APIVersion string            `json:"apiVersion,omitempty"`
}

type dataSource struct {
	settings
	ID            int64  `json:"id,omitempty"`
	UID           string `json:"uid,omitempty"`
	Name          string `json:"name,omitempty"`
	URL           string `json:"url,omitempty"`
	User          string `json:"user,omitempty"`
	Database      string `json:"database,omitempty"`
	BasicAuth     bool   `json:"basicAuth,omitempty"`
	BasicAuthUser string `json:"basicAuthUser,omitempty"`
}

type user struct {
	Login string `json:"login"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  string `json:"role"`
}

// seen is what a handler received.
type seen struct {
	OrgID         int64             `json:"orgId"`
	Namespace     string            `json:"namespace,omitempty"`
	PluginID      string            `json:"pluginId,omitempty"`
	PluginVersion string            `json:"pluginVersion,omitempty"`
	APIVersion    string            `json:"apiVersion,omitempty"`
	UserAgent     string            `json:"userAgent,omitempty"`
	Config        map[string]string `json:"config,omitempty"`
	Understood    *understood       `json:"understood,omitempty"`
	User          *user             `json:"user,omitempty"`
	App           *settings         `json:"app,omitempty"`
	DataSource    *dataSource       `json:"dataSource,omitempty"`
	Made          any               `json:"made"` // what the instance was created from
	Headers       map[string]string `json:"headers,omitempty"`

	Query    *query    `json:"query,omitempty"`
	Resource *resource `json:"resource,omitempty"`
	Stream   *stream   `json:"stream,omitempty"`
}

// understood is what the SDK reads from the configuration.
type understood struct {
	AppURL   string `json:"appUrl"`
	First    bool   `json:"first"` // feature toggles
	Third    bool   `json:"third"`
	Queries  int    `json:"queries"`
	Rows     int64  `json:"rows"`
	Open     int    `json:"open"`
	Idle     int    `json:"idle"`
	Lifetime int    `json:"lifetime"` // in s
}

type query struct {
	RefID         string          `json:"refId"`
	Type          string          `json:"type"`
	JSON          json.RawMessage `json:"json"`
	From          int64           `json:"from"` // in ms since 1970
	To            int64           `json:"to"`
	Interval      time.Duration   `json:"interval"`
	MaxDataPoints int64           `json:"maxDataPoints"`
}

type resource struct {
	Method string              `json:"method"`
	Path   string              `json:"path"`
	Query  string              `json:"query"`
	Header map[string][]string `json:"header"`
	Body   []byte              `json:"body"`
}

type stream struct {
	Path string          `json:"path"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Shared is the state that the instances of one process share.
type Shared struct {
	checks atomic.Int64
	next   chan struct{} // requests the next piece of a resource
	ended  chan struct{} // a stream noticed its end
}

// NewShared returns the state of a process.
func NewShared() *Shared {
	return &Shared{next: make(chan struct{}), ended: make(chan struct{}, 1)}
}

// CollectMetrics counts the health checks, and returns the organization of the call.
func (s *Shared) CollectMetrics(_ context.Context, req *sdk.CollectMetricsRequest) ([]byte, error) {
	return fmt.Appendf(nil, "# HELP interop_health_checks_total Health checks.\n# TYPE interop_health_checks_total counter\ninterop_health_checks_total %d\ninterop_org %d\n",
		s.checks.Load(), req.Context.OrgID), nil
}

// Instance has every handler.
type Instance struct {
	shared *Shared
	made   any
}

// DataSourceInstance makes the instance of a data source.
func (s *Shared) DataSourceInstance(_ context.Context, made sdk.DataSource, _ struct{}) (*Instance, error) {
	return &Instance{shared: s, made: dataSourceOf(&made)}, nil
}

// AppInstance makes the instance of an app.
func (s *Shared) AppInstance(_ context.Context, made sdk.App, _ struct{}) (*Instance, error) {
	return &Instance{shared: s, made: settingsOf(made.Settings)}, nil
}

func settingsOf(s sdk.Settings) settings {
	out := settings{JSON: s.JSON, Secrets: s.Secrets, APIVersion: s.APIVersion}
	if !s.Updated.IsZero() {
		out.Updated = s.Updated.UnixMilli()
	}
	return out
}

func dataSourceOf(d *sdk.DataSource) *dataSource {
	return &dataSource{
		settings: settingsOf(d.Settings), ID: d.ID, UID: d.UID, Name: d.Name, URL: d.URL, User: d.User, Database: d.Database,
		BasicAuth: d.BasicAuth, BasicAuthUser: d.BasicAuthUser,
	}
}

func (i *Instance) seen(c sdk.Context, headers map[string]string) seen {
	s := seen{
		OrgID: c.OrgID, Namespace: c.Namespace, PluginID: c.PluginID, PluginVersion: c.PluginVersion, APIVersion: c.APIVersion,
		UserAgent: c.UserAgent, Config: c.Config, Made: i.made, Headers: headers,
	}
	if c := c.Config; len(c) > 0 {
		sql := c.SQL()
		s.Understood = &understood{
			AppURL: c.AppURL(), First: c.IsEnabled("first"), Third: c.IsEnabled("third"), Queries: c.ConcurrentQueries(),
			Rows: sql.Rows, Open: sql.MaxOpenConns, Idle: sql.MaxIdleConns, Lifetime: int(sql.ConnLifetime.Seconds()),
		}
	}
	if u := c.User; u != nil {
		s.User = &user{Login: u.Login, Name: u.Name, Email: u.Email, Role: u.Role}
	}
	if c.App != nil {
		app := settingsOf(c.App.Settings)
		s.App = &app
	}
	if c.DataSource != nil {
		s.DataSource = dataSourceOf(c.DataSource)
	}
	return s
}

// CheckHealth returns the status in the header X-Health.
func (i *Instance) CheckHealth(_ context.Context, req *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	i.shared.checks.Add(1)
	details, err := json.Marshal(i.seen(req.Context, req.Headers))
	switch req.Headers["http_X-Health"] {
	case "sick":
		return &sdk.CheckHealthResult{Status: sdk.HealthError, Message: "sick", Details: details}, err
	case "unknown":
		return &sdk.CheckHealthResult{Status: sdk.HealthUnknown, Message: "unknown", Details: details}, err
	case "broken":
		return nil, sdk.Downstreamf(http.StatusBadGateway, "the upstream is down")
	}
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "fine", Details: details}, err
}

// failure is the model of a query that requests an error.
type failure struct {
	Status  int        `json:"status"`
	Source  sdk.Source `json:"source"`
	Message string     `json:"message"`
}

// err returns an error with a cause, which must not reach the host.
func (f failure) err() error {
	return &sdk.Error{Status: f.Status, Source: f.Source, Message: f.Message, Cause: errors.New("for the log only")}
}

// QueryData responds to each query according to its type.
func (i *Instance) QueryData(_ context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	out := sdk.QueryDataResponse{}
	for _, q := range req.Queries {
		var f failure
		if err := json.Unmarshal(q.JSON, &f); err != nil {
			return nil, err
		}
		switch q.Type {
		case "echo":
			s := i.seen(req.Context, req.Headers)
			s.Query = &query{
				RefID: q.RefID, Type: q.Type, JSON: q.JSON, From: q.TimeRange.From.UnixMilli(), To: q.TimeRange.To.UnixMilli(),
				Interval: q.Interval, MaxDataPoints: q.MaxDataPoints,
			}
			text, err := json.Marshal(s)
			if err != nil {
				return nil, err
			}
			out[q.RefID] = sdk.DataResponse{Frames: []sdk.Frame{data.NewFrame("echo", data.NewField("seen", nil, []string{string(text)}))}}
		case "series":
			out[q.RefID] = sdk.DataResponse{Frames: []sdk.Frame{series(q.TimeRange.From), data.NewFrame("empty")}, Status: http.StatusPartialContent}
		case "error":
			out[q.RefID] = sdk.DataResponse{Err: f.err()}
		case "partial":
			out[q.RefID] = sdk.DataResponse{Frames: []sdk.Frame{series(q.TimeRange.From)}, Err: f.err()}
		case "plain":
			out[q.RefID] = sdk.DataResponse{Err: errors.New(f.Message)}
		case "absent":
		case "panic":
			panic(f.Message)
		case "fail":
			if f.Source == "" {
				return nil, errors.New(f.Message)
			}
			return nil, f.err()
		}
	}
	return out, nil
}

// series returns a frame that uses every feature.
func series(from time.Time) *data.Frame {
	one, nan := 1.5, math.NaN()
	value := data.NewField("value", data.Labels{"host": "a"}, []*float64{&one, nil, &nan}).SetConfig(&data.FieldConfig{Unit: "ms"})
	times := data.NewField("time", nil, []time.Time{from, from.Add(time.Second + 7), from.Add(time.Minute)})
	return data.NewFrame("series", times, value).SetMeta(&data.FrameMeta{
		Type: data.FrameTypeTimeSeriesMulti, ExecutedQueryString: "up", Notices: []data.Notice{{Severity: data.NoticeSeverityWarning, Text: "careful"}},
	})
}

// ServeHTTP serves the resources.
func (i *Instance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sdk.HandlerFunc(i.serve).ServeHTTP(w, r)
}

func (i *Instance) serve(w http.ResponseWriter, r *http.Request) error {
	path := strings.TrimPrefix(r.URL.Path, "/")
	w.Header()["X-Multi"] = []string{"a", "b"}
	w.Header().Set("Content-Type", "text/plain")
	flush := func(text string) error {
		_, err := w.Write([]byte(text))
		return errors.Join(err, http.NewResponseController(w).Flush())
	}
	switch {
	case strings.HasPrefix(path, "echo"):
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		s := i.seen(sdk.ContextOf(r.Context()), nil)
		s.Resource = &resource{Method: r.Method, Path: path, Query: r.URL.RawQuery, Header: r.Header, Body: body}
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, err = w.Write(text)
		return err
	case path == "pieces":
		w.WriteHeader(http.StatusAccepted)
		return errors.Join(flush("one"), flush(i.asked(r.Context(), "two")), flush(i.asked(r.Context(), "three")))
	case path == "next":
		return flush(i.ask(r.Context()))
	case path == "ended":
		return flush(i.waitEnd(r.Context()))
	case path == "broken":
		return errors.Join(flush("half"), sdk.Downstreamf(http.StatusBadGateway, "the other half is missing"))
	}
	return sdk.Downstreamf(http.StatusNotFound, "there is no such thing")
}

// asked returns a piece once the host has requested it by another call. A response that
// is held back until it is complete would never be sent.
func (i *Instance) asked(ctx context.Context, piece string) string {
	select {
	case <-i.shared.next:
		return piece
	case <-ctx.Done():
	case <-time.After(patience):
	}
	return "no request for " + piece
}

func (i *Instance) ask(ctx context.Context) string {
	select {
	case i.shared.next <- struct{}{}:
		return "asked"
	case <-ctx.Done():
	case <-time.After(patience):
	}
	return "no piece is waiting"
}

func (i *Instance) waitEnd(ctx context.Context) string {
	select {
	case <-i.shared.ended:
		return "the stream ended"
	case <-ctx.Done():
	case <-time.After(patience):
	}
	return "the stream runs on"
}

func (i *Instance) stream(req *sdk.StreamRequest) (json.RawMessage, error) {
	s := i.seen(req.Context, req.Headers)
	s.Stream = &stream{Path: req.Path, Data: req.Data}
	return json.Marshal(s)
}

// channel accepts or rejects a call according to its path.
func (i *Instance) channel(req *sdk.StreamRequest) (json.RawMessage, error) {
	switch req.Path {
	case "missing":
		return nil, sdk.Downstreamf(http.StatusNotFound, "there is no such channel")
	case "secret":
		return nil, sdk.Downstreamf(http.StatusForbidden, "the channel is not for you")
	case "broken":
		return nil, sdk.Downstreamf(http.StatusBadGateway, "the broker is down")
	case "silent":
		return nil, nil
	}
	return i.stream(req)
}

// SubscribeStream accepts or rejects a subscription according to its path.
func (i *Instance) SubscribeStream(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	return i.channel(req)
}

// PublishStream accepts or rejects data according to the path.
func (i *Instance) PublishStream(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	return i.channel(req)
}

// RunStream sends packets according to the path.
func (i *Instance) RunStream(ctx context.Context, req *sdk.StreamRequest, to *sdk.StreamSender) error {
	switch req.Path {
	case "broken":
		return errors.Join(to.Send(json.RawMessage(`{"n":1}`)), sdk.Downstreamf(http.StatusBadGateway, "the broker is down"))
	case "refused":
		return errors.Join(to.Send(json.RawMessage(`{"n":1}`)), sdk.Downstreamf(http.StatusForbidden, "never again"))
	case "forever":
		defer func() { i.shared.ended <- struct{}{} }()
		for ctx.Err() == nil {
			if err := to.Send(map[string]int{"n": 1}); err != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		<-ctx.Done()
		return ctx.Err()
	}
	text, err := i.stream(req)
	if err != nil {
		return err
	}
	return errors.Join(to.Send(text), to.Send(series(time.UnixMilli(0))))
}
