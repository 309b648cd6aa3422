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

func unknownService(ctx context.Context, s *subject) Verdict {
	return s.unimplemented(ctx, "/slipway.conformance.Unknown/Call")
}

func unknownMethod(ctx context.Context, s *subject) Verdict {
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
	return failed("a call of "+method, read(err, "an answer", true).got, "leave what the plugin does not know to gRPC, which answers Unimplemented: it is what hosts look for")
}

// unknownFields sends what a host of the future may send: fields that there are not
// yet, which are to be ignored, and a format of frames, which may be refused.
func unknownFields(ctx context.Context, s *subject) Verdict {
	has := s.supported(ctx, callQuery, callHealth)
	if len(has) == 0 {
		return skipLack(callQuery, callHealth)
	}
	const field = 20_000
	more := protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), []byte("new"))
	for _, c := range has {
		who := s.context(1, 1)
		who.ProtoReflect().SetUnknown(more)
		sent := fmt.Sprintf("%s with unknown fields in the message and its context", c)
		var r reply
		if c == callQuery {
			in := &pluginv2.QueryDataRequest{PluginContext: who, Queries: []*pluginv2.DataQuery{s.goodQuery(refID)}}
			in.ProtoReflect().SetUnknown(more)
			in.Queries[0].ProtoReflect().SetUnknown(more)
			r = s.query(ctx, in)
		} else {
			in := &pluginv2.CheckHealthRequest{PluginContext: who}
			in.ProtoReflect().SetUnknown(more)
			out, err := s.raw.diagnostics.CheckHealth(ctx, in)
			r = read(err, out.GetMessage(), true, out.GetMessage())
		}
		if v, ok := s.harmless(ctx, sent, r); !ok {
			return v
		}
		if before := s.usually(ctx, c); before.isOK && !r.isOK {
			return failed(sent, r.got, "ignore what is not known: without it the answer was "+before.got)
		}
	}
	if s.lacks(ctx, callQuery) {
		return passed()
	}
	in := s.ask(1, nil)
	in.Format = 99
	v, _ := s.harmless(ctx, "QueryData in the format 99", s.query(ctx, in))
	return v
}
