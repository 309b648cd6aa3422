// Package provisioning reads the files that configure a host without its API, in the format
// of the provisioning directories of plugin repositories:
//
//	datasources/*.yaml  data sources to store and to delete
//	plugins/*.yaml      settings of apps, and of the processes of plugins
//	dashboards/*.yaml   providers, each of which names a directory of dashboards in JSON
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
	"cmp"
	"crypto/sha256"
	"encoding/json"
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
	"github.com/slipway-dev/slipway/internal/nearest"
)

// Config is what the files of a provisioning directory describe.
type Config struct {
	DataSources []DataSource
	Delete      []string // names of data sources
	Apps        []host.AppSettings
	Dashboards  []Dashboard
	Settings    map[string]map[string]string // of the processes of plugins: values by key in upper case, by id
	Warnings    []error                      // each an *Error: what is skipped or read differently

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

// stamp describes the size, time and mode of a file or directory. It returns "" for
// one that does not exist.
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

// imagePath is where the images of existing hosts mount the provisioning directory. Files
// in plugin repositories name it.
const imagePath = "/etc/grafana/provisioning/"

// reader reads a provisioning directory.
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

// expandAll expands the values in a tree, not the keys. An alias is expanded where its
// anchor is.
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

// valueOf returns the value of a key of a mapping, or nil if it is absent or null.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if value := resolve(n.Content[i+1]); n.Content[i].Value == key && value.Tag != "!!null" {
			return value
		}
	}
	return nil
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// entry reads the values of a mapping.
type entry struct {
	*reader
	file string
	node *yaml.Node
}

// entries returns the mappings in the list at a key.
func (r *reader) entries(d document, key string) (all []entry) {
	list := valueOf(d.root, key)
	if list == nil {
		return nil
	}
	if list.Kind != yaml.SequenceNode {
		r.fail(d.file, list, "%s must be a list", key)
		return nil
	}
	for _, n := range list.Content {
		if n = resolve(n); n.Kind != yaml.MappingNode {
			r.fail(d.file, n, "an entry of %s must be a mapping", key)
			continue
		}
		e := entry{r, d.file, n}
		e.warnOfMisspelled(key)
		if org := cmp.Or(valueOf(n, "orgId"), valueOf(n, "org_id")); org != nil && org.Value != "1" && org.Value != "0" && org.Value != "" {
			r.warn(d.file, org, "entry skipped: this host has only organization 1, found %.100q", r.shown(org))
			continue
		}
		all = append(all, e)
	}
	return all
}

// warnOfMisspelled warns of keys that are almost those of an entry in a list. Existing hosts know
// more keys than this one.
func (e entry) warnOfMisspelled(list string) {
	known := []string{"type", "orgId", "org_id", "jsonData", "secureJsonData", "disabled", "pinned"}
	if list == "datasources" {
		known = []string{"name", "type", "uid", "url", "user", "database", "access", "basicAuth", "basicAuthUser", "isDefault", "jsonData",
			"secureJsonData", "editable", "orgId", "version", "apiVersion", "readOnly", "withCredentials", "correlations"}
	} else if list != "apps" {
		return
	}
	for i := 0; i+1 < len(e.node.Content); i += 2 {
		key := e.node.Content[i]
		if near := nearest.Name(key.Value, known); near != "" && near != key.Value && !slices.Contains(known, key.Value) {
			e.warn(e.file, key, "ignored the unknown key %q; did you mean %q?", key.Value, near)
		}
	}
}

func (e entry) text(key string) string {
	n := valueOf(e.node, key)
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		e.fail(e.file, n, "%s must be a string", key)
	}
	return n.Value
}

// required returns a string that must not be empty.
func (e entry) required(key string) string {
	value := e.text(key)
	if value == "" {
		at := cmp.Or(valueOf(e.node, key), e.node)
		e.fail(e.file, at, "%s is required", key)
	}
	return value
}

func (e entry) flag(key string) bool {
	n := valueOf(e.node, key)
	if n == nil || n.Value == "" && n.Kind == yaml.ScalarNode {
		return false
	}
	value, err := strconv.ParseBool(n.Value)
	if err != nil || n.Kind != yaml.ScalarNode {
		e.fail(e.file, n, "%s must be true or false", key)
	}
	return value
}

const maxSettings = 1 << 20 // bytes of jsonData, whose aliases can multiply a text

// settings returns jsonData, an object.
func (e entry) settings() json.RawMessage {
	n := valueOf(e.node, "jsonData")
	if n == nil {
		return json.RawMessage("{}")
	}
	if n.Kind != yaml.MappingNode {
		e.fail(e.file, n, "jsonData must be a mapping")
		return nil
	}
	if expandedBytes(n, maxSettings) > maxSettings {
		e.fail(e.file, n, "jsonData must not be longer than %d MiB", maxSettings>>20)
		return nil
	}
	var value map[string]any
	err := n.Decode(&value)
	var text []byte
	if err == nil {
		text, err = json.Marshal(value)
	}
	if err != nil {
		e.fail(e.file, n, "jsonData: %w", err)
	}
	return text
}

// expandedBytes returns the length of a tree's texts, through its aliases, or a number above most.
func expandedBytes(n *yaml.Node, most int) int {
	n = resolve(n)
	length := len(n.Value) + 1
	for _, child := range n.Content {
		if length > most {
			break
		}
		length += expandedBytes(child, most-length)
	}
	return length
}

// scalars calls do for each value of the mapping at a key, all of which must be strings.
func (e entry) scalars(key string, do func(name, value *yaml.Node)) {
	n := valueOf(e.node, key)
	switch {
	case n == nil:
	case n.Kind != yaml.MappingNode:
		e.fail(e.file, n, "%s must be a mapping", key)
	default:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name, value := n.Content[i], resolve(n.Content[i+1])
			if value.Kind != yaml.ScalarNode {
				e.fail(e.file, value, "%s.%s must be a string", key, name.Value)
				continue
			}
			do(name, value)
		}
	}
}

// values returns the settings of a process, by key in upper case.
func (e entry) values() map[string]string {
	all := map[string]string{}
	if valueOf(e.node, "values") == nil {
		e.fail(e.file, e.node, "values is required")
	}
	e.scalars("values", func(name, value *yaml.Node) {
		key := strings.ToUpper(name.Value)
		if err := e.reader.check(key, value.Value); err != nil {
			e.fail(e.file, name, "values.%s %w", name.Value, err)
		}
		all[key] = value.Value
	})
	return all
}

// secrets returns secureJsonData without keys that have no value.
func (e entry) secrets() map[string]string {
	secrets := map[string]string{}
	e.scalars("secureJsonData", func(name, value *yaml.Node) {
		if value.Tag != "!!null" && value.Value != "" {
			secrets[name.Value] = value.Value
		}
	})
	return secrets
}

// check adds an error of package host, which names the key.
func (e entry) check(err error) {
	if err == nil {
		return
	}
	at := e.node
	if problem, ok := errors.AsType[*host.Error](err); ok {
		key, rest, _ := strings.Cut(problem.Field, ".")
		if found := valueOf(e.node, key); found != nil {
			at = cmp.Or(valueOf(found, rest), found)
		}
	}
	e.fail(e.file, at, "%w", err)
}

// unique adds an error if an earlier entry has the same value at a key.
func (e entry) unique(of, key, value, format string) {
	of += " " + key + ":" + value
	if e.names[of] {
		shown := value
		if n := valueOf(e.node, key); n != nil {
			shown = e.shown(n)
		}
		e.fail(e.file, e.node, format, shown)
	}
	e.names[of] = true
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
