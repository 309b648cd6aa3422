package preview

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/nearest"
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

// savedDir is where panels are saved.
const savedDir = "provisioning/dashboards"

// saveStory adds a panel to the dashboard that the preview writes for its plugin, and sends which story it is.
func (s *Server) saveStory(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Plugin string         `json:"plugin"`
		Panel  map[string]any `json:"panel"`
		Time   any            `json:"time"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxDashboard)).Decode(&asked)
	if err != nil || !s.isMounted(asked.Plugin) || asked.Panel["type"] != asked.Plugin {
		refuse(w, http.StatusBadRequest, "story", "the body must be a panel of a plugin of the repository")
		return
	}
	story, err := s.addStory(asked.Plugin, asked.Panel, asked.Time)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "story", "save the story: "+err.Error())
		return
	}
	sendJSON(w, http.StatusOK, map[string]int{"story": story})
}

func (s *Server) addStory(id string, added map[string]any, time any) (story int, err error) {
	root, err := os.OpenRoot(s.Repo.Root)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	name := path.Join(savedDir, id+"-stories.json")
	board := map[string]any{"title": "Stories of " + id, "uid": fmt.Sprintf("%.32s-stories", id), "schemaVersion": 39, "time": time}
	text, err := root.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &board)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	panels, _ := board["panels"].([]any)
	added["id"], added["gridPos"] = len(panels)+1, map[string]int{"w": 12, "h": 9, "x": 12 * (len(panels) % 2), "y": 9 * (len(panels) / 2)}
	board["panels"] = append(panels, added)
	if text, err = json.MarshalIndent(board, "", "  "); err == nil {
		err = atomicfile.WriteIn(root, name, 0o644, append(text, '\n'))
	}
	if err != nil {
		return 0, err
	}
	types := s.sourceTypes()
	for _, file := range s.dashboards() {
		d, err := readDashboard(file)
		if err != nil {
			continue
		}
		story += len(d.stories(id, types))
		if file == filepath.Join(s.Repo.Root, filepath.FromSlash(name)) {
			break
		}
	}
	return story - 1, nil
}

// storiesOf returns the stories of a plugin, in the order of the files and the panels in them.
func (s *Server) storiesOf(id string) []story {
	list, types := []story{}, s.sourceTypes()
	for _, file := range s.dashboards() {
		if d, err := readDashboard(file); err == nil {
			list = append(list, d.stories(id, types)...)
		}
	}
	return list
}

// unshown returns a view of each file that is no dashboard, or whose panels are likely to be hidden by mistake.
func (s *Server) unshown() (list []View) {
	for _, file := range s.dashboards() {
		name, _ := filepath.Rel(s.Repo.Root, file) // below it
		d, err := readDashboard(file)
		found := s.strange(d)
		if err != nil {
			found = []string{"the dashboard cannot be read: " + err.Error()}
		}
		if len(found) > 0 {
			list = append(list, View{Name: filepath.ToSlash(name), Problems: found})
		}
	}
	return list
}

// strange returns the panels of a dashboard that are of another plugin, or ask one, where the repository's own is
// likely to be meant: plugin.json does not depend on it, or the id is nearly that of a plugin here.
func (s *Server) strange(d dashboard) (list []string) {
	known, ids := []string{}, []string{}
	for _, p := range s.Mounted() {
		ids = append(ids, p.Metadata.ID)
		for _, other := range p.Metadata.Dependencies.Plugins {
			known = append(known, other.ID)
		}
	}
	// The panels of hosts have short names, but for these.
	known = append(known, "state-timeline", "status-history", "table-old", "heatmap-new", "heatmap-old", "library-panel-ref")
	isMeant := func(id, near string) bool { return near != "" && near != id && !slices.Contains(known, id) }
	for _, panel := range flat(d.Panels) {
		near := nearest.Name(panel.Type, ids)
		switch {
		case isMeant(panel.Type, near):
			list = append(list, fmt.Sprintf("the panel %q is of type %s, which is not in this repository; did you mean %s?", panel.Title, panel.Type, near))
		case strings.Contains(panel.Type, "-") && !slices.Contains(slices.Concat(known, ids), panel.Type):
			list = append(list, fmt.Sprintf("the panel %q is of type %s, which is neither in this repository nor among the dependencies of plugin.json",
				panel.Title, panel.Type))
		}
		for _, query := range append(panel.Targets, target{Datasource: panel.Datasource}) {
			if near := nearest.Name(query.Datasource.Type, ids); isMeant(query.Datasource.Type, near) {
				list = append(list, fmt.Sprintf("the panel %q asks %s, which is not in this repository; did you mean %s?", panel.Title,
					query.Datasource.Type, near))
				break
			}
		}
	}
	return list
}

// dashboards returns the files in directories of that name, and those that a plugin includes.
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
	Title     string            `json:"title"`
	Panels    []json.RawMessage `json:"panels"`
	Time      json.RawMessage   `json:"time"`
	Dashboard *dashboard        `json:"dashboard"`
	Elements  json.RawMessage   `json:"elements"`
	Spec      struct {
		Elements json.RawMessage `json:"elements"`
	} `json:"spec"`
	Templating struct {
		List json.RawMessage `json:"list"`
	} `json:"templating"`
}

// errFormat is the error for a dashboard whose panels are not in an array.
var errFormat = errors.New("its panels are in the newer format, with elements: save it in the classic one")

func readDashboard(file string) (d dashboard, err error) {
	text, err := limit.ReadFile(file, maxDashboard)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		err = fmt.Errorf("line %d: %w", 1+bytes.Count(text[:syntax.Offset], []byte{'\n'}), err)
	}
	if d.Dashboard != nil {
		d = *d.Dashboard
	}
	if err == nil && (d.Elements != nil || d.Spec.Elements != nil) {
		err = errFormat
	}
	return d, err
}

// sourceTypes returns the types of the host's data sources by what dashboards have of them: names and uids.
func (s *Server) sourceTypes() map[string]string {
	var list []struct{ Name, UID, Type string }
	types, answer := map[string]string{}, &kept{}
	if r, err := http.NewRequest(http.MethodGet, "http://localhost/api/datasources", nil); err == nil {
		s.API(roleOf("")).ServeHTTP(answer, r)
	}
	_ = json.Unmarshal(answer.Bytes(), &list) // without an answer, types decide
	for _, d := range list {
		types[d.Name], types[d.UID] = d.Type, d.Type
	}
	delete(types, "") // of a query that names none
	return types
}

// kept is an answer to the preview itself: its body.
type kept struct{ bytes.Buffer }

// Header returns headers that nobody reads.
func (*kept) Header() http.Header { return http.Header{} }

// WriteHeader does nothing.
func (*kept) WriteHeader(int) {}

// stories returns the panels of a plugin's type, and those that query it, with the types of data sources by name and uid.
func (d dashboard) stories(id string, types map[string]string) (list []story) {
	all, byID := flat(d.Panels), map[int]json.RawMessage{}
	for _, panel := range all {
		byID[panel.ID] = panel.text
	}
	for _, panel := range all {
		queries, sources := panel.Datasource.typeIn(types) == id, []json.RawMessage{}
		for _, target := range panel.Targets {
			queries = queries || target.Datasource.typeIn(types) == id
			if text, ok := byID[target.PanelID]; ok && target.PanelID != 0 {
				sources = append(sources, text)
			}
		}
		if panel.Type == id || queries {
			title := cmp.Or(panel.Title, fmt.Sprintf("Panel %d", len(list)+1))
			list = append(list, story{title, d.Title, panel.text, d.Templating.List, d.Time, sources})
		}
	}
	return list
}

// panel is the part of a saved panel that decides whether it is a story.
type panel struct {
	ID          int
	Title, Type string
	Datasource  source
	Targets     []target
	Panels      []json.RawMessage
	text        json.RawMessage
}

// target is a query.
type target struct {
	RefID      string
	Datasource source
	PanelID    int
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

// source is the data source of a panel or a query: an object with its type and uid, or its name in old
// dashboards.
type source struct{ Type, UID string }

// UnmarshalJSON accepts both.
func (s *source) UnmarshalJSON(text []byte) error {
	type object source
	if json.Unmarshal(text, (*object)(s)) != nil {
		_ = json.Unmarshal(text, &s.UID) // nothing else is a data source
	}
	return nil
}

// typeIn returns the type, with the types of data sources by name and uid, as savedQueries of the page does.
func (s source) typeIn(types map[string]string) string { return cmp.Or(s.Type, types[s.UID], s.UID) }
