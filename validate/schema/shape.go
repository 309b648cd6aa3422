package schema

import (
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
)

// shape is a part of the schema in the form in which a plugin.json is compared with
// it before the schema itself: most have no fault, and to find that out costs a
// tenth of validating. Whoever has one is validated as a whole.
type shape struct {
	kind       string
	required   []string
	properties map[string]*shape
	isClosed   bool // no other properties
	items      *shape
	values     map[string]bool // nil allows any text
	minLength  int
}

// newShape reads a part of the schema. ok is false where it has a keyword that a
// shape does not know: then there is only the schema.
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

// fits says whether a value has no fault. It looks at what is the same in each
// version of JSON Schema, and says no where it is not sure.
func (s *shape) fits(v bundle.Cursor) bool {
	kind := v.Kind()
	if s.kind != "" && s.kind != kind {
		return false
	}
	text, isText := v.Text()
	if s.values != nil && (!isText || !s.values[text]) || isText && s.minLength > 0 && utf8.RuneCountInString(text) < s.minLength {
		return false
	}
	switch kind {
	case "object":
		for _, name := range s.required {
			if !v.Has(name) {
				return false
			}
		}
		for member := range v.Inside {
			below, isKnown := s.properties[member.Key()]
			if isKnown && !below.fits(member) || !isKnown && s.isClosed {
				return false
			}
		}
	case "array":
		for item := range v.Inside {
			if s.items != nil && !s.items.fits(item) {
				return false
			}
		}
	}
	return true
}
