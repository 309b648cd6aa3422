package schema

import (
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
)

// shape is a part of the schema in a form that is cheap to compare with. Most plugin.json
// files violate nothing, and a shape finds that out in a tenth of the time; any other
// is validated by the schema itself.
type shape struct {
	kind       string
	required   []string
	properties map[string]*shape
	isClosed   bool // no other properties
	items      *shape
	values     map[string]bool // nil allows any text
	minLength  int
}

// newShape reads a part of the schema. ok is false if it has a keyword that a shape
// does not know; the schema then has no shape.
func newShape(node map[string]any) (s *shape, ok bool) {
	s = &shape{}
	for keyword, value := range node {
		ok := true
		switch keyword {
		case "$schema", "title", "description":
		case "type":
			s.kind, ok = value.(string)
		case "required":
			s.required, ok = texts(value)
		case "enum":
			var values []string
			values, ok = texts(value)
			s.values = map[string]bool{}
			for _, v := range values {
				s.values[v] = true
			}
		case "minLength":
			var n float64
			n, ok = value.(float64)
			s.minLength = int(n)
		case "additionalProperties":
			s.isClosed, ok = value.(bool)
			s.isClosed = !s.isClosed
		case "items":
			s.items, ok = newShapeOf(value)
		case "properties":
			s.properties, ok = shapes(value)
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return s, true
}

func shapes(value any) (all map[string]*shape, ok bool) {
	nodes, ok := value.(map[string]any)
	all = map[string]*shape{}
	for name, node := range nodes {
		if all[name], ok = newShapeOf(node); !ok {
			return nil, false
		}
	}
	return all, ok
}

func newShapeOf(value any) (s *shape, ok bool) {
	node, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	return newShape(node)
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

// fits reports whether a value violates nothing. It only knows what is the same in every
// version of JSON Schema, and reports false if it is not sure.
func (s *shape) fits(doc *bundle.Document, v *bundle.Node) bool {
	kind := v.Kind()
	if s.kind != "" && s.kind != kind {
		return false
	}
	text, isText := doc.TextOf(v)
	if s.values != nil && (!isText || !s.values[text]) || isText && s.minLength > 0 && utf8.RuneCountInString(text) < s.minLength {
		return false
	}
	for _, name := range s.required {
		if kind == "object" && v.Member(name) == nil {
			return false
		}
	}
	for i := range v.Children() {
		child := &v.Children()[i]
		below, isKnown := s.items, s.items != nil
		if kind == "object" {
			if below, isKnown = s.properties[child.Name()]; !isKnown && s.isClosed {
				return false
			}
		}
		if isKnown && !below.fits(doc, child) {
			return false
		}
	}
	return true
}
