package preview

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// View is a page of the preview that shows a part of a plugin.
type View struct {
	Name string `json:"name"` // unique, such as "acme-x-panel: Sales, last week"
	Path string `json:"path"` // with a query
}

// Views returns a view of each story, editor and page of the plugins. A panel without stories is
// shown with sample data.
func (s *Server) Views() (list []View) {
	seen := map[string]int{}
	add := func(id, title, path string, query url.Values) {
		name := id + ": " + title
		if seen[name]++; seen[name] > 1 {
			name += fmt.Sprintf(" (%d)", seen[name])
		}
		query.Set("bare", "1")
		list = append(list, View{name, path + "?" + query.Encode()})
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
	return list
}

// hasModule reports whether a plugin has a frontend: an app that only groups other plugins has none.
func hasModule(p bundle.Plugin) bool {
	f, err := p.Open("module.js")
	if err != nil {
		return false
	}
	return f.Close() == nil
}
