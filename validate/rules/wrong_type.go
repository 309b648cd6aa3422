package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

func wrongType(p *validate.Pass) {
	for _, v := range schema.Violations(p, "type") {
		found := p.Doc.Kind(v.Pointer)
		text, _ := p.Doc.Text(v.Pointer)
		p.Report(validate.Finding{
			Place:   v.Place(p),
			Message: v.Message(p.Doc),
			Help:    typeHelp(v.Node.Types[0], found, text),
			Fix:     typeFix(p, v, found),
		})
	}
	checkBuildTime(p)
}

// checkBuildTime reports a time that is a number in JSON, but not one of Go's int64, as which existing hosts decode it.
func checkBuildTime(p *validate.Pass) {
	const pointer = "/info/build/time"
	span := p.Doc.Value(pointer)
	literal := string(p.Doc.Data[span.Start.Offset:span.End.Offset])
	if _, err := strconv.ParseInt(literal, 10, 64); err != nil && p.Doc.Kind(pointer) == "number" {
		p.Report(validate.Finding{
			Place:   p.Value(pointer),
			Message: fmt.Sprintf("%s is %.40s, with which existing hosts do not load plugin.json", schema.Name(pointer), literal),
			Help:    "write a whole number of milliseconds, without exponent, such as 1769817600000, or delete the key",
		})
	}
}

func typeHelp(want, found, text string) string {
	_, err := strconv.ParseFloat(text, 64)
	switch {
	case found == "null":
		return "delete the key, or write " + jsontype.Name(want)
	case want == "boolean" && found == "string":
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "yes", "on", "1":
			return "write true without quotes"
		case "false", "no", "off", "0", "":
			return "write false without quotes"
		}
		return "write true or false without quotes"
	case want == "number" && found == "string" && err == nil:
		return "write " + text + " without quotes"
	case want == "string" && (found == "number" || found == "boolean"):
		return "put the value in quotes"
	case want == "boolean":
		return "write true or false"
	case want == "array" && found != "array":
		return "put the value in [ ]"
	}
	return "write " + jsontype.Name(want)
}

// typeFix converts the value to the wanted type if the intended value is certain.
func typeFix(p *validate.Pass, v schema.Violation, found string) *validate.Fix {
	write := func(value any) *validate.Fix {
		edit := p.Replace(v.Pointer, value)
		return &validate.Fix{Title: "write " + edit.Text, Edits: []validate.Edit{edit}}
	}
	span := p.Doc.Value(v.Pointer)
	literal := string(p.Doc.Data[span.Start.Offset:span.End.Offset])
	text, _ := p.Doc.Text(v.Pointer)
	want := v.Node.Types[0]
	switch {
	case found == "null" && isOptional(p, v.Pointer):
		_, key := schema.Parent(v.Pointer)
		return &validate.Fix{Title: fmt.Sprintf("delete %q", key), Edits: []validate.Edit{p.Remove(v.Pointer)}}
	case want == "boolean" && found == "string" && (text == "true" || text == "false"):
		return write(text == "true")
	case want == "number" && found == "string" && json.Valid([]byte(text)) && strings.Trim(text, "0123456789") == "":
		return write(json.Number(text))
	case want == "string" && found == "number" && canBeDigits(v):
		return write(literal)
	case want == "array" && found == "string" && text != "":
		items := schema.Items(v.Node)
		if parts := listed(v.Pointer, text); parts != nil && items != nil && items.Types[0] == "string" {
			return write(parts)
		}
	}
	return nil
}

// listed returns the items that a string stands for, or nil if that is not certain: the comma in
// "one, two" separates keywords, but may belong to any other value.
func listed(pointer, text string) []string {
	if pointer != "/info/keywords" {
		if strings.Contains(text, ",") {
			return nil
		}
		return []string{text}
	}
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// canBeDigits reports whether a string may consist of digits, as a name may. An id, a
// path, a URL, a version, a date and an enumerated value may not.
func canBeDigits(v schema.Violation) bool {
	_, key := schema.Parent(v.Pointer)
	const exact = "id executable action reqAction scope method path url small large updated version serviceDependency grafanaDependency"
	return v.Node.Enum == nil && !slices.Contains(strings.Fields(exact), key)
}

// isOptional reports whether a key may be absent. An item of an array may not.
func isOptional(p *validate.Pass, pointer string) bool {
	in, key := schema.Parent(pointer)
	if p.Doc.Kind(in) != "object" || isDuplicate(p, pointer) {
		return false
	}
	node := schema.Of(p.Profile).At(in)
	return node != nil && !slices.Contains(node.Required, key)
}
