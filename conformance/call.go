package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/internal/wire"
)

type call string

const (
	callQuery     call = "QueryData"
	callHealth    call = "CheckHealth"
	callMetrics   call = "CollectMetrics"
	callResource  call = "CallResource"
	callSubscribe call = "SubscribeStream"
	callRun       call = "RunStream"
	callPublish   call = "PublishStream"
)

func calls() []call {
	return []call{callQuery, callHealth, callMetrics, callResource, callSubscribe, callRun, callPublish}
}

// unknownName is a resource, a channel and a query type that no plugin has.
const unknownName = "slipway-conformance-unknown"

// do makes a valid call with the given context and headers.
func (s *subject) do(ctx context.Context, c call, who *pluginv2.PluginContext, headers map[string]string) reply {
	switch c {
	case callQuery:
		return s.query(ctx, &pluginv2.QueryDataRequest{PluginContext: who, Headers: headers, Queries: []*pluginv2.DataQuery{s.validQuery("A")}})
	case callHealth:
		out, err := s.raw.diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: who, Headers: headers})
		r := newReply(err, fmt.Sprintf("%s %q", out.GetStatus(), out.GetMessage()), out.GetMessage())
		if out.GetStatus() != pluginv2.CheckHealthResponse_OK && err == nil {
			r.says = out.GetMessage()
		}
		return r
	case callMetrics:
		out, err := s.raw.diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{PluginContext: who})
		return newReply(err, fmt.Sprintf("%d bytes", len(out.GetMetrics().GetPrometheus())))
	case callResource:
		in := &pluginv2.CallResourceRequest{PluginContext: who, Method: "GET", Path: unknownName, Url: unknownName,
			Headers: map[string]*pluginv2.StringList{}}
		for name, value := range headers {
			in.Headers[name] = &pluginv2.StringList{Values: []string{value, value}}
		}
		return s.resource(ctx, in)
	case callSubscribe, callPublish:
		code, err := s.access(ctx, c, who, headers)
		return newReply(err, code.String())
	}
	return s.runStream(ctx, &pluginv2.RunStreamRequest{PluginContext: who, Headers: headers, Path: unknownName})
}

// access subscribes or publishes to a channel that does not exist. The statuses of both have the same numbers.
func (s *subject) access(ctx context.Context, c call, who *pluginv2.PluginContext, headers map[string]string) (
	pluginv2.SubscribeStreamResponse_Status, error) {
	if c == callSubscribe {
		out, err := s.raw.stream.SubscribeStream(ctx, &pluginv2.SubscribeStreamRequest{PluginContext: who, Headers: headers, Path: unknownName})
		return out.GetStatus(), err
	}
	out, err := s.raw.stream.PublishStream(ctx, &pluginv2.PublishStreamRequest{PluginContext: who, Headers: headers, Path: unknownName,
		Data: []byte(`{}`)})
	return pluginv2.SubscribeStreamResponse_Status(out.GetStatus()), err
}

// watchStream is how long to watch a stream that neither sends nor ends.
const watchStream = 200 * time.Millisecond

func (s *subject) runStream(ctx context.Context, in *pluginv2.RunStreamRequest) reply {
	running, stop := context.WithTimeout(ctx, watchStream)
	defer stop()
	stream, err := s.raw.stream.RunStream(running, in)
	if err == nil {
		_, err = stream.Recv()
	}
	switch {
	case errors.Is(err, io.EOF):
		return newReply(nil, "the stream ended")
	case err == nil:
		return newReply(nil, "the stream sends")
	case status.Code(err) == codes.DeadlineExceeded && running.Err() != nil && ctx.Err() == nil:
		return newReply(nil, "the stream runs")
	}
	return errorReply(err)
}

func (s *subject) resource(ctx context.Context, in *pluginv2.CallResourceRequest) reply {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.raw.resource.CallResource(ctx, in)
	if err != nil {
		return errorReply(err)
	}
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return reply{got: "no response", problem: "the call ended without a response"}
	}
	if err != nil {
		return errorReply(err)
	}
	code := first.GetCode()
	r := reply{got: fmt.Sprintf("status %d", code), isOK: code < 500}
	if code >= 500 {
		r.isPanic = isPanic(text.Shorten(string(first.GetBody()), 1000))
	}
	if code < 100 || code > 599 {
		r.problem = "invalid HTTP status"
	}
	for {
		if _, err := stream.Recv(); errors.Is(err, io.EOF) {
			return r
		} else if err != nil {
			return errorReply(err)
		}
	}
}

func (s *subject) query(ctx context.Context, in *pluginv2.QueryDataRequest) reply {
	var trailer metadata.MD
	out, err := s.raw.data.QueryData(ctx, in, grpc.Trailer(&trailer))
	if err != nil {
		return errorReply(err)
	}
	r := reply{isOK: true, isPanic: wire.IsPanic(nil, trailer)}
	sent, summary := map[string]bool{}, []string{}
	for _, q := range in.GetQueries() {
		id := q.GetRefId()
		sent[id] = true
		a := out.GetResponses()[id]
		what := fmt.Sprintf("%s: status %d, frames: %d", id, a.GetStatus(), len(a.GetFrames()))
		switch {
		case a == nil:
			what, r.isOK = id+": no response", false
		case a.GetError() != "":
			what, r.isOK = fmt.Sprintf("%s: status %d, error %q", id, a.GetStatus(), text.Shorten(a.GetError(), 200)), false
			r.says = cmp.Or(r.says, a.GetError())
		}
		r.isPanic = r.isPanic || isPanic(a.GetError())
		if len(summary) < 3 {
			summary = append(summary, what)
		}
	}
	if more := len(in.GetQueries()) - len(summary); more > 0 {
		summary = append(summary, fmt.Sprintf("and %d more", more))
	}
	r.got = strings.Join(summary, "; ")
	for id, a := range out.GetResponses() {
		switch {
		case sent[id]:
		case s.isPassedOn(a):
			r.isOK, r.says = false, cmp.Or(r.says, a.GetError())
		default:
			r.problem = fmt.Sprintf("response to a query %q that was not sent", text.Shorten(id, 60))
		}
	}
	return r
}

// isPassedOn reports whether a response may have a refId that no query has: some plugins
// report an error of the whole call this way, and existing hosts pass it on.
func (s *subject) isPassedOn(a *pluginv2.DataResponse) bool {
	return s.o.Standard == Existing && a.GetError() != ""
}

// validQuery is a query as a host sends it.
func (s *subject) validQuery(id string) *pluginv2.DataQuery {
	text := s.o.Query
	if len(text) == 0 {
		text = json.RawMessage(`{}`)
	}
	var known struct {
		QueryType string `json:"queryType"`
	}
	_ = json.Unmarshal(text, &known) // the plugin gets text even if it is invalid
	to := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	return &pluginv2.DataQuery{
		RefId: id, QueryType: known.QueryType, Json: bytes.Clone(text), MaxDataPoints: 100, IntervalMS: 1000,
		TimeRange: &pluginv2.TimeRange{FromEpochMS: to.Add(-time.Hour).UnixMilli(), ToEpochMS: to.UnixMilli()},
	}
}

// context returns the context of a call for an organization, with settings of a version.
func (s *subject) context(org, version int64) *pluginv2.PluginContext {
	settings := s.o.Settings
	if len(settings) == 0 {
		settings = json.RawMessage(`{}`)
	}
	updated := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() + version
	c := &pluginv2.PluginContext{
		OrgId: org, PluginId: s.o.Plugin.Metadata.ID, PluginVersion: s.o.Plugin.Metadata.Info.Version, UserAgent: "Grafana/" + hostVersion,
		User: &pluginv2.User{Login: "conformance", Name: "Conformance", Email: "conformance@localhost", Role: "Viewer"},
	}
	if s.o.Plugin.Metadata.Type == bundle.TypeDatasource {
		c.DataSourceInstanceSettings = &pluginv2.DataSourceInstanceSettings{
			Uid: fmt.Sprintf("conformance-%d", org), Name: "Conformance", Url: s.o.URL,
			JsonData: settings, DecryptedSecureJsonData: s.o.Secrets, LastUpdatedMS: updated,
		}
	} else {
		c.AppInstanceSettings = &pluginv2.AppInstanceSettings{JsonData: settings, DecryptedSecureJsonData: s.o.Secrets, LastUpdatedMS: updated}
	}
	return c
}

// usually returns the reply to a valid call, which it makes once.
func (s *subject) usually(ctx context.Context, c call) reply {
	if r, known := s.usual[c]; known {
		return r
	}
	r := s.do(ctx, c, s.context(1, 1), nil)
	if code := status.Code(r.err); r.err == nil || code != codes.Unavailable && code != codes.Canceled && code != codes.DeadlineExceeded {
		s.usual[c] = r
	}
	return r
}

// supported returns those of the calls that the plugin has a handler for.
func (s *subject) supported(ctx context.Context, list []call) (has []call) {
	for _, c := range list {
		lacks, known := s.lacking[c]
		if !known {
			lacks = status.Code(s.usually(ctx, c).err) == codes.Unimplemented
			s.lacking[c] = lacks
		}
		if !lacks {
			has = append(has, c)
		}
	}
	return has
}
