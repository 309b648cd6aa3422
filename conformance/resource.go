package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/slipway-dev/slipway/internal/text"
)

func (s *subject) request(method, path, url string) *pluginv2.CallResourceRequest {
	return &pluginv2.CallResourceRequest{PluginContext: s.context(1, 1), Method: method, Path: path, Url: url}
}

func resourceUnknownPath(ctx context.Context, s *subject, _ []call) Verdict {
	return s.getsStatus(ctx, s.request("GET", unknownName+"/x", unknownName+"/x?a=1&a=2"))
}

// getsStatus fails a request whose response is not an HTTP status.
func (s *subject) getsStatus(ctx context.Context, in *pluginv2.CallResourceRequest) Verdict {
	sent := fmt.Sprintf("CallResource %s %q", in.Method, in.Path)
	r := s.resource(ctx, in)
	if v := s.harmless(ctx, sent, r); v.Outcome != Passed {
		return v
	}
	if r.err != nil {
		return failed(sent, "the call failed: "+r.got, "respond to every request with an HTTP status, such as 404 for an unknown path")
	}
	return passed()
}

func resourceMethods(ctx context.Context, s *subject, _ []call) Verdict {
	for _, method := range []string{"HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", ""} {
		in := s.request(method, unknownName+"/x", unknownName+"/x")
		in.Body = []byte(`{"a":1}`)
		if v := s.getsStatus(ctx, in); v.Outcome != Passed {
			return v
		}
	}
	for _, method := range []string{"brew", "GET /x HTTP/1.1", "\x00"} { // a plugin may reject these
		r := s.resource(ctx, s.request(method, unknownName, unknownName))
		if v := s.harmless(ctx, fmt.Sprintf("CallResource with the method %q", method), r); v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

func resourceOddPaths(ctx context.Context, s *subject, _ []call) Verdict {
	for _, path := range []string{
		"", "/", "//", "//host/x", "..", "../../etc/passwd", "a/../../b", "./.", "a//b", "%2e%2e%2fb", "%zz", "a b", "a?b#c", "größe",
		"a\x00b", "a\nb", `..\..\b`, "http://host/x", ":", strings.Repeat("long/", 5000),
	} {
		for _, url := range []string{path, "/api/plugins/x/resources/" + path, ""} {
			sent := fmt.Sprintf("CallResource GET %q with the URL %q", text.Shorten(path, 60), text.Shorten(url, 90))
			if v := s.harmless(ctx, sent, s.resource(ctx, s.request("GET", path, url))); v.Outcome != Passed {
				return v
			}
		}
	}
	return passed()
}
