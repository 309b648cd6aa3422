package proxy

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// routes returns the routes of the target. A data source whose plugin declares none has one
// for all paths below its URL, as in existing hosts.
func (t Target) routes() []bundle.Route {
	if len(t.Routes) == 0 && t.URL != "" {
		return []bundle.Route{{}}
	}
	return t.Routes
}

// signIn sets the headers of a data source whose plugin declares no routes: its custom
// headers, its basic authentication and the cookies that it keeps. It returns an error for a
// setting that the proxy cannot apply.
func (s settings) signIn(header http.Header, to Target) error {
	own := http.Header{}
	for _, key := range slices.Sorted(maps.Keys(s.JsonData)) {
		number, isHeader := strings.CutPrefix(key, "httpHeaderName")
		if !isHeader || s.JsonData[key] == "" {
			continue
		}
		name, _ := s.JsonData[key].(string)
		if !isToken(name) || isReserved(name) {
			return unavailable("the data source setting %q does not name a header that may be set", key)
		}
		value, isSet := to.Secrets["httpHeaderValue"+number]
		if !isSet || !isHeaderValue(value) {
			return unavailable("the secret %q of the data source is missing, or contains a line break or another invalid character", "httpHeaderValue"+number)
		}
		own.Add(name, value)
	}
	if to.BasicAuth && own.Get("Authorization") == "" {
		(&http.Request{Header: own}).SetBasicAuth(to.BasicAuthUser, to.Secrets["basicAuthPassword"])
	}
	if to.Cookies != "" && own.Get("Cookie") == "" {
		own.Set("Cookie", to.Cookies)
	}
	maps.Copy(header, own)
	return nil
}
