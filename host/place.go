package host

import (
	"encoding/json"
	"net/url"
	"strings"
)

// LeadsElsewhere reports whether d could send secrets of the stored data source to a
// place that the stored one does not refer to: to another plugin, or to another origin
// in the URL or anywhere in jsonData.
func (d DataSource) LeadsElsewhere(stored DataSource) bool {
	if d.Type != stored.Type {
		return true
	}
	known := placesIn(stored.JSON)
	known[placeOf(stored.URL)] = true
	return !known[placeOf(d.URL)] || hasOthers(placesIn(d.JSON), known)
}

// LeadsElsewhere is like DataSource.LeadsElsewhere.
func (a AppSettings) LeadsElsewhere(stored AppSettings) bool {
	return hasOthers(placesIn(a.JSON), placesIn(stored.JSON))
}

func hasOthers(places, known map[string]bool) bool {
	for place := range places {
		if !known[place] {
			return true
		}
	}
	return false
}

// placeOf returns the origin of an address. An address without a scheme, as databases
// have, is returned as it is.
func placeOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// placesIn returns the places of all addresses in settings.
func placesIn(settings json.RawMessage) map[string]bool {
	places := map[string]bool{}
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case string:
			if strings.Contains(v, "://") {
				places[placeOf(v)] = true
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
	return places
}
