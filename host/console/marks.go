package console

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"strings"
)

// mark is what value mappings and thresholds add to a value.
type mark struct {
	Text  string // in place of the value, or ""
	Color string // of a swatch, or ""
	Note  string // the step of the thresholds, since a color alone says nothing to some readers
}

// marker finds the marks of the values of a column.
type marker struct {
	mappings []mapping
	steps    []thresholdStep // in ascending order
	format   numberFormat
}

// mapping is a value mapping.
type mapping struct {
	Type    string          `json:"type"` // value, range or special
	Options json.RawMessage `json:"options"`

	byValue map[string]mapped // of Options
	other   struct {
		From   *float64 `json:"from"`
		To     *float64 `json:"to"`
		Match  string   `json:"match"`
		Result mapped   `json:"result"`
	}
}

// mapped is what a mapping replaces values with.
type mapped struct {
	Text  string `json:"text"`
	Color string `json:"color"`
}

// thresholdStep is the color of values from a threshold on. The first one has none.
type thresholdStep struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

// marker returns the marker of a column.
func (f field) marker() marker {
	m := marker{format: f.format()}
	var thresholds struct {
		Mode  string          `json:"mode"`
		Steps []thresholdStep `json:"steps"`
	}
	// What has another type is left out, such as the mappings of Grafana 7 and before.
	_ = json.Unmarshal(f.Config.Mappings, &m.mappings)
	for i := range m.mappings {
		if o := &m.mappings[i]; o.Type == "value" {
			_ = json.Unmarshal(o.Options, &o.byValue)
		} else {
			_ = json.Unmarshal(o.Options, &o.other)
		}
	}
	_ = json.Unmarshal(f.Config.Thresholds, &thresholds)
	if thresholds.Mode != "percentage" && len(thresholds.Steps) > 1 {
		m.steps = thresholds.Steps
	}
	return m
}

// mark returns the mark of a value. A value that is not a number is NaN.
func (m marker) mark(text string, v float64) (found mark) {
	for i, step := range m.steps {
		switch {
		case math.IsNaN(v):
		case step.Value != nil && v >= *step.Value:
			found = mark{Color: colorOf(step.Color), Note: "≥ " + m.format.text(*step.Value)}
		case i == 0 && m.steps[1].Value != nil:
			found = mark{Color: colorOf(step.Color), Note: "< " + m.format.text(*m.steps[1].Value)}
		}
	}
	for _, mapping := range m.mappings {
		if to, ok := mapping.find(text, v); ok {
			found.Text = to.Text
			if color := colorOf(to.Color); color != "" {
				found.Color, found.Note = color, ""
			}
			break
		}
	}
	return found
}

// find returns what a value is mapped to.
func (m mapping) find(text string, v float64) (to mapped, ok bool) {
	o := m.other
	switch m.Type {
	case "value":
		to, ok = m.byValue[text]
		return to, ok
	case "range":
		ok = (o.From == nil || v >= *o.From) && (o.To == nil || v <= *o.To) && !math.IsNaN(v)
	case "special":
		isEmpty, isNaN := text == "", text == "NaN" // a page shows null as nothing
		ok = map[string]bool{"null": isEmpty, "empty": isEmpty, "nan": isNaN, "null+nan": isEmpty || isNaN, "true": text == "true", "false": text == "false"}[o.Match]
	}
	return o.Result, ok
}

// plainColor matches the colors of dashboards that are not names.
var plainColor = regexp.MustCompile(`^(#[0-9A-Fa-f]{3,8}|rgba?\([0-9., %]+\))$`)

// colorOf returns a color for an SVG, or "". The shades of a named color are one.
func colorOf(name string) string {
	if plainColor.MatchString(name) {
		return name
	}
	base := name[strings.LastIndex(name, "-")+1:]
	return map[string]string{"green": "#56a64b", "yellow": "#f2cc0c", "red": "#e02f44", "blue": "#3274d9", "orange": "#ff780a", "purple": "#a352cc"}[base]
}

// labeled returns a number of a column with its mark.
func (m marker) labeled(name string, v float64) labeled {
	found := m.mark(plainNumber(v), v)
	return labeled{name, cmp.Or(found.Text, m.format.text(v)), found}
}
