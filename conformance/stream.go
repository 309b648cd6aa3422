package conformance

import (
	"context"
	"fmt"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func streamUnknownChannel(ctx context.Context, s *subject, c call) Verdict {
	code, err := s.access(ctx, c, s.context(1, 1), nil)
	sent := fmt.Sprintf("%s of the channel %q", c, unknownName)
	r := newReply(err, fmt.Sprintf("status %d", code))
	if v := s.harmless(ctx, sent, r); v.Outcome != Passed {
		return v
	}
	const help = "respond with the status NOT_FOUND if the channel does not exist, and PERMISSION_DENIED if the user may not use it"
	_, isKnown := pluginv2.SubscribeStreamResponse_Status_name[int32(code)]
	switch reason := refusal(err); {
	case reason != "":
		return failed(sent, r.got+", which means "+reason, help)
	case err != nil:
		return skipped(fmt.Sprintf("%s failed before it looked at the channel: %s", c, r.got))
	case !isKnown:
		return failed(sent, r.got, help)
	}
	return passed()
}

// refusal returns the code of an error that denies a user the channel, or "".
func refusal(err error) string {
	s := status.Convert(err)
	if s.Code() == codes.NotFound || s.Code() == codes.PermissionDenied {
		return s.Code().String()
	}
	for _, detail := range s.Details() {
		info, isInfo := detail.(*errdetails.ErrorInfo)
		if code := info.GetMetadata()["httpStatus"]; isInfo && (code == "404" || code == "403") {
			return "status " + code
		}
	}
	return ""
}

func streamRunRefused(ctx context.Context, s *subject, _ []call) Verdict {
	sent := fmt.Sprintf("RunStream of the channel %q", unknownName)
	r := s.do(ctx, callRun, s.context(1, 1), nil)
	if v := s.harmless(ctx, sent, r); v.Outcome != Passed {
		return v
	}
	if reason := refusal(r.err); reason != "" {
		return failed(sent, r.got+", which means "+reason,
			"if a stream cannot work, end it without an error, as the SDK does for an sdk.Error with a 4xx status: after an error, hosts "+
				"restart it forever")
	}
	if r.err != nil {
		return skipped("RunStream failed in a way that may be temporary, so hosts may restart it: " + r.got)
	}
	return passed()
}
