package host

import (
	"encoding/json"
	"net/url"
	"strings"
)

// LeadsElsewhere reports whether d could send secrets of the stored data source to a
// destination that the stored one does not refer to: another plugin, or another origin
// in the URL, anywhere in jsonData, or in a route of the plugin filled in with jsonData.
func (d DataSource) LeadsElsewhere(stored DataSource) bool {
	if d.Type != stored.Type {
		return true
	}
	known := originsIn(stored.JSON)
	known[originOf(stored.URL)] = true
	return !known[originOf(d.URL)] || hasOthers(originsIn(d.JSON), known) ||
		d.Origins != nil && hasOthers(setOf(d.Origins(d)), setOf(d.Origins(stored)))
}

// LeadsElsewhere is like DataSource.LeadsElsewhere.
func (a AppSettings) LeadsElsewhere(stored AppSettings) bool {
	return hasOthers(originsIn(a.JSON), originsIn(stored.JSON)) ||
		a.Origins != nil && hasOthers(setOf(a.Origins(a)), setOf(a.Origins(stored)))
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, one := range list {
		set[one] = true
	}
	return set
}

func hasOthers(origins, known map[string]bool) bool {
	for origin := range origins {
		if !known[origin] {
			return true
		}
	}
	return false
}

// originOf returns the origin of an address. One without a scheme, as databases have, is its own.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// originsIn returns the origins of all addresses in settings.
func originsIn(settings json.RawMessage) map[string]bool {
	origins := map[string]bool{}
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case string:
			if strings.Contains(v, "://") {
				origins[originOf(v)] = true
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		case map[string]any:
			for _, element := range v {
				walk(element)
			}
		}
	}
	var value any
	if json.Unmarshal(settings, &value) == nil { // invalid JSON contains no address
		walk(value)
	}
	return origins
}
