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

	longestUnit = 30 // characters of the name of a unit
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
	Config struct{ DisplayName, DisplayNameFromDS, Unit string }
}

// notice is a remark of a plugin about a frame.
type notice struct{ Severity, Text string }

// title returns the name of a column with its labels and its unit.
func (f field) title() string {
	if unit := f.Config.Unit; unit != "" && f.Type == "number" {
		return f.name() + " (" + cut(unit, longestUnit) + ")"
	}
	return f.name()
}

func (f field) name() string {
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
		byKey, title := map[string]int{}, field.title()
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
				all = append(all, series{Name: strings.TrimSpace(title + " " + key)})
			}
			all[n].Points = append(all[n].Points, point{x, y})
		}
	}
	for _, s := range all {
		slices.SortStableFunc(s.Points, func(a, b point) int { return cmp.Compare(a.X, b.X) })
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
			all = append(all, labeled{Name: field.title(), Value: formatNumber(v)})
		}
	}
	return all
}
