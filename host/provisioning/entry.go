package provisioning

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/nearest"
)

type member struct{ key, value *yaml.Node }

// members returns the members of a mapping, followed by those that it merges, as in "<<: *other".
func members(n *yaml.Node) (all []member) {
	hasKey, isRead := map[string]bool{}, map[*yaml.Node]bool{}
	var read func(n *yaml.Node)
	read = func(n *yaml.Node) {
		if n = resolve(n); isRead[n] {
			return
		}
		isRead[n] = true
		if n.Kind == yaml.SequenceNode { // of mappings to merge
			for _, one := range n.Content {
				read(one)
			}
			return
		}
		var merged []*yaml.Node
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Tag == "!!merge" {
				merged = append(merged, value)
			} else if !hasKey[key.Value] {
				hasKey[key.Value] = true
				all = append(all, member{key, resolve(value)})
			}
		}
		for _, one := range merged {
			read(one)
		}
	}
	if n.Kind == yaml.MappingNode {
		read(n)
	}
	return all
}

// valueOf returns the value of a key of a mapping, or nil if it is absent or null.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for _, m := range members(n) {
		if m.key.Value == key && m.value.Tag != "!!null" {
			return m.value
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
	} else if list == "playlists" {
		known = []string{"uid", "name", "interval", "items", "orgId", "org_id"}
	} else if list != "apps" {
		return
	}
	for _, m := range members(e.node) {
		if near := nearest.Name(m.key.Value, known); near != "" && near != m.key.Value && !slices.Contains(known, m.key.Value) {
			e.warn(e.file, m.key, "ignored the unknown key %q; did you mean %q?", m.key.Value, near)
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

// scalars calls do for each value of the mapping at a key, all of which must be strings.
func (e entry) scalars(key string, do func(name, value *yaml.Node)) {
	n := valueOf(e.node, key)
	switch {
	case n == nil:
	case n.Kind != yaml.MappingNode:
		e.fail(e.file, n, "%s must be a mapping", key)
	default:
		for _, m := range members(n) {
			if m.value.Kind != yaml.ScalarNode {
				e.fail(e.file, m.value, "%s.%s must be a string", key, m.key.Value)
				continue
			}
			do(m.key, m.value)
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
		said := *problem
		for n, written := range e.written { // what a variable holds may be a secret
			said.Message = strings.ReplaceAll(said.Message, host.Quote(n.Value), host.Quote(written))
		}
		err = &said
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
