package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func oddHeaders(ctx context.Context, s *subject) Verdict {
	has := s.supported(ctx, callQuery, callHealth, callResource, callSubscribe, callRun, callPublish)
	if len(has) == 0 {
		return skipLack(callQuery, callHealth, callResource)
	}
	for _, h := range []struct{ name, value string }{
		{"http_x-lower-case", "1"}, {"aUTHORIZATION", "Bearer x"}, {"", "no name"}, {"http_", "no name"}, {"a b", "1"}, {"größe", "ü"},
		{"line\r\nbreak", "1"}, {"X-Value", "line\r\nbreak: 1"}, {"X-Nul", "\x00"}, {"X-Long", strings.Repeat("x", 100_000)},
		{"Host", ":::"}, {"Content-Length", "-1"}, {"Transfer-Encoding", "chunked"}, {"Cookie", "=;=;;"}, {"traceparent", "x"},
	} {
		for _, c := range has {
			r := s.make(ctx, c, s.context(1, 1), map[string]string{h.name: h.value})
			if v, ok := s.harmless(ctx, fmt.Sprintf("%s with the header %q: %q", c, h.name, shorten(h.value, 60)), r); !ok {
				return v
			}
		}
	}
	return passed()
}

// hugeSize is beyond the 16 MiB that plugins on other SDKs take by default.
const hugeSize = 17 << 20

func hugeRequest(ctx context.Context, s *subject) Verdict {
	padding := strings.Repeat("x", hugeSize)
	for _, c := range s.supported(ctx, callQuery, callResource) {
		var r reply
		if c == callQuery {
			r = s.query(ctx, s.ask(1, func(q *pluginv2.DataQuery) { q.Json = []byte(`{"slipwayConformance":"` + padding + `"}`) }))
		} else {
			in := s.request("POST", unknownName, unknownName)
			in.Body = []byte(padding)
			r = s.resource(ctx, in)
		}
		sent := fmt.Sprintf("%s with %d MiB", c, hugeSize>>20)
		if status.Code(r.err) == codes.ResourceExhausted {
			return failed(sent, r.got, "raise the largest message that the gRPC server takes (grpc.MaxRecvMsgSize): the size is for the host to limit")
		}
		v, ok := s.harmless(ctx, sent, r)
		if !ok {
			return v
		}
	}
	if len(s.supported(ctx, callQuery, callResource)) == 0 {
		return skipLack(callQuery, callResource)
	}
	return passed()
}
