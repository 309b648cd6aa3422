package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func streamSubscribeUnknown(ctx context.Context, s *subject) Verdict {
	has := s.supported(ctx, callSubscribe, callPublish)
	if len(has) == 0 {
		return skipLack(callSubscribe, callPublish)
	}
	refused := ""
	for _, c := range has {
		sent := fmt.Sprintf("%s of the channel %q", c, unknownName)
		var code int32
		var err error
		if c == callSubscribe {
			var out *pluginv2.SubscribeStreamResponse
			out, err = s.raw.stream.SubscribeStream(ctx, &pluginv2.SubscribeStreamRequest{PluginContext: s.context(1, 1), Path: unknownName})
			code = int32(out.GetStatus())
		} else {
			var out *pluginv2.PublishStreamResponse
			out, err = s.raw.stream.PublishStream(ctx, &pluginv2.PublishStreamRequest{PluginContext: s.context(1, 1), Path: unknownName, Data: []byte(`{}`)})
			code = int32(out.GetStatus())
		}
		r := read(err, fmt.Sprintf("the status %d", code), true)
		if v, ok := s.harmless(ctx, sent, r); !ok {
			return v
		}
		const help = "answer with the status NOT_FOUND for a channel that there is not, and PERMISSION_DENIED for one that the user may not have"
		if code := refusal(err); code != "" {
			return failed(sent, r.got+", which is "+code, help)
		}
		if _, known := pluginv2.SubscribeStreamResponse_Status_name[code]; err == nil && !known {
			return failed(sent, r.got, help)
		}
		if err != nil {
			refused = fmt.Sprintf("%s failed before it came to the channel: %s", c, r.got)
		}
	}
	if refused != "" {
		return skipped(refused)
	}
	return passed()
}

// refusal says in which words an error means that a channel is not there, or not for
// this user; "" if it does not.
func refusal(err error) string {
	is := status.Convert(err)
	if is.Code() == codes.NotFound || is.Code() == codes.PermissionDenied {
		return is.Code().String()
	}
	for _, detail := range is.Details() {
		info, isInfo := detail.(*errdetails.ErrorInfo)
		if code := info.GetMetadata()["httpStatus"]; isInfo && (code == "404" || code == "403") {
			return "status " + code
		}
	}
	for _, words := range []string{"not found", "no such", "unknown channel", "unknown stream", "permission denied"} {
		if err != nil && strings.Contains(strings.ToLower(is.Message()), words) {
			return fmt.Sprintf("%q", words)
		}
	}
	return ""
}

func streamRunRefused(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callRun) {
		return skipLack(callRun)
	}
	r := s.make(ctx, callRun, s.context(1, 1), nil)
	sent := fmt.Sprintf("RunStream of the channel %q", unknownName)
	if v, ok := s.harmless(ctx, sent, r); !ok {
		return v
	}
	if words := refusal(r.err); words != "" {
		return failed(sent, r.got+", which is "+words, "end a stream that cannot work without an error: one on our SDK does so for an sdk.Error with a status of 4xx. After an error the host runs it again, for ever")
	}
	if r.err != nil {
		return skipped("RunStream failed in a way that may pass, so that hosts may run it again: " + r.got)
	}
	return passed()
}
