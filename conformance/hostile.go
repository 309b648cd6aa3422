package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func oddHeaders(ctx context.Context, s *subject, c call) Verdict {
	for _, h := range []struct{ name, value string }{
		{"http_x-lower-case", "1"}, {"aUTHORIZATION", "Bearer x"}, {"", "no name"}, {"http_", "no name"}, {"a b", "1"}, {"größe", "ü"},
		{"line\r\nbreak", "1"}, {"X-Value", "line\r\nbreak: 1"}, {"X-Nul", "\x00"}, {"X-Long", strings.Repeat("x", 100_000)},
		{"Host", ":::"}, {"Content-Length", "-1"}, {"Transfer-Encoding", "chunked"}, {"Cookie", "=;=;;"}, {"traceparent", "x"},
	} {
		r := s.do(ctx, c, s.context(1, 1), map[string]string{h.name: h.value})
		if v := s.harmless(ctx, fmt.Sprintf("%s with the header %q: %q", c, h.name, shorten(h.value, 60)), r); v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

// hugeSize exceeds the 16 MiB that plugins on other SDKs accept by default.
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
