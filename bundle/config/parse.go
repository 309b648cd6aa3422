package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/internal/nearest"
)

// maxBytes limits the size of the file.
const maxBytes = 256 << 10

// Parse parses a slipway.yaml. rules are the IDs of all rules. Errors in the file are
// of type Errors.
func Parse(name string, data []byte, rules []string) (*Config, error) {
	p := &parser{config: &Config{Name: name, Data: data}, rules: rules}
	if root := p.document(data); root != nil {
		p.root(root)
	}
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, func(a, b Error) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		return nil, p.errs
	}
	return p.config, nil
}

type parser struct {
	config *Config
	rules  []string
	errs   Errors
}

func (p *parser) error(n *yaml.Node, format string, args ...any) {
	p.errs = append(p.errs, Error{p.config.Name, max(n.Line, 1), max(n.Column, 1), fmt.Sprintf(format, args...)})
}

// document returns the value of the file, or nil if it has none or is not YAML.
func (p *parser) document(data []byte) *yaml.Node {
	nowhere := &yaml.Node{Line: 1, Column: 1}
	switch {
	case len(data) > maxBytes:
		p.error(nowhere, "the file is larger than %d KiB", maxBytes>>10)
		return nil
	case !utf8.Valid(data):
		p.error(nowhere, "invalid UTF-8: save the file as UTF-8")
		return nil
	}
	var first, second yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&first)
	if errors.Is(err, io.EOF) || err == nil && len(first.Content) == 0 {
		return nil
	}
	if err == nil {
		if err = d.Decode(&second); err == nil {
			p.error(&second, "the file has a second YAML document: delete one")
			return nil
		}
	}
	if !errors.Is(err, io.EOF) {
		line, text := yamlError(err)
		nowhere.Line = line
		if m := tab.FindIndex(lineOf(data, line)); m != nil {
			nowhere.Column, text = m[1], "a tab; indent with spaces"
		}
		p.error(nowhere, "invalid YAML: %s", text)
		return nil
	}
	if root := first.Content[0]; root.Tag != "!!null" {
		return root
	}
	return nil
}

var tab = regexp.MustCompile(`^ *\t`) // at the start of a line

// lineOf returns a line, counted from 1.
func lineOf(data []byte, n int) []byte {
	lines := bytes.Split(data, []byte{'\n'})
	return lines[min(max(n, 1), len(lines))-1]
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)

// yamlError splits an error from the YAML package into its line and text.
func yamlError(err error) (line int, text string) {
	text, _, _ = strings.Cut(err.Error(), "\n")
	m := yamlLine.FindStringSubmatch(text)
	if m == nil {
		return 1, strings.TrimPrefix(text, "yaml: ")
	}
	line, _ = strconv.Atoi(m[1]) // only fails, with 0, for a huge number
	return line, m[2]
}

type entry struct{ key, value *yaml.Node }

// mapping returns the entries of a node with known keys, or with any keys if known is nil.
func (p *parser) mapping(n *yaml.Node, what string, known []string) []entry {
	if n.Kind != yaml.MappingNode {
		p.error(n, "%s must be an object, found %s", what, kind(n))
		return nil
	}
	var entries []entry
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			p.error(key, "keys must be strings, found %s", kind(key))
		case seen[key.Value]:
			p.error(key, "duplicate key %q: delete one", key.Value)
		case known != nil && !slices.Contains(known, key.Value):
			p.error(key, "unknown key %q in %s%s", key.Value, what, didYouMean(key.Value, known))
		default:
			entries = append(entries, entry{key, value})
		}
		seen[key.Value] = true
	}
	return entries
}

// text returns the string of an entry; ok is false after an error.
func (p *parser) text(e entry) (text string, ok bool) {
	switch {
	case e.value.Kind != yaml.ScalarNode || e.value.ShortTag() != "!!str":
		p.error(e.value, "%q must be a string, found %s", e.key.Value, kind(e.value))
		return "", false
	case strings.TrimSpace(e.value.Value) == "":
		p.error(e.value, "%q must not be empty", e.key.Value)
		return "", false
	}
	return e.value.Value, true
}

// boolean returns the value of an entry, or false after an error.
func (p *parser) boolean(e entry) bool {
	if e.value.Kind != yaml.ScalarNode || e.value.ShortTag() != "!!bool" {
		p.error(e.value, "%q must be a boolean, found %s", e.key.Value, kind(e.value))
		return false
	}
	return strings.EqualFold(e.value.Value, "true")
}

// oneOf returns the string of an entry, or "" if it is not one of the choices.
func (p *parser) oneOf(e entry, choices []string) string {
	text, ok := p.text(e)
	if ok && !slices.Contains(choices, text) {
		p.error(e.value, "invalid value %q for %q%s", text, e.key.Value, didYouMean(text, choices))
		return ""
	}
	return text
}

// didYouMean suggests the nearest of the choices, or lists them.
func didYouMean(word string, choices []string) string {
	if near := nearest.Name(word, choices); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	const most = 10
	if len(choices) > most {
		return ""
	}
	return ": use one of " + strings.Join(choices, ", ")
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return jsontype.Name("object")
	case yaml.SequenceNode:
		return jsontype.Name("array")
	case yaml.AliasNode:
		return "an alias, which is not supported"
	}
	switch n.ShortTag() {
	case "!!str":
		return jsontype.Name("string")
	case "!!bool":
		return jsontype.Name("boolean")
	case "!!int", "!!float":
		return jsontype.Name("number")
	case "!!null":
		return jsontype.Name("null")
	}
	return "a value of type " + n.ShortTag()
}
