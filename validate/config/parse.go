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

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

// maxBytes is the size beyond which a file is not read.
const maxBytes = 256 << 10

// Parse reads a slipway.yaml. rules are the ids of all rules. The error is Faults.
func Parse(name string, data []byte, rules []string) (*Config, error) {
	p := &parser{config: &Config{Name: name, Data: data}, rules: append(slices.Clone(rules), validate.UnusedSuppression)}
	if root := p.document(data); root != nil {
		p.top(root)
	}
	if len(p.faults) > 0 {
		slices.SortStableFunc(p.faults, func(a, b Fault) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		return nil, p.faults
	}
	return p.config, nil
}

// parser walks the tree of a file and notes every fault.
type parser struct {
	config *Config
	rules  []string
	faults Faults
}

func (p *parser) fault(n *yaml.Node, format string, args ...any) {
	p.faults = append(p.faults, Fault{p.config.Name, max(n.Line, 1), max(n.Column, 1), fmt.Sprintf(format, args...)})
}

// document returns the one value of the file, nil if it has none or is no YAML.
func (p *parser) document(data []byte) *yaml.Node {
	nowhere := &yaml.Node{Line: 1, Column: 1}
	switch {
	case len(data) > maxBytes:
		p.fault(nowhere, "the file has more than %d KiB", maxBytes>>10)
		return nil
	case !utf8.Valid(data):
		p.fault(nowhere, "the file is not UTF-8: save it as UTF-8")
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
			p.fault(&second, "the file holds a second document: keep one")
			return nil
		}
	}
	if !errors.Is(err, io.EOF) {
		line, text := yamlError(err)
		nowhere.Line = line
		p.fault(nowhere, "this is not YAML: %s", text)
		return nil
	}
	if root := first.Content[0]; root.Tag != "!!null" {
		return root
	}
	return nil
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)

// yamlError takes the line out of an error of the YAML library.
func yamlError(err error) (line int, text string) {
	text, _, _ = strings.Cut(err.Error(), "\n")
	m := yamlLine.FindStringSubmatch(text)
	if m == nil {
		return 1, strings.TrimPrefix(text, "yaml: ")
	}
	line, _ = strconv.Atoi(m[1]) // digits; 0 if far too many
	return line, m[2]
}

// entry is a key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// mapping returns the entries of a node. A key that is not known, comes twice or is
// no text is a fault.
func (p *parser) mapping(n *yaml.Node, what string, known []string) []entry {
	if n.Kind != yaml.MappingNode {
		p.fault(n, "%s must be a list of keys with values, but it is %s", what, kind(n))
		return nil
	}
	var entries []entry
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			p.fault(key, "a key must be text, but this is %s", kind(key))
		case seen[key.Value]:
			p.fault(key, "%q comes twice: keep one", key.Value)
		case !slices.Contains(known, key.Value):
			p.fault(key, "%s has no %q%s", what, key.Value, didYouMean(key.Value, known))
		default:
			entries = append(entries, entry{key, value})
		}
		seen[key.Value] = true
	}
	return entries
}

// text returns the text of a node; ok is false, and a fault noted, if it is none.
func (p *parser) text(e entry) (text string, ok bool) {
	switch {
	case e.value.Kind != yaml.ScalarNode || e.value.ShortTag() != "!!str":
		p.fault(e.value, "%q must be text, but it is %s", e.key.Value, kind(e.value))
		return "", false
	case strings.TrimSpace(e.value.Value) == "":
		p.fault(e.value, "%q is empty", e.key.Value)
		return "", false
	}
	return e.value.Value, true
}

// oneOf returns the text of a node if it is one of the choices.
func (p *parser) oneOf(e entry, choices []string) string {
	text, ok := p.text(e)
	if ok && !slices.Contains(choices, text) {
		p.fault(e.value, "%q cannot be %q%s", e.key.Value, text, didYouMean(text, choices))
		return ""
	}
	return text
}

// didYouMean goes on with what a word was meant to be, or with what there is.
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

// kind names what a node is.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a list of keys with values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias, which is not supported here"
	}
	switch n.ShortTag() {
	case "!!str":
		return "text"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	case "!!null":
		return "empty"
	}
	return "of another type"
}
