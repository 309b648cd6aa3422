package schema

import (
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/bundle"
)

// Node is the schema of one value.
type Node struct {
	Type        string // "" allows any
	Description string
	Enum        []string              // the strings that are allowed; nil allows any
	MinLength   int                   // of a string, in code points
	Pattern     func() *regexp.Regexp // of a string, compiled on first use; nil allows any
	Format      string                // email or uri, of a string; "" allows any
	Examples    []string              // of a string with a pattern or format
	Required    []string              // keys of an object
	Properties  map[string]*Node
	IsClosed    bool // no other properties
	Items       *Node
}

// newNode reads a schema. It returns an error for a keyword that Node has no field for, because
// nothing would check that keyword.
func newNode(raw map[string]any) (*Node, error) {
	n := &Node{}
	for keyword, value := range raw {
		ok := true
		var err error
		switch keyword {
		case "$schema", "title":
		case "type":
			n.Type, ok = value.(string)
		case "description":
			n.Description, ok = value.(string)
		case "enum":
			n.Enum, ok = texts(value)
		case "minLength":
			var length float64
			length, ok = value.(float64)
			n.MinLength = int(length)
		case "pattern":
			text, _ := value.(string)
			n.Pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
			ok = text != ""
		case "format":
			n.Format, ok = value.(string)
			ok = ok && (n.Format == "email" || n.Format == "uri")
		case "examples":
			n.Examples, ok = texts(value)
		case "required":
			n.Required, ok = texts(value)
		case "additionalProperties":
			n.IsClosed, ok = value.(bool)
			n.IsClosed = !n.IsClosed
		case "items":
			n.Items, err = nodeOf(value)
		case "properties":
			nodes, _ := value.(map[string]any)
			n.Properties = make(map[string]*Node, len(nodes))
			for name, node := range nodes {
				if n.Properties[name], err = nodeOf(node); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
			}
		default:
			return nil, fmt.Errorf("unknown keyword %q", keyword)
		}
		if !ok {
			err = fmt.Errorf("unsupported value %v", value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keyword, err)
		}
	}
	return n, nil
}

// hasFormat reports whether a string has the format of the node.
func (n *Node) hasFormat(text string) bool {
	switch n.Format {
	case "email":
		address, err := mail.ParseAddress(text)
		return err == nil && address.Address == text
	case "uri":
		to, err := url.Parse(text)
		return err == nil && to.IsAbs()
	}
	return true
}

func nodeOf(value any) (*Node, error) {
	raw, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("unsupported schema %v", value)
	}
	return newNode(raw)
}

func texts(value any) (all []string, ok bool) {
	list, ok := value.([]any)
	for _, v := range list {
		text, isText := v.(string)
		if !isText {
			return nil, false
		}
		all = append(all, text)
	}
	return all, ok
}

// At returns the schema of the value at a pointer of a document, or nil if the schema
// does not describe it.
func (n *Node) At(pointer string) *Node {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case n == nil:
			return nil
		case token == "":
		case n.Items != nil:
			n = n.Items
		default:
			n = n.Properties[bundle.UnescapePointer(token)]
		}
	}
	return n
}
