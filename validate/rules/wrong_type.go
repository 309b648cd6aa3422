package rules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func wrongType(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "wrong-type",
		Severity: validate.Error,
		Summary:  "every value has the type that the contract gives it",
		Why:      "A value of another type makes the service refuse the whole file, or read the property as if it were not there.",
		Mend:     "write the value in the right type",
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
					Mend:    mendType(want, is, text),
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
