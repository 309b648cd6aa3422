package preview

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// View is a page of the preview that shows a part of a plugin.
type View struct {
	Name string `json:"name"` // unique, such as "acme-x-panel: Sales, last week"
	Path string `json:"path"` // with a query

	Problems []string `json:"-"` // why there is nothing to open
}

// Views returns a view of each story, saved query, editor and page of the plugins. A panel without stories is
// shown with sample data. A dashboard with a mistake is a view with problems.
func (s *Server) Views() (list []View) {
	seen := map[string]int{}
	add := func(id, title, path string, query url.Values) {
		name := id + ": " + title
		if seen[name]++; seen[name] > 1 {
			name += fmt.Sprintf(" (%d)", seen[name])
		}
		query.Set("bare", "1")
		list = append(list, View{Name: name, Path: path + "?" + query.Encode()})
	}
	for _, p := range s.Mounted() {
		if !hasModule(p) {
			continue
		}
		id := p.Metadata.ID
		switch p.Metadata.Type {
		case bundle.TypePanel:
			stories := s.storiesOf(id)
			for i, story := range stories {
				add(id, story.Title, "/panel/"+id, url.Values{"story": {fmt.Sprint(i)}})
			}
			if len(stories) == 0 {
				for _, scenario := range []string{"series", "table", "empty", "nodata"} {
					add(id, scenario, "/panel/"+id, url.Values{"scenario": {scenario}})
				}
			}
		case bundle.TypeDatasource:
			for _, tab := range []string{"query", "settings", "annotations", "variable"} {
				add(id, tab, "/datasource/"+id, url.Values{"tab": {tab}})
			}
			for i, title := range savedQueries(s.storiesOf(id), id, s.sourceTypes()) {
				add(id, title, "/datasource/"+id, url.Values{"tab": {"query"}, "saved": {fmt.Sprint(i)}})
			}
		case bundle.TypeApp:
			add(id, "root page", "/a/"+id, url.Values{})
			add(id, "configuration", "/plugins/"+id, url.Values{})
			for _, include := range p.Metadata.Includes {
				path := strings.ReplaceAll(include.Path, "%PLUGIN_ID%", id)
				if include.Type == "page" && strings.HasPrefix(path, "/a/"+id+"/") {
					at, query, _ := strings.Cut(path, "?")
					values, _ := url.ParseQuery(query) // what is valid of it
					add(id, cmp.Or(include.Name, path), at, values)
				}
			}
		}
	}
	return append(list, s.unshown()...)
}

// savedQueries returns the titles of the queries of a data source in stories, in the order of the page.
func savedQueries(stories []story, id string, types map[string]string) (titles []string) {
	for _, story := range stories {
		var p panel
		_ = json.Unmarshal(story.Panel, &p) // it was, to become a story
		for _, query := range p.Targets {
			if cmp.Or(query.Datasource.typeIn(types), p.Datasource.typeIn(types)) == id {
				titles = append(titles, "query of "+story.Title+", "+query.RefID)
			}
		}
	}
	return titles
}

// hasModule reports whether a plugin has a frontend: an app that only groups other plugins has none.
func hasModule(p bundle.Plugin) bool {
	f, err := p.Open("module.js")
	if err != nil {
		return false
	}
	return f.Close() == nil
}
