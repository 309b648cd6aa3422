package host

import (
	"encoding/json"
	"net/url"
	"strings"
)

// LeadsElsewhere says whether secrets that were entered for the stored data source
// could be sent to a place that it did not name: another plugin, or an address with
// another origin, in the url or anywhere in jsonData.
func (d DataSource) LeadsElsewhere(stored DataSource) bool {
	if d.Type != stored.Type {
		return true
	}
	known := placesIn(stored.JSON)
	known[placeOf(stored.URL)] = true
	return !known[placeOf(d.URL)] || hasOthers(placesIn(d.JSON), known)
}

// LeadsElsewhere is the same for the settings of an app.
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

// placeOf is the origin of an address; one without a scheme, as databases have, is a
// place as a whole.
func placeOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// placesIn finds the addresses among the texts of settings.
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
	if json.Unmarshal(settings, &value) == nil { // what is no JSON holds no address
		walk(value)
	}
	return places
}
