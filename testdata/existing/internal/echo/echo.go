// Package echo responds to every call with the content of the call, using Grafana's SDK,
// so that a test can check that nothing was lost. Its counterpart for our SDK,
// testdata/existing/ours/echo, responds with the same JSON.
package echo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/resource/httpadapter"
	"github.com/grafana/grafana-plugin-sdk-go/config"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/client_golang/prometheus"
)

// patience is how long the plugin waits for the host to request the next part.
const patience = 10 * time.Second

// Settings are what an administrator entered.
type Settings struct {
	JSON       json.RawMessage   `json:"json,omitempty"`
	Secrets    map[string]string `json:"secrets,omitempty"`
	Updated    int64             `json:"updated,omitempty"` // in ms since 1970
	APIVersion string            `json:"apiVersion,omitempty"`
}

// DataSource has every field of a data source.
type DataSource struct {
	Settings
	ID            int64  `json:"id,omitempty"`
	UID           string `json:"uid,omitempty"`
	Name          string `json:"name,omitempty"`
	URL           string `json:"url,omitempty"`
	User          string `json:"user,omitempty"`
	Database      string `json:"database,omitempty"`
	BasicAuth     bool   `json:"basicAuth,omitempty"`
	BasicAuthUser string `json:"basicAuthUser,omitempty"`
}

// User is the user of a call.
type User struct {
	Login string `json:"login"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  string `json:"role"`
}

// Seen is what a handler received.
type Seen struct {
	OrgID         int64             `json:"orgId"`
	Namespace     string            `json:"namespace,omitempty"`
	PluginID      string            `json:"pluginId,omitempty"`
	PluginVersion string            `json:"pluginVersion,omitempty"`
	APIVersion    string            `json:"apiVersion,omitempty"`
	UserAgent     string            `json:"userAgent,omitempty"`
	Config        map[string]string `json:"config,omitempty"`
	Understood    *Understood       `json:"understood,omitempty"`
	User          *User             `json:"user,omitempty"`
	App           *Settings         `json:"app,omitempty"`
	DataSource    *DataSource       `json:"dataSource,omitempty"`
	Made          any               `json:"made"` // the settings of the instance
	Headers       map[string]string `json:"headers,omitempty"`

	Query    *Query    `json:"query,omitempty"`
	Resource *Resource `json:"resource,omitempty"`
	Stream   *Stream   `json:"stream,omitempty"`
}

// Understood is what the SDK reads from the configuration.
type Understood struct {
	AppURL   string `json:"appUrl"`
	First    bool   `json:"first"` // feature toggles
	Third    bool   `json:"third"`
	Queries  int    `json:"queries"`
	Rows     int64  `json:"rows"`
	Open     int    `json:"open"`
	Idle     int    `json:"idle"`
	Lifetime int    `json:"lifetime"` // in s
}

// Query is one query.
type Query struct {
	RefID         string          `json:"refId"`
	Type          string          `json:"type"`
	JSON          json.RawMessage `json:"json"`
	From          int64           `json:"from"` // in ms since 1970
	To            int64           `json:"to"`
	Interval      time.Duration   `json:"interval"`
	MaxDataPoints int64           `json:"maxDataPoints"`
}

// Resource is a resource request.
type Resource struct {
	Method string              `json:"method"`
	Path   string              `json:"path"`
	Query  string              `json:"query"`
	Header map[string][]string `json:"header"`
	Body   []byte              `json:"body"`
}

// Stream is a call about a channel.
type Stream struct {
	Path string          `json:"path"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Shared is shared by the instances of a process.
type Shared struct {
	checks prometheus.Counter
	next   chan struct{} // requests the next part of a resource
	ended  chan struct{} // a stream has ended
}

// NewShared registers the metric of the process.
func NewShared() *Shared {
	s := &Shared{
		checks: prometheus.NewCounter(prometheus.CounterOpts{Name: "interop_health_checks_total", Help: "Health checks."}),
		next:   make(chan struct{}), ended: make(chan struct{}, 1),
	}
	prometheus.MustRegister(s.checks)
	return s
}

// Instance has every handler. It serves resources itself or through the SDK's adapter of
// an http.Handler, since plugins do both.
type Instance struct {
	shared  *Shared
	made    any
	adapter backend.CallResourceHandler // or nil
}

// DataSourceInstance creates the instance of a data source.
func (s *Shared) DataSourceInstance(made backend.DataSourceInstanceSettings) *Instance {
	return &Instance{shared: s, made: dataSource(&made)}
}

// AppInstance creates the instance of an app, whose resources are an http.Handler.
func (s *Shared) AppInstance(made backend.AppInstanceSettings) *Instance {
	i := &Instance{shared: s, made: app(&made)}
	i.adapter = httpadapter.New(http.HandlerFunc(i.serve))
	return i
}

func dataSource(d *backend.DataSourceInstanceSettings) *DataSource {
	if d == nil {
		return nil
	}
	return &DataSource{
		Settings: Settings{JSON: d.JSONData, Secrets: d.DecryptedSecureJSONData, Updated: d.Updated.UnixMilli(), APIVersion: d.APIVersion},
		ID:       d.ID, UID: d.UID, Name: d.Name, URL: d.URL, User: d.User, Database: d.Database,
		BasicAuth: d.BasicAuthEnabled, BasicAuthUser: d.BasicAuthUser,
	}
}

func app(a *backend.AppInstanceSettings) *Settings {
	if a == nil {
		return nil
	}
	return &Settings{JSON: a.JSONData, Secrets: a.DecryptedSecureJSONData, Updated: a.Updated.UnixMilli(), APIVersion: a.APIVersion}
}

func (i *Instance) seen(c backend.PluginContext, headers map[string]string) Seen {
	s := Seen{
		OrgID: c.OrgID, Namespace: c.Namespace, PluginID: c.PluginID, PluginVersion: c.PluginVersion, APIVersion: c.APIVersion,
		App: app(c.AppInstanceSettings), DataSource: dataSource(c.DataSourceInstanceSettings), Made: i.made, Headers: headers,
	}
	if c.UserAgent != nil {
		s.UserAgent = c.UserAgent.String()
	}
	if c.GrafanaConfig != nil {
		s.Config = c.GrafanaConfig.Config()
		s.Understood = understood(c.GrafanaConfig)
	}
	if u := c.User; u != nil {
		s.User = &User{Login: u.Login, Name: u.Name, Email: u.Email, Role: u.Role}
	}
	return s
}

// understood returns what the SDK reads from a configuration, or nil if it is empty.
func understood(c *config.GrafanaCfg) *Understood {
	if len(c.Config()) == 0 {
		return nil
	}
	url, _ := c.AppURL() // what cannot be read is zero
	queries, _ := c.ConcurrentQueryCount()
	sql, _ := c.SQL()
	return &Understood{
		AppURL: url, First: c.FeatureToggles().IsEnabled("first"), Third: c.FeatureToggles().IsEnabled("third"), Queries: queries,
		Rows: sql.RowLimit, Open: sql.DefaultMaxOpenConns, Idle: sql.DefaultMaxIdleConns, Lifetime: sql.DefaultMaxConnLifetimeSeconds,
	}
}

// CheckHealth returns the health that the header X-Health names.
func (i *Instance) CheckHealth(_ context.Context, req *backend.CheckHealthRequest) (*backend.CheckHealthResult, error) {
	i.shared.checks.Inc()
	details, err := json.Marshal(i.seen(req.PluginContext, req.Headers))
	switch req.GetHTTPHeader("X-Health") {
	case "sick":
		return &backend.CheckHealthResult{Status: backend.HealthStatusError, Message: "sick", JSONDetails: details}, err
	case "unknown":
		return &backend.CheckHealthResult{Status: backend.HealthStatusUnknown, Message: "unknown", JSONDetails: details}, err
	case "broken":
		return nil, backend.DownstreamErrorf("the upstream is down")
	}
	return &backend.CheckHealthResult{Status: backend.HealthStatusOk, Message: "fine", JSONDetails: details}, err
}

// fault is the model of a query that requests an error.
type fault struct {
	Status  int    `json:"status"`
	Source  string `json:"source"`
	Message string `json:"message"`
}

// QueryData responds to each query according to its type.
func (i *Instance) QueryData(_ context.Context, req *backend.QueryDataRequest) (*backend.QueryDataResponse, error) {
	resp := backend.NewQueryDataResponse()
	for _, q := range req.Queries {
		var f fault
		if err := json.Unmarshal(q.JSON, &f); err != nil {
			return nil, err
		}
		switch q.QueryType {
		case "echo":
			seen := i.seen(req.PluginContext, req.Headers)
			seen.Query = &Query{
				RefID: q.RefID, Type: q.QueryType, JSON: q.JSON, From: q.TimeRange.From.UnixMilli(), To: q.TimeRange.To.UnixMilli(),
				Interval: q.Interval, MaxDataPoints: q.MaxDataPoints,
			}
			text, err := json.Marshal(seen)
			if err != nil {
				return nil, err
			}
			resp.Responses[q.RefID] = backend.DataResponse{Frames: data.Frames{data.NewFrame("echo", data.NewField("seen", nil, []string{string(text)}))}}
		case "series":
			resp.Responses[q.RefID] = backend.DataResponse{Frames: data.Frames{series(q.TimeRange.From), data.NewFrame("empty")}, Status: http.StatusPartialContent}
		case "error":
			resp.Responses[q.RefID] = backend.ErrDataResponseWithSource(backend.Status(f.Status), backend.ErrorSource(f.Source), f.Message)
		case "partial":
			r := backend.ErrDataResponseWithSource(backend.Status(f.Status), backend.ErrorSource(f.Source), f.Message)
			r.Frames = data.Frames{series(q.TimeRange.From)}
			resp.Responses[q.RefID] = r
		case "plain":
			resp.Responses[q.RefID] = backend.DataResponse{Error: errors.New(f.Message)}
		case "absent":
		case "panic":
			panic(f.Message)
		case "fail":
			switch f.Source {
			case "downstream":
				return nil, backend.DownstreamErrorf("%s", f.Message)
			case "plugin":
				return nil, backend.PluginErrorf("%s", f.Message)
			}
			return nil, errors.New(f.Message)
		}
	}
	return resp, nil
}

// series is a frame with fields of several types.
func series(from time.Time) *data.Frame {
	one, nan := 1.5, math.NaN()
	value := data.NewField("value", data.Labels{"host": "a"}, []*float64{&one, nil, &nan}).SetConfig(&data.FieldConfig{Unit: "ms"})
	times := data.NewField("time", nil, []time.Time{from, from.Add(time.Second + 7), from.Add(time.Minute)})
	return data.NewFrame("series", times, value).SetMeta(&data.FrameMeta{
		Type: data.FrameTypeTimeSeriesMulti, ExecutedQueryString: "up", Notices: []data.Notice{{Severity: data.NoticeSeverityWarning, Text: "careful"}},
	})
}

// CallResource serves a request itself or through the adapter. It can return an error only
// in the first case.
func (i *Instance) CallResource(ctx context.Context, req *backend.CallResourceRequest, sender backend.CallResourceResponseSender) error {
	if req.Path == "broken" {
		if err := sender.Send(&backend.CallResourceResponse{Status: http.StatusOK, Body: []byte("half")}); err != nil {
			return err
		}
		return backend.DownstreamErrorf("the other half is missing")
	}
	if i.adapter != nil {
		return i.adapter.CallResource(ctx, req, sender)
	}
	asked, err := url.Parse(req.URL)
	if err != nil {
		return err
	}
	header := map[string][]string{"Content-Type": {"text/plain"}, "X-Multi": {"a", "b"}}
	switch {
	case strings.HasPrefix(req.Path, "echo"):
		text, err := i.echo(req.PluginContext, &Resource{Method: req.Method, Path: req.Path, Query: asked.RawQuery, Header: req.Headers, Body: req.Body})
		if err != nil {
			return err
		}
		header["Content-Type"] = []string{"application/json"}
		return sender.Send(&backend.CallResourceResponse{Status: http.StatusCreated, Headers: header, Body: text})
	case req.Path == "pieces":
		if err := sender.Send(&backend.CallResourceResponse{Status: http.StatusAccepted, Headers: header, Body: []byte("one")}); err != nil {
			return err
		}
		for _, piece := range []string{"two", "three"} {
			if err := sender.Send(&backend.CallResourceResponse{Body: i.asked(ctx, piece)}); err != nil {
				return err
			}
		}
		return nil
	case req.Path == "next":
		return sender.Send(&backend.CallResourceResponse{Status: http.StatusOK, Headers: header, Body: i.ask(ctx)})
	case req.Path == "ended":
		return sender.Send(&backend.CallResourceResponse{Status: http.StatusOK, Headers: header, Body: i.waitEnd(ctx)})
	}
	header["Content-Type"] = []string{"application/json"}
	return sender.Send(&backend.CallResourceResponse{Status: http.StatusNotFound, Headers: header, Body: []byte(notFound)})
}

const notFound = `{"message":"there is no such thing","errorSource":"downstream"}` + "\n"

// serve is the same as an http.Handler.
func (i *Instance) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	w.Header()["X-Multi"] = []string{"a", "b"}
	w.Header().Set("Content-Type", "text/plain")
	switch {
	case strings.HasPrefix(path, "echo"):
		var body bytes.Buffer
		if r.Body != nil {
			if _, err := body.ReadFrom(r.Body); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		text, err := i.echo(backend.PluginConfigFromContext(r.Context()), &Resource{Method: r.Method, Path: path, Query: r.URL.RawQuery, Header: r.Header, Body: body.Bytes()})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(text)
	case path == "pieces":
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte("one"))
		w.(http.Flusher).Flush()
		for _, piece := range []string{"two", "three"} {
			_, _ = w.Write(i.asked(r.Context(), piece))
			w.(http.Flusher).Flush()
		}
	case path == "next":
		_, _ = w.Write(i.ask(r.Context()))
	case path == "ended":
		_, _ = w.Write(i.waitEnd(r.Context()))
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(notFound))
	}
}

func (i *Instance) echo(c backend.PluginContext, r *Resource) ([]byte, error) {
	seen := i.seen(c, nil)
	seen.Resource = r
	return json.Marshal(seen)
}

// asked returns a part once the host has requested it in another call. A host that
// buffered the response until it is complete would never do so.
func (i *Instance) asked(ctx context.Context, piece string) []byte {
	select {
	case <-i.shared.next:
		return []byte(piece)
	case <-ctx.Done():
	case <-time.After(patience):
	}
	return []byte("nobody asked for " + piece)
}

func (i *Instance) ask(ctx context.Context) []byte {
	select {
	case i.shared.next <- struct{}{}:
		return []byte("asked")
	case <-ctx.Done():
	case <-time.After(patience):
	}
	return []byte("nobody waits")
}

func (i *Instance) waitEnd(ctx context.Context) []byte {
	select {
	case <-i.shared.ended:
		return []byte("the stream ended")
	case <-ctx.Done():
	case <-time.After(patience):
	}
	return []byte("the stream runs on")
}

func (i *Instance) stream(c backend.PluginContext, headers map[string]string, path string, content json.RawMessage) ([]byte, error) {
	seen := i.seen(c, headers)
	seen.Stream = &Stream{Path: path, Data: content}
	return json.Marshal(seen)
}

// SubscribeStream allows or denies access according to the path.
func (i *Instance) SubscribeStream(_ context.Context, req *backend.SubscribeStreamRequest) (*backend.SubscribeStreamResponse, error) {
	switch req.Path {
	case "missing":
		return &backend.SubscribeStreamResponse{Status: backend.SubscribeStreamStatusNotFound}, nil
	case "secret":
		return &backend.SubscribeStreamResponse{Status: backend.SubscribeStreamStatusPermissionDenied}, nil
	case "broken":
		return nil, backend.DownstreamErrorf("the broker is down")
	case "silent":
		return &backend.SubscribeStreamResponse{Status: backend.SubscribeStreamStatusOK}, nil
	}
	text, err := i.stream(req.PluginContext, req.Headers, req.Path, req.Data)
	if err != nil {
		return nil, err
	}
	initial, err := backend.NewInitialData(text)
	return &backend.SubscribeStreamResponse{Status: backend.SubscribeStreamStatusOK, InitialData: initial}, err
}

// PublishStream accepts or rejects messages according to the path.
func (i *Instance) PublishStream(_ context.Context, req *backend.PublishStreamRequest) (*backend.PublishStreamResponse, error) {
	switch req.Path {
	case "missing":
		return &backend.PublishStreamResponse{Status: backend.PublishStreamStatusNotFound}, nil
	case "secret":
		return &backend.PublishStreamResponse{Status: backend.PublishStreamStatusPermissionDenied}, nil
	case "broken":
		return nil, backend.DownstreamErrorf("the broker is down")
	case "silent":
		return &backend.PublishStreamResponse{Status: backend.PublishStreamStatusOK}, nil
	}
	text, err := i.stream(req.PluginContext, req.Headers, req.Path, req.Data)
	return &backend.PublishStreamResponse{Status: backend.PublishStreamStatusOK, Data: text}, err
}

// RunStream sends packets according to the path.
func (i *Instance) RunStream(ctx context.Context, req *backend.RunStreamRequest, sender *backend.StreamSender) error {
	switch req.Path {
	case "broken":
		return errors.Join(sender.SendJSON([]byte(`{"n":1}`)), backend.DownstreamErrorf("the broker is down"))
	case "refused":
		return errors.Join(sender.SendJSON([]byte(`{"n":1}`)), backend.DownstreamErrorf("never again"))
	case "forever":
		defer func() { i.shared.ended <- struct{}{} }()
		for ctx.Err() == nil {
			if err := sender.SendJSON([]byte(`{"n":1}`)); err != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		<-ctx.Done()
		return ctx.Err()
	}
	text, err := i.stream(req.PluginContext, req.Headers, req.Path, req.Data)
	if err != nil {
		return err
	}
	if err := sender.SendJSON(text); err != nil {
		return err
	}
	return sender.SendFrame(series(time.UnixMilli(0)), data.IncludeAll)
}
