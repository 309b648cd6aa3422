package preview

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/limit"
)

// story is a panel that the repository has saved in a dashboard.
type story struct {
	Title     string          `json:"title"`
	Dashboard string          `json:"dashboard"` // title
	Panel     json.RawMessage `json:"panel" ts:"SavedPanel"`
	Variables json.RawMessage `json:"variables" ts:"StoredVariable[] | null"` // of the dashboard
	Time      json.RawMessage `json:"time" ts:"{ from: string; to: string } | null"`
	// Sources are the panels of the dashboard whose data the panel shows, by the data source "-- Dashboard --".
	Sources []json.RawMessage `json:"sources" ts:"SavedPanel[]"`
}

const maxDashboard = 16 << 20 // bytes

// stories sends the stories of a plugin: the panels of its type, and those that query it.
func (s *Server) stories(w http.ResponseWriter, r *http.Request) {
	sendJSON(w, http.StatusOK, s.storiesOf(r.URL.Query().Get("plugin")))
}

// storiesOf returns the stories of a plugin, in the order of the files and the panels in them.
func (s *Server) storiesOf(id string) []story {
	list := []story{}
	for _, file := range s.dashboards() {
		text, err := limit.ReadFile(file, maxDashboard)
		if err == nil {
			list = append(list, storiesIn(text, id)...)
		}
	}
	return list
}

// dashboards returns the files that may be dashboards: those in directories of that name, and those
// that a plugin includes.
func (s *Server) dashboards() (files []string) {
	for _, top := range []string{filepath.Join(s.Repo.Root, "provisioning"), s.Repo.Source} {
		_ = filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // most repositories have only one of the two
			case d.IsDir() && bundle.IsToolDir(d.Name()) || d.IsDir() && file == s.Repo.Dist:
				return fs.SkipDir
			case d.Type().IsRegular() && path.Ext(file) == ".json" && strings.Contains(filepath.ToSlash(file), "/dashboards/"):
				files = append(files, file)
			}
			return nil
		})
	}
	for _, p := range s.Mounted() {
		for _, include := range p.Metadata.Includes {
			file := filepath.Join(s.Repo.Source, filepath.FromSlash(include.Path))
			if _, err := os.Stat(file); err == nil && include.Type == "dashboard" && filepath.IsLocal(filepath.FromSlash(include.Path)) {
				files = append(files, file)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// dashboard is a dashboard, or an export, which contains one. A row contains panels.
type dashboard struct {
	Title      string            `json:"title"`
	Panels     []json.RawMessage `json:"panels"`
	Time       json.RawMessage   `json:"time"`
	Dashboard  *dashboard        `json:"dashboard"`
	Templating struct {
		List json.RawMessage `json:"list"`
	} `json:"templating"`
}

func storiesIn(text []byte, id string) (list []story) {
	var d dashboard
	if json.Unmarshal(text, &d) != nil {
		return nil
	}
	if d.Dashboard != nil {
		d = *d.Dashboard
	}
	all, byID := flat(d.Panels), map[int]json.RawMessage{}
	for _, panel := range all {
		byID[panel.ID] = panel.text
	}
	for _, panel := range all {
		queries, sources := panel.Datasource.Type == id, []json.RawMessage{}
		for _, target := range panel.Targets {
			queries = queries || target.Datasource.Type == id
			if text, ok := byID[target.PanelID]; ok && target.PanelID != 0 {
				sources = append(sources, text)
			}
		}
		if panel.Type == id || queries {
			title := cmp.Or(panel.Title, fmt.Sprintf("Panel %d", len(list)+1))
			list = append(list, story{title, d.Title, panel.text, orNull(d.Templating.List), orNull(d.Time), sources})
		}
	}
	return list
}

// panel is the part of a saved panel that decides whether it is a story.
type panel struct {
	ID          int
	Title, Type string
	Datasource  source
	Targets     []struct {
		Datasource source
		PanelID    int
	}
	Panels []json.RawMessage
	text   json.RawMessage
}

// flat returns panels and those in rows, in order.
func flat(panels []json.RawMessage) (list []panel) {
	for _, text := range panels {
		p := panel{text: text}
		if json.Unmarshal(text, &p) == nil {
			list = append(append(list, p), flat(p.Panels)...)
		}
	}
	return list
}

func orNull(text json.RawMessage) json.RawMessage {
	if text == nil {
		return json.RawMessage("null")
	}
	return text
}

// source is the data source of a panel or a query: an object with its type, or its name in old
// dashboards.
type source struct{ Type string }

// UnmarshalJSON accepts both.
func (s *source) UnmarshalJSON(text []byte) error {
	var object struct{ Type string }
	if json.Unmarshal(text, &object) == nil {
		s.Type = object.Type
	}
	return nil
}
