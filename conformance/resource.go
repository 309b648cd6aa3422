package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

const mendResource = "answer each request with a status of HTTP, 404 for a path that there is not"

func (s *subject) request(method, path, url string) *pluginv2.CallResourceRequest {
	return &pluginv2.CallResourceRequest{PluginContext: s.context(1, 1), Method: method, Path: path, Url: url}
}

func resourceUnknownPath(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callResource) {
		return skipLack(callResource)
	}
	return s.answered(ctx, s.request("GET", unknownName+"/x", unknownName+"/x?a=1&a=2"))
}

// answered wants a request answered with a status.
func (s *subject) answered(ctx context.Context, in *pluginv2.CallResourceRequest) Verdict {
	sent := fmt.Sprintf("CallResource %s %q", in.Method, in.Path)
	r := s.resource(ctx, in)
	if v, ok := s.harmless(ctx, sent, r); !ok {
		return v
	}
	if r.err != nil {
		return failed(sent, "the call failed: "+r.got, mendResource)
	}
	return passed()
}

func resourceMethods(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callResource) {
		return skipLack(callResource)
	}
	for _, method := range []string{"HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", ""} {
		in := s.request(method, unknownName, unknownName)
		in.Body = []byte(`{"a":1}`)
		if v := s.answered(ctx, in); v.Outcome != Passed {
			return v
		}
	}
	for _, method := range []string{"brew", "GET /x HTTP/1.1", "\x00"} { // which a plugin may refuse
		if v, ok := s.harmless(ctx, fmt.Sprintf("CallResource with the method %q", method), s.resource(ctx, s.request(method, unknownName, unknownName))); !ok {
			return v
		}
	}
	return passed()
}

func resourceOddPaths(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callResource) {
		return skipLack(callResource)
	}
	for _, path := range []string{
		"", "/", "//", "//host/x", "..", "../../etc/passwd", "a/../../b", "./.", "a//b", "%2e%2e%2fb", "%zz", "a b", "a?b#c", "größe",
		"a\x00b", "a\nb", `..\..\b`, "http://host/x", ":", strings.Repeat("long/", 5000),
	} {
		for _, url := range []string{path, "/api/plugins/x/resources/" + path, ""} {
			r := s.resource(ctx, s.request("GET", path, url))
			if v, ok := s.harmless(ctx, fmt.Sprintf("CallResource GET %q, with the URL %q", shorten(path, 60), shorten(url, 90)), r); !ok {
				return v
			}
		}
	}
	return passed()
}
