package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func wrongType(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "wrong-type",
		Severity: validate.Error,
		Summary:  "every value has the type that the contract gives it",
		Why:      "A value of another type makes the service refuse the whole file, or read the property as if it were not there.",
		Help:     "write the value in the right type",
		Check: func(p *validate.Pass) {
			for _, f := range s.faults(p) {
				if f.keyword != "type" {
					continue
				}
				want, is := f.node["type"].(string), p.Doc.Kind(f.pointer)
				text, _ := p.Doc.Text(f.pointer)
				at := p.Value(f.pointer)
				if is == "object" || is == "array" {
					at = p.Opening(f.pointer)
				}
				p.Report(validate.Finding{
					Place:   at,
					Message: fmt.Sprintf("%s must be %s, but it is %s", object(f.pointer), noun(want), noun(is)),
					Help:    mendType(want, is, text),
					Fix:     fixType(p, s, f, want, is),
				})
			}
		},
	}
}

// noun names a type of JSON in plain words.
func noun(kind string) string {
	switch kind {
	case "string":
		return "text in quotes"
	case "boolean":
		return "true or false"
	case "array":
		return "a list in [ ]"
	case "object":
		return "an object in { }"
	case "null":
		return "null, which is no value"
	}
	return "a number"
}

func mendType(want, is, text string) string {
	_, err := strconv.ParseFloat(text, 64)
	switch {
	case is == "null":
		return "delete the property, or write " + noun(want)
	case want == "boolean" && is == "string":
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "yes", "on", "1":
			return "write true, without quotes"
		case "false", "no", "off", "0", "":
			return "write false, without quotes"
		}
		return "write true or false, without quotes"
	case want == "number" && is == "string" && err == nil:
		return "write " + text + ", without quotes"
	case want == "string" && (is == "number" || is == "boolean"):
		return "put quotes around the value"
	case want == "array" && is != "array":
		return "put [ ] around the value"
	}
	return "write " + noun(want)
}

// fixType writes the value in the type it was meant to have, where that is sure.
func fixType(p *validate.Pass, s schemas, f fault, want, is string) *validate.Fix {
	write := func(value any) *validate.Fix {
		edit := p.Replace(f.pointer, value)
		return &validate.Fix{Title: "write " + edit.Text, Edits: []validate.Edit{edit}}
	}
	span := p.Doc.Value(f.pointer)
	literal := string(p.Doc.Data[span.Start.Offset:span.End.Offset])
	text, _ := p.Doc.Text(f.pointer)
	switch {
	case is == "null" && isOptional(s.of(p), p, f.pointer):
		_, key := parent(f.pointer)
		return &validate.Fix{Title: fmt.Sprintf("delete %q", key), Edits: []validate.Edit{p.Remove(f.pointer)}}
	case want == "boolean" && is == "string" && (text == "true" || text == "false"):
		return write(text == "true")
	case want == "number" && is == "string" && json.Valid([]byte(text)) && strings.Trim(text, "0123456789") == "":
		return write(json.Number(text))
	case want == "string" && is == "number" && canBeDigits(f):
		return write(literal)
	case want == "array" && is == "string" && text != "" && itemType(f) == "string":
		return write([]string{text})
	}
	return nil
}

// canBeDigits says whether a text may be made of digits: a name, say, but no id,
// path, address, version, date or one of a few words.
func canBeDigits(f fault) bool {
	_, key := parent(f.pointer)
	const exact = "id executable action method path url small large updated version serviceDependency grafanaDependency"
	return f.node["enum"] == nil && !slices.Contains(strings.Fields(exact), key)
}

// isOptional says whether a property may be left out; an item of a list may not.
func isOptional(s *schema, p *validate.Pass, pointer string) bool {
	in, key := parent(pointer)
	if p.Doc.Kind(in) != "object" || isTwice(p, pointer) {
		return false
	}
	node := s.raw
	for token := range strings.SplitSeq(strings.TrimPrefix(in, "/"), "/") {
		if token == "" {
			continue
		}
		if items, ok := node["items"].(map[string]any); ok {
			node = items
			continue
		}
		properties, _ := node["properties"].(map[string]any)
		if node, _ = properties[bundle.UnescapePointer(token)].(map[string]any); node == nil {
			return false
		}
	}
	required, _ := node["required"].([]any)
	return !slices.Contains(required, any(key))
}

// itemType is the type that the schema gives the items of a list.
func itemType(f fault) any {
	items, _ := f.node["items"].(map[string]any)
	return items["type"]
}
