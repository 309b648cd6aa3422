// Package provisioning reads the files that configure a host without its API, in the format
// of the provisioning directories of plugin repositories:
//
//	datasources/*.yaml  data sources to store and to delete
//	plugins/*.yaml      settings of apps, and of the processes of plugins
//	dashboards/*.yaml   providers, each of which names a directory of dashboards in JSON
//	playlists/*.yaml    playlists to store and to delete
//
// A value can contain $NAME, ${NAME} and $__env{NAME}, which are replaced by environment
// variables, and $__file{NAME}, which is replaced by the contents of a file; $$ stands for
// a dollar sign. Keys that this package does not know are ignored.
//
// A user who can write these files can make the host read any file that it has access to,
// and send the contents, as a secret of a data source, to any address. The directory must
// be as trusted as the executable of the host.
package provisioning

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/host"
)

// Config is what the files of a provisioning directory describe.
type Config struct {
	DataSources  []DataSource
	Delete       []string // names of data sources
	Apps         []host.AppSettings
	Dashboards   []Dashboard
	Playlists    []Playlist
	DeletedLists []string                     // uids of playlists
	Settings     map[string]map[string]string // of the processes of plugins: values by key in upper case, by id
	Warnings     []error                      // each an *Error: what is skipped or read differently

	seen      map[string]string // files and directories, and what they were before they were read
	isPartial bool              // a file of a dashboard exists that was not read; its uid is unknown
}

// DropModels frees the models of the dashboards, which Apply needs.
func (c *Config) DropModels() {
	for i := range c.Dashboards {
		c.Dashboards[i].Model = nil
	}
}

// Changes describes the files and directories that have changed since they were read. It
// returns "" if there are none, and the same text until one of them changes again.
func (c *Config) Changes() string {
	var changes []string
	for name, before := range c.seen {
		if now := stamp(name); now != before {
			changes = append(changes, name+" "+now)
		}
	}
	slices.Sort(changes)
	return strings.Join(changes, "\n")
}

// stamp describes the size, time and mode of a file or directory. It is "" for one that does not exist.
func stamp(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return fmt.Sprintln(info.Size(), info.ModTime().UnixNano(), info.Mode())
}

// DataSource is a data source in a file.
type DataSource struct {
	host.DataSource        // Secrets are complete; UID is never empty
	HasUID          bool   // the file names the uid
	File            string // slash-separated, in the provisioning directory
	IsReadOnly      bool   // unless the file sets editable
	IsPruned        bool   // delete it when no file describes it any longer
}

// Dashboard is a dashboard in a directory of a provider.
type Dashboard struct {
	host.Dashboard        // UID is never empty
	Folder         string // title; "" for none
	File           string // path
	IsKept         bool   // when its file is deleted
	IsReadOnly     bool   // unless the provider sets allowUiUpdates
}

// Error reports a position in a file.
type Error struct {
	File         string // slash-separated, in the provisioning directory, or absolute
	Line, Column int    // from 1; 0 if unknown
	Err          error
}

// Error returns the position and the cause.
func (e *Error) Error() string {
	at := e.File
	if e.Line > 0 {
		at += fmt.Sprintf(":%d:%d", e.Line, max(e.Column, 1))
	}
	return at + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// imagePath is where the images of existing hosts, and files in plugin repositories, have the directory.
const imagePath = "/etc/grafana/provisioning/"

type reader struct {
	expander
	config   Config
	faults   []error                       // each an *Error
	check    func(key, value string) error // of a setting
	defaults int
	names    map[string]bool       // of data sources
	written  map[*yaml.Node]string // values before they were expanded, which may have inserted a secret
}

// Options control Read.
type Options struct {
	Lookup       func(name string) (value string, ok bool) // an environment variable
	CheckSetting func(key, value string) error             // of a process; its error contains no value
}

// Read reads a provisioning directory. The error joins one *Error for each value that is invalid.
// Missing subdirectories are empty. The result is never nil; with an error, only Changes may be
// called.
func Read(dir string, o Options) (*Config, error) {
	r := &reader{expander: expander{dir: dir, lookup: o.Lookup, seen: map[string]string{}}, check: o.CheckSetting, names: map[string]bool{}, written: map[*yaml.Node]string{}}
	r.config.Settings = map[string]map[string]string{}
	if _, err := r.readDir(dir); err != nil {
		r.faults = append(r.faults, err)
	}
	r.each("datasources", r.dataSources)
	r.each("plugins", r.plugins)
	r.each("playlists", r.playlists)
	r.each("dashboards", r.providers)
	r.config.seen = r.seen
	return &r.config, errors.Join(r.faults...)
}

// document is a YAML file whose values are expanded.
type document struct {
	file string
	root *yaml.Node
}

func (r *reader) fail(file string, at *yaml.Node, format string, args ...any) {
	r.faults = append(r.faults, errorAt(file, at, format, args...))
}

func (r *reader) warn(file string, at *yaml.Node, format string, args ...any) {
	r.config.Warnings = append(r.config.Warnings, errorAt(file, at, format, args...))
}

func errorAt(file string, at *yaml.Node, format string, args ...any) *Error {
	return &Error{File: file, Line: at.Line, Column: at.Column, Err: fmt.Errorf(format, args...)}
}

// each parses the YAML files of a subdirectory in the order of their names.
func (r *reader) each(sub string, do func(document)) {
	entries, err := r.readDir(filepath.Join(r.dir, sub))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.faults = append(r.faults, &Error{File: sub, Err: err})
		}
		return
	}
	for _, entry := range entries {
		if extension := filepath.Ext(entry.Name()); extension != ".yaml" && extension != ".yml" {
			continue
		}
		file := sub + "/" + entry.Name()
		text, err := r.readFile(filepath.Join(r.dir, file), maxFile)
		if err != nil {
			r.faults = append(r.faults, &Error{File: file, Err: err})
			continue
		}
		if root := r.parse(file, text); root != nil {
			do(document{file, root})
		}
	}
}

// yamlLine matches the position in messages of package yaml.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// parse returns the root of a document, or nil if it is empty or invalid.
func (r *reader) parse(file string, text []byte) *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		e := &Error{File: file, Err: errors.New(strings.TrimPrefix(err.Error(), "yaml: "))}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			e.Err = errors.New(strings.TrimPrefix(err.Error(), m[0]))
			e.Column = 1 + indent(text, e.Line)
		}
		r.faults = append(r.faults, e)
		return nil
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		r.fail(file, root, "must be a mapping with apiVersion: 1")
		return nil
	}
	if version := valueOf(root, "apiVersion"); version != nil && version.Value != "1" {
		r.fail(file, version, "apiVersion must be 1, found %.100q", version.Value)
		return nil
	}
	r.expandAll(file, root)
	return root
}

// indent returns the number of spaces at the start of a line.
func indent(text []byte, line int) int {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return 0
	}
	return len(lines[line-1]) - len(strings.TrimLeft(lines[line-1], " "))
}

// expandAll expands the values in a tree, not its keys; an alias where its anchor is.
func (r *reader) expandAll(file string, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			r.expandAll(file, n.Content[i])
		}
	case yaml.SequenceNode:
		for _, element := range n.Content {
			r.expandAll(file, element)
		}
	case yaml.ScalarNode:
		value, err := r.expand(n.Value)
		if err != nil {
			r.fail(file, n, "%w", err)
		}
		for _, name := range r.unset(n.Value) {
			r.warn(file, n, "the environment variable %s is not set; its value here is empty", name)
		}
		if value != n.Value {
			r.written[n] = n.Value
		}
		n.Value = value
	}
}

// shown returns a value as the file has it, for an error.
func (r *reader) shown(n *yaml.Node) string {
	if text, ok := r.written[n]; ok {
		return text
	}
	return n.Value
}

func (r *reader) dataSources(d document) {
	for _, e := range r.entries(d, "deleteDatasources") {
		if name := e.required("name"); !slices.Contains(r.config.Delete, name) {
			r.config.Delete = append(r.config.Delete, name)
		}
	}
	isPruned := entry{r, d.file, d.root}.flag("prune")
	for _, e := range r.entries(d, "datasources") {
		s := DataSource{File: d.file, IsReadOnly: !e.flag("editable"), IsPruned: isPruned, DataSource: host.DataSource{
			UID: e.text("uid"), Name: e.required("name"), Type: e.required("type"), URL: e.text("url"), User: e.text("user"),
			Database: e.text("database"), BasicAuth: e.flag("basicAuth"), BasicAuthUser: e.text("basicAuthUser"),
			IsDefault: e.flag("isDefault"), JSON: e.settings(), Secrets: e.secrets(),
		}}
		s.HasUID = s.UID != ""
		if !s.HasUID {
			sum := sha256.Sum256([]byte(s.Name)) // as existing hosts do: dashboards refer to it
			s.UID = fmt.Sprintf("P%X", sum[:8])
		}
		if s.Name == "" || s.Type == "" {
			continue // reported
		}
		e.check(s.Check())
		if access := valueOf(e.node, "access"); access != nil && access.Value != "proxy" && access.Value != "" {
			r.warn(d.file, access, "treated as access: proxy, because browsers cannot access data sources directly")
		}
		e.unique("data source", "name", s.Name, "another data source has the name %.100q")
		e.unique("data source", "uid", s.UID, "another data source has the uid %.100q")
		if s.IsDefault {
			if r.defaults++; r.defaults > 1 {
				e.fail(d.file, valueOf(e.node, "isDefault"), "only one data source can be the default")
			}
		}
		r.config.DataSources = append(r.config.DataSources, s)
	}
}

func (r *reader) plugins(d document) {
	for _, e := range r.entries(d, "settings") {
		if id := e.required("type"); r.config.Settings[id] != nil {
			e.fail(d.file, e.node, "another entry has the settings of the processes of %.100q", e.shown(valueOf(e.node, "type")))
		} else if id != "" {
			r.config.Settings[id] = e.values()
		}
	}
	for _, e := range r.entries(d, "apps") {
		a := host.AppSettings{PluginID: e.required("type"), IsEnabled: !e.flag("disabled"), IsPinned: e.flag("pinned"), JSON: e.settings(), Secrets: e.secrets()}
		e.check(a.Check())
		e.unique("app", "type", a.PluginID, "another entry has the settings of %.100q")
		r.config.Apps = append(r.config.Apps, a)
	}
}
