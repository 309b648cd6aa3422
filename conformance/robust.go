package conformance

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/slipway-dev/slipway/internal/text"
)

func unknownService(ctx context.Context, s *subject, _ []call) Verdict {
	return s.unimplemented(ctx, "/slipway.conformance.Unknown/Call")
}

func unknownMethod(ctx context.Context, s *subject, _ []call) Verdict {
	for _, service := range []string{"Data", "Diagnostics", "Resource", "Stream", "AdmissionControl", "ResourceConversion"} {
		if v := s.unimplemented(ctx, "/pluginv2."+service+"/SlipwayConformanceUnknown"); v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

func (s *subject) unimplemented(ctx context.Context, method string) Verdict {
	err := s.conn.Invoke(ctx, method, &emptypb.Empty{}, &emptypb.Empty{})
	if status.Code(err) == codes.Unimplemented {
		return passed()
	}
	return failed("call of "+method, newReply(err, "a response").got,
		"leave unknown methods to gRPC, which returns Unimplemented: hosts rely on that code")
}

// unknownFields sends what a future host may send: fields that are not defined yet,
// which a plugin must ignore, and a frame format, which it may reject.
func unknownFields(ctx context.Context, s *subject, c call) Verdict {
	const field = 20_000
	more := protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), []byte("new"))
	who := s.context(1, 1)
	who.ProtoReflect().SetUnknown(more)
	var r reply
	if c == callQuery {
		in := &pluginv2.QueryDataRequest{PluginContext: who, Queries: []*pluginv2.DataQuery{s.validQuery("A")}}
		in.ProtoReflect().SetUnknown(more)
		in.Queries[0].ProtoReflect().SetUnknown(more)
		r = s.query(ctx, in)
	} else {
		in := &pluginv2.CheckHealthRequest{PluginContext: who}
		in.ProtoReflect().SetUnknown(more)
		out, err := s.raw.diagnostics.CheckHealth(ctx, in)
		r = newReply(err, out.GetMessage(), out.GetMessage())
	}
	sent := fmt.Sprintf("%s with unknown fields in the message and its context", c)
	if v := s.harmless(ctx, sent, r); v.Outcome != Passed {
		return v
	}
	if before := s.usually(ctx, c); before.isOK && !r.isOK {
		return failed(sent, r.got, "ignore unknown fields: without them the response was "+before.got)
	}
	if c != callQuery {
		return passed()
	}
	in := s.queries(1, nil)
	in.Format = 99
	return s.harmless(ctx, "QueryData in the format 99", s.query(ctx, in))
}

func nilContext(ctx context.Context, s *subject, c call) Verdict {
	return s.harmless(ctx, string(c)+" without a pluginContext", s.do(ctx, c, nil, nil))
}

func bareContext(ctx context.Context, s *subject, c call) Verdict {
	noUser := s.context(1, 1)
	noUser.User = nil
	empty := s.context(1, 1)
	if empty.DataSourceInstanceSettings != nil {
		empty.DataSourceInstanceSettings = &pluginv2.DataSourceInstanceSettings{}
	} else {
		empty.AppInstanceSettings = &pluginv2.AppInstanceSettings{}
	}
	for _, one := range []struct {
		name string
		who  *pluginv2.PluginContext
	}{
		{"without a user", noUser},
		{"with empty settings", empty},
		{"with nothing but an organization", &pluginv2.PluginContext{OrgId: 1}},
	} {
		if v := s.harmless(ctx, fmt.Sprintf("%s %s", c, one.name), s.do(ctx, c, one.who, nil)); v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

// settingsChange makes concurrent calls for four organizations, whose settings change meanwhile.
func settingsChange(ctx context.Context, s *subject, has []call) Verdict {
	for _, c := range has {
		s.usually(ctx, c)
	}
	const organizations, versions = 4, 10
	verdicts := make([]Verdict, organizations)
	var group sync.WaitGroup
	for n := range verdicts {
		group.Go(func() {
			org := int64(n) + 1
			for version := range int64(versions) {
				for _, c := range has {
					sent := fmt.Sprintf("%s for organization %d with version %d of its settings, during calls for others", c, org, version)
					verdicts[n] = s.asUsual(ctx, c, sent, s.do(ctx, c, s.context(org, version+2), nil))
					if verdicts[n].Outcome != Passed {
						return
					}
				}
			}
		})
	}
	group.Wait()
	verdict := firstNotPassed(verdicts)
	if verdict.Outcome == Failed && verdict.Help != helpPanic {
		verdict.Help = "keep one instance per organization and data source, and replace it when its settings change"
	}
	return verdict
}

func oddHeaders(ctx context.Context, s *subject, c call) Verdict {
	for _, h := range []struct{ name, value string }{
		{"http_x-lower-case", "1"}, {"aUTHORIZATION", "Bearer x"}, {"", "no name"}, {"http_", "no name"}, {"a b", "1"}, {"größe", "ü"},
		{"line\r\nbreak", "1"}, {"X-Value", "line\r\nbreak: 1"}, {"X-Nul", "\x00"}, {"X-Long", strings.Repeat("x", 100_000)},
		{"Host", ":::"}, {"Content-Length", "-1"}, {"Transfer-Encoding", "chunked"}, {"Cookie", "=;=;;"}, {"traceparent", "x"},
	} {
		r := s.do(ctx, c, s.context(1, 1), map[string]string{h.name: h.value})
		if v := s.harmless(ctx, fmt.Sprintf("%s with the header %q: %q", c, h.name, text.Shorten(h.value, 60)), r); v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

// hugeSize exceeds the 16 MiB that plugins built with other SDKs accept by default.
const hugeSize = 17 << 20

func hugeRequest(ctx context.Context, s *subject, c call) Verdict {
	padding := strings.Repeat("x", hugeSize)
	var r reply
	if c == callQuery {
		r = s.query(ctx, s.queries(1, func(q *pluginv2.DataQuery) { q.Json = []byte(`{"slipwayConformance":"` + padding + `"}`) }))
	} else {
		in := s.request("POST", unknownName, unknownName)
		in.Body = []byte(padding)
		r = s.resource(ctx, in)
	}
	sent := fmt.Sprintf("%s with %d MiB", c, hugeSize>>20)
	if status.Code(r.err) == codes.ResourceExhausted {
		return failed(sent, r.got, "raise the message size limit of the gRPC server (grpc.MaxRecvMsgSize): limiting the size is up to the host")
	}
	return s.harmless(ctx, sent, r)
}
