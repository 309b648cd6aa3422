package wire

import (
	"net/http"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

// Text returns s as UTF-8, which strings on the wire must be: U+FFFD replaces invalid bytes.
func Text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Header returns the HTTP header of a resource request or response.
func Header(in map[string]*pluginv2.StringList) http.Header {
	h := make(http.Header, len(in))
	for k, v := range in {
		h[http.CanonicalHeaderKey(k)] = v.GetValues()
	}
	return h
}

// StringLists is the inverse of Header.
func StringLists(h http.Header) map[string]*pluginv2.StringList {
	out := make(map[string]*pluginv2.StringList, len(h))
	for k, v := range h {
		values := make([]string, len(v))
		for i := range v {
			values[i] = Text(v[i])
		}
		out[Text(k)] = &pluginv2.StringList{Values: values}
	}
	return out
}
