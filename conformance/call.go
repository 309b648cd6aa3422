package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/bundle"
)

// call is one of the calls of the protocol, by its name there.
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

// reply is what came of a call.
type reply struct {
	err  error  // of the call
	got  string // in short, for a person
	isOK bool   // the plugin did what it was asked to
	bad  string // what no plugin may answer, whatever it was asked
}

// unknownName is a resource, a channel and a query type that no plugin has.
const unknownName = "slipway-conformance-unknown"

// refID is the query that a call asks.
const refID = "A"

// make makes a call as it should be, but for the context and the headers given.
func (s *subject) make(ctx context.Context, c call, who *pluginv2.PluginContext, headers map[string]string) reply {
	switch c {
	case callQuery:
		return s.query(ctx, &pluginv2.QueryDataRequest{PluginContext: who, Headers: headers, Queries: []*pluginv2.DataQuery{s.goodQuery(refID)}})
	case callHealth:
		out, err := s.raw.diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: who, Headers: headers})
		return read(err, fmt.Sprintf("%s %q", out.GetStatus(), out.GetMessage()), true, out.GetMessage())
	case callMetrics:
		out, err := s.raw.diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{PluginContext: who})
		return read(err, fmt.Sprintf("%d bytes", len(out.GetMetrics().GetPrometheus())), true)
	case callResource:
		in := &pluginv2.CallResourceRequest{PluginContext: who, Method: "GET", Path: unknownName, Url: unknownName, Headers: map[string]*pluginv2.StringList{}}
		for name, value := range headers {
			in.Headers[name] = &pluginv2.StringList{Values: []string{value, value}}
		}
		return s.resource(ctx, in)
	case callSubscribe:
		out, err := s.raw.stream.SubscribeStream(ctx, &pluginv2.SubscribeStreamRequest{PluginContext: who, Headers: headers, Path: unknownName})
		return read(err, out.GetStatus().String(), true)
	case callPublish:
		out, err := s.raw.stream.PublishStream(ctx, &pluginv2.PublishStreamRequest{PluginContext: who, Headers: headers, Path: unknownName, Data: []byte(`{}`)})
		return read(err, out.GetStatus().String(), true)
	}
	return s.runStream(ctx, &pluginv2.RunStreamRequest{PluginContext: who, Headers: headers, Path: unknownName})
}

// watchStream is how long a stream that neither sends nor ends is watched.
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
		return reply{got: "the stream ended", isOK: true}
	case err == nil:
		return reply{got: "the stream sends", isOK: true}
	case status.Code(err) == codes.DeadlineExceeded && running.Err() != nil && ctx.Err() == nil:
		return reply{got: "the stream runs", isOK: true}
	}
	return read(err, "", false)
}

// read makes a reply of an answer. said are the words of the plugin in it.
func read(err error, got string, isOK bool, said ...string) reply {
	if err != nil {
		got, isOK = fmt.Sprintf("%s %q", status.Code(err), shorten(status.Convert(err).Message(), 200)), false
		said = []string{status.Convert(err).Message()}
	}
	r := reply{err: err, got: got, isOK: isOK}
	for _, text := range said {
		if isPanic(text) {
			r.bad = "a handler panicked"
		}
	}
	return r
}

// isPanic tells the words of a panic that an SDK has caught: those of Go's runtime, of
// gRPC's middleware, and of our SDK, which keeps the panic itself to the log.
func isPanic(text string) bool {
	for _, words := range []string{"panic", "nil pointer dereference", "runtime error: ", "; see its log"} {
		if strings.Contains(strings.ToLower(text), words) {
			return true
		}
	}
	return false
}

func (s *subject) resource(ctx context.Context, in *pluginv2.CallResourceRequest) reply {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.raw.resource.CallResource(ctx, in)
	if err != nil {
		return read(err, "", false)
	}
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return reply{got: "no answer", bad: "the call ended without an answer"}
	}
	if err != nil {
		return read(err, "", false)
	}
	code := first.GetCode()
	r := reply{got: fmt.Sprintf("status %d", code), isOK: code < 500}
	if code >= 500 {
		r = read(nil, r.got, false, shorten(string(first.GetBody()), 1000))
	}
	if code < 100 || code > 599 {
		r.bad = "the status is none of HTTP"
	}
	for {
		if _, err := stream.Recv(); errors.Is(err, io.EOF) {
			return r
		} else if err != nil {
			return read(err, "", false)
		}
	}
}

// query asks queries and looks at what every answer must be.
func (s *subject) query(ctx context.Context, in *pluginv2.QueryDataRequest) reply {
	out, err := s.raw.data.QueryData(ctx, in)
	if err != nil {
		return read(err, "", false)
	}
	asked, answers, said := map[string]bool{}, []string{}, []string{}
	isOK := true
	for _, q := range in.GetQueries() {
		asked[q.GetRefId()] = true
		a := out.GetResponses()[q.GetRefId()]
		text := fmt.Sprintf("%s: status %d, %d frames", q.GetRefId(), a.GetStatus(), len(a.GetFrames()))
		switch {
		case a == nil:
			text, isOK = q.GetRefId()+": no answer", false
		case a.GetError() != "":
			text, isOK = fmt.Sprintf("%s: status %d, error %q", q.GetRefId(), a.GetStatus(), shorten(a.GetError(), 200)), false
		}
		said = append(said, a.GetError())
		if len(answers) < 3 {
			answers = append(answers, text)
		}
	}
	if more := len(in.GetQueries()) - len(answers); more > 0 {
		answers = append(answers, fmt.Sprintf("and %d more", more))
	}
	r := read(nil, strings.Join(answers, "; "), isOK, said...)
	for id := range out.GetResponses() {
		if !asked[id] {
			r.bad = fmt.Sprintf("there is an answer to a query %q that was not asked", shorten(id, 60))
		}
	}
	return r
}

// goodQuery is a query as a host sends it.
func (s *subject) goodQuery(id string) *pluginv2.DataQuery {
	text := s.o.Query
	if len(text) == 0 {
		text = json.RawMessage(`{}`)
	}
	var known struct {
		QueryType string `json:"queryType"`
	}
	_ = json.Unmarshal(text, &known) // whatever it is, the plugin gets it
	to := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	return &pluginv2.DataQuery{
		RefId: id, QueryType: known.QueryType, Json: bytes.Clone(text), MaxDataPoints: 100, IntervalMS: 1000,
		TimeRange: &pluginv2.TimeRange{FromEpochMS: to.Add(-time.Hour).UnixMilli(), ToEpochMS: to.UnixMilli()},
	}
}

// context is on whose behalf a call is made: an organisation, and the settings of one
// of its instances in a version.
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
			JsonData: settings, LastUpdatedMS: updated,
		}
	} else {
		c.AppInstanceSettings = &pluginv2.AppInstanceSettings{JsonData: settings, LastUpdatedMS: updated}
	}
	return c
}

// usually makes a call as it should be, once, and remembers the reply.
func (s *subject) usually(ctx context.Context, c call) reply {
	if r, known := s.usual[c]; known {
		return r
	}
	r := s.make(ctx, c, s.context(1, 1), nil)
	if code := status.Code(r.err); r.err == nil || code != codes.Unavailable && code != codes.Canceled && code != codes.DeadlineExceeded {
		s.usual[c] = r
	}
	return r
}

// lacks says whether the plugin has no handler for a call.
func (s *subject) lacks(ctx context.Context, c call) bool {
	lacks, known := s.lacking[c]
	if !known {
		lacks = status.Code(s.usually(ctx, c).err) == codes.Unimplemented
		s.lacking[c] = lacks
	}
	return lacks
}

// supported are the calls that the plugin has a handler for.
func (s *subject) supported(ctx context.Context, list ...call) (has []call) {
	for _, c := range list {
		if !s.lacks(ctx, c) {
			has = append(has, c)
		}
	}
	return has
}

func skipLack(c ...call) Verdict {
	names := make([]string, len(c))
	for i, one := range c {
		names[i] = string(one)
	}
	return skipped("the plugin does not answer " + strings.Join(names, ", "))
}

// What to do, in the words that several checks share.
const (
	helpPanic = "fix the handler: its log has the stack of the panic. Read messages with the Get methods, which take nil"
	mendEnded = "find what ends the process in what it printed: one request must not take the plugin away from all others"
	mendSlow  = "answer each call, with an error if need be, and stop when its context ends; if the plugin is only slow, give the checks more --timeout"
	mendStart = "main must call sdk.Serve (or the Manage function of another SDK) and print nothing before it"
)

// harmless fails a reply that no plugin may give, whatever it was asked, and none.
func (s *subject) harmless(ctx context.Context, sent string, r reply) (Verdict, bool) {
	switch {
	case r.bad != "" && strings.Contains(r.bad, "panicked"):
		return failed(sent, r.bad+": "+r.got, helpPanic), false
	case r.bad != "":
		return failed(sent, r.bad+": "+r.got, "answer what was asked, and only that"), false
	case isTimeUp(ctx):
		return failed(sent, "no answer in time", mendSlow), false
	case status.Code(r.err) == codes.Unavailable && s.ping(ctx) != nil: // a plugin may say so itself
		return failed(sent, r.got, mendEnded), false
	}
	return passed(), true
}

// failsEach skips what cannot be judged, since the plugin fails each call of the kind.
func (s *subject) failsEach(ctx context.Context, c call, r reply) (Verdict, bool) {
	if before := s.usually(ctx, c); r.err != nil && before.err != nil {
		return skipped(fmt.Sprintf("the plugin fails each %s: %s", c, before.got)), true
	}
	return Verdict{}, false
}
