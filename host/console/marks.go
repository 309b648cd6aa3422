package console

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"strings"
)

// mostMappings is how many value mappings of a panel are used: each value is compared with all.
const mostMappings = 100

// mappings are value mappings. What has another type is left out, such as the mappings of
// Grafana 7 and before.
type mappings struct{ list []mapping }

// mapping is a value mapping.
type mapping struct {
	kind    string            // value, range or special
	byValue map[string]mapped // of the kind value
	options struct {          // of the others
		From   *float64 `json:"from"`
		To     *float64 `json:"to"`
		Match  string   `json:"match"`
		Result mapped   `json:"result"`
	}
}

// mapped is what a mapping replaces values with.
type mapped struct {
	Text  string `json:"text"`
	Color swatch `json:"color"`
}

// UnmarshalJSON reads the mappings once for all columns. It returns no error.
func (m *mappings) UnmarshalJSON(data []byte) error {
	var all []struct {
		Type    string          `json:"type"`
		Options json.RawMessage `json:"options"`
	}
	_ = json.Unmarshal(data, &all)
	m.list = nil
	for _, one := range all[:min(len(all), mostMappings)] {
		to := mapping{kind: one.Type}
		if to.kind == "value" {
			_ = json.Unmarshal(one.Options, &to.byValue)
		} else {
			_ = json.Unmarshal(one.Options, &to.options)
		}
		m.list = append(m.list, to)
	}
	return nil
}

// find returns what the first mapping for a value replaces it with. A value that is not a
// number is NaN.
func (m *mappings) find(text string, v float64) mapped {
	if m == nil {
		return mapped{}
	}
	for i := range m.list {
		o := &m.list[i].options
		isFound := false
		switch m.list[i].kind {
		case "value":
			if to, ok := m.list[i].byValue[text]; ok {
				return to
			}
		case "range":
			isFound = (o.From == nil || v >= *o.From) && (o.To == nil || v <= *o.To) && !math.IsNaN(v)
		case "special":
			switch o.Match {
			case "null", "empty": // a page shows null as nothing
				isFound = text == ""
			case "nan":
				isFound = text == "NaN"
			case "null+nan":
				isFound = text == "" || text == "NaN"
			case "true", "false":
				isFound = text == o.Match
			}
		}
		if isFound {
			return o.Result
		}
	}
	return mapped{}
}

// thresholds are colors of ranges of numbers.
type thresholds struct {
	Mode  string          `json:"mode"`
	Steps []thresholdStep `json:"steps"` // in ascending order
}

// thresholdStep is the color of values from a threshold on. The first one has none.
type thresholdStep struct {
	Color swatch   `json:"color"`
	Value *float64 `json:"value"`
}

// UnmarshalJSON leaves out what has another type. It returns no error.
func (t *thresholds) UnmarshalJSON(data []byte) error {
	type plain thresholds // without this method
	var p plain
	_ = json.Unmarshal(data, &p)
	*t = thresholds(p)
	return nil
}

// find returns the color of a number and the step that applies, since a color alone says
// nothing to some readers.
func (t *thresholds) find(v float64, format numberFormat) (color swatch, note string) {
	if t == nil || t.Mode == "percentage" || len(t.Steps) < 2 {
		return "", ""
	}
	at := 0
	for at+1 < len(t.Steps) && t.Steps[at+1].Value != nil && v >= *t.Steps[at+1].Value {
		at++
	}
	switch first := t.Steps[1].Value; {
	case at > 0:
		note = "≥ " + format.text(*t.Steps[at].Value)
	case first != nil:
		note = "< " + format.text(*first)
	}
	return t.Steps[at].Color, note
}

// swatch is a color for an SVG, or "".
type swatch string

// plainColor matches the colors of dashboards that are not names.
var plainColor = regexp.MustCompile(`^(#[0-9A-Fa-f]{3,8}|rgba?\([0-9., %]{1,40}\))$`)

// UnmarshalJSON reads a color. The shades of a named color are one. It returns no error.
func (s *swatch) UnmarshalJSON(data []byte) error {
	var name string
	_ = json.Unmarshal(data, &name)
	if !plainColor.MatchString(name) {
		base := name[strings.LastIndex(name, "-")+1:]
		name = map[string]string{"green": "#56a64b", "yellow": "#f2cc0c", "red": "#e02f44", "blue": "#3274d9", "orange": "#ff780a", "purple": "#a352cc"}[base]
	}
	*s = swatch(name)
	return nil
}

// labeled returns a number of a column as its value mappings and thresholds show it.
func (f field) labeled(v float64) labeled {
	format := f.format()
	to := f.Config.Mappings.find(plainNumber(v), v)
	l := labeled{Name: f.title(), Value: cmp.Or(to.Text, format.text(v)), Color: to.Color}
	if l.Color == "" {
		l.Color, l.Note = f.Config.Thresholds.find(v, format)
	}
	return l
}
