package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a plot can show. Anything beyond is a gap.
const (
	maxTime  = 8.64e15 // milliseconds; the range of dates in JavaScript
	maxValue = 1e100
)

// frame is a data frame in the JSON format of POST /api/ds/query.
type frame struct {
	Schema struct {
		Name   string
		RefID  string
		Fields []field
		Meta   struct{ Notices []notice }
	}
	Data struct {
		Values   [][]json.RawMessage
		Entities []*struct{ NaN, Inf, NegInf []int } // cells that JSON cannot represent
	}

	special []map[int]float64 // the values of Data.Entities by column and row
}

// readFrame decodes a frame. It returns an error if the frame does not have exactly one column of
// values per field.
func readFrame(raw json.RawMessage) (f frame, err error) {
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, err
	}
	if len(f.Schema.Fields) != len(f.Data.Values) {
		return f, fmt.Errorf("frame %q: the number of columns is %d, expected %d", f.Schema.Name, len(f.Data.Values), len(f.Schema.Fields))
	}
	for _, e := range f.Data.Entities {
		cells := map[int]float64{}
		if e != nil {
			for _, row := range e.NegInf {
				cells[row] = math.Inf(-1)
			}
			for _, row := range e.Inf {
				cells[row] = math.Inf(1)
			}
			for _, row := range e.NaN {
				cells[row] = math.NaN()
			}
		}
		f.special = append(f.special, cells)
	}
	return f, nil
}

// field is a column of a frame.
type field struct {
	Name   string
	Type   string // time, number, string, boolean or other
	Labels map[string]string
	Config struct {
		fieldConfig
		DisplayNameFromDS string
	}
}

// format returns how the numbers of a column are written.
func (f field) format() numberFormat { return formatOf(f.Config.Unit, f.Config.Decimals) }

// notice is a remark of a plugin about a frame.
type notice struct{ Severity, Text string }

// complete sets the configuration of the columns that a page uses, as a panel overrides it or,
// for those that have none, by default.
func (f frame) complete(as display) {
	for i, field := range f.Schema.Fields {
		c := &f.Schema.Fields[i].Config
		own, isNamed := as.ByName[field.title()]
		if !isNamed {
			own = as.ByName[field.Name] // without its labels
		}
		c.DisplayName = cmp.Or(own.DisplayName, c.DisplayName)
		c.Unit, c.Decimals = cmp.Or(own.Unit, c.Unit, as.Defaults.Unit), cmp.Or(own.Decimals, c.Decimals, as.Defaults.Decimals)
		c.Mappings, c.Thresholds = cmp.Or(own.Mappings, c.Mappings, as.Defaults.Mappings), cmp.Or(own.Thresholds, c.Thresholds, as.Defaults.Thresholds)
	}
}

// title returns the name of a column with its labels.
func (f field) title() string {
	for _, name := range []string{f.Config.DisplayName, f.Config.DisplayNameFromDS} {
		if name != "" {
			return name
		}
	}
	var labels []string
	for key, value := range f.Labels {
		labels = append(labels, key+"="+strconv.Quote(value))
	}
	slices.Sort(labels)
	if len(labels) == 0 {
		return f.Name
	}
	return strings.TrimSpace(f.Name + " {" + strings.Join(labels, ", ") + "}")
}

// rows returns the number of rows of the longest column.
func (f frame) rows() (n int) {
	for _, column := range f.Data.Values {
		n = max(n, len(column))
	}
	return n
}

// number returns a cell as a number; ok is false if it is null or not a number. Times are
// Unix milliseconds.
func (f frame) number(column, row int) (v float64, ok bool) {
	if column < len(f.special) {
		if v, ok := f.special[column][row]; ok {
			return v, true
		}
	}
	if row >= len(f.Data.Values[column]) {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(f.Data.Values[column][row]), 64)
	return v, err == nil
}

// cell returns a cell as text.
func (f frame) cell(column, row int) string {
	if v, ok := f.number(column, row); ok {
		if f.Schema.Fields[column].Type == "time" {
			return time.UnixMilli(int64(v)).UTC().Format("2006-01-02 15:04:05.000")
		}
		return plainNumber(v)
	}
	if row >= len(f.Data.Values[column]) {
		return ""
	}
	raw := f.Data.Values[column][row]
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// series returns the lines of a frame with a time column: one for each number column and,
// in a long frame, for each combination of its string columns, at most mostSeries. It
// returns nil if the frame has none.
func (f frame) series() []series {
	at := slices.IndexFunc(f.Schema.Fields, func(f field) bool { return f.Type == "time" })
	if at < 0 {
		return nil
	}
	var texts []int
	for i, field := range f.Schema.Fields {
		if field.Type == "string" {
			texts = append(texts, i)
		}
	}
	keys := make([]string, f.rows())
	for row := range keys {
		var cells []string
		for _, c := range texts {
			cells = append(cells, f.cell(c, row))
		}
		keys[row] = strings.Join(cells, " ")
	}
	var all []series
	for i, field := range f.Schema.Fields {
		if len(all) >= mostSeries {
			break
		}
		if field.Type != "number" {
			continue
		}
		byKey, title, format := map[string]int{}, field.title(), field.format()
		for row, key := range keys {
			x, ok := f.number(at, row)
			if !ok || math.IsNaN(x) || math.Abs(x) > maxTime {
				continue
			}
			y, ok := f.number(i, row)
			if !ok || math.Abs(y) > maxValue {
				y = math.NaN()
			}
			n, ok := byKey[key]
			if !ok && len(all) >= mostSeries {
				continue
			}
			if !ok {
				n = len(all)
				byKey[key] = n
				all = append(all, series{Name: strings.TrimSpace(title + " " + key), Format: format})
			}
			all[n].Points = append(all[n].Points, point{x, y})
		}
	}
	for _, s := range all {
		slices.SortStableFunc(s.Points, func(a, b point) int { return cmp.Compare(a.X, b.X) })
	}
	return all
}

// bars returns the categories of a frame without a time column: its first string column
// with its first number column. It returns nil if one is missing.
func (f frame) bars() []bar {
	isType := func(t string) func(field) bool { return func(f field) bool { return f.Type == t } }
	name, value := slices.IndexFunc(f.Schema.Fields, isType("string")), slices.IndexFunc(f.Schema.Fields, isType("number"))
	if name < 0 || value < 0 || slices.ContainsFunc(f.Schema.Fields, isType("time")) {
		return nil
	}
	var all []bar
	format := f.Schema.Fields[value].format()
	for row := range min(f.rows(), mostBars) {
		if v, ok := f.number(value, row); ok && math.Abs(v) <= maxValue {
			all = append(all, bar{f.cell(name, row), format, v})
		}
	}
	return all
}

// numbers returns the numbers of a frame that has one row and only numbers.
func (f frame) numbers() (all []labeled) {
	if f.rows() != 1 || slices.ContainsFunc(f.Schema.Fields, func(f field) bool { return f.Type != "number" }) {
		return nil
	}
	for i, field := range f.Schema.Fields {
		if v, ok := f.number(i, 0); ok {
			all = append(all, labeled{Name: field.title(), Value: field.format().text(v)})
		}
	}
	return all
}

// reduced returns one number for each number column, as a panel of a single number shows it.
// The way to calculate it has the name that Grafana uses; an unknown one stands for the last
// number.
func (f frame) reduced(calculation string) (all []labeled) {
	for i, field := range f.Schema.Fields {
		var values []float64
		for row := range f.rows() {
			if v, ok := f.number(i, row); ok && !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		if field.Type != "number" || len(values) == 0 {
			continue
		}
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		v := values[len(values)-1]
		switch calculation {
		case "first", "firstNotNull":
			v = values[0]
		case "min":
			v = slices.Min(values)
		case "max":
			v = slices.Max(values)
		case "sum":
			v = sum
		case "mean":
			v = sum / float64(len(values))
		case "count":
			v = float64(len(values))
		}
		all = append(all, field.labeled(v))
	}
	return all
}
