package proxy

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Origins returns the origins to which routes send secrets, with the settings that their
// addresses refer to. An address that depends on a secret counts as another origin for
// each change of secrets; changed holds those that a change sets. A route whose address
// cannot be filled in sends nothing.
func Origins(routes []bundle.Route, base string, data json.RawMessage, changed map[string]string) []string {
	s, err := newSettings(base, data, nil)
	if err != nil {
		return nil
	}
	var origins []string
	for _, route := range routes {
		templates := []string{route.URL}
		for _, auth := range []*bundle.TokenAuth{route.TokenAuth, route.JWTTokenAuth} {
			if auth != nil {
				templates = append(templates, cmp.Or(auth.URL, auth.Params["token_uri"]))
			}
		}
		for _, text := range templates {
			if strings.Contains(text, "SecureJsonData") {
				if len(changed) > 0 {
					origins = append(origins, text)
				}
			} else if u, err := s.address("url", text); err == nil {
				origins = append(origins, strings.ToLower(u.Scheme+"://"+u.Host))
			}
		}
	}
	return origins
}
