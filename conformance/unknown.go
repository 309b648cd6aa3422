package conformance

import (
	"context"
	"fmt"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"
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
	return failed("call of "+method, newReply(err, "a response").got, "leave unknown methods to gRPC, which returns Unimplemented: hosts rely on that code")
}

// unknownFields sends what a future host may send: fields that are not defined yet,
// which a plugin must ignore, and a frame format, which it may refuse.
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
