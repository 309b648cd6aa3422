package frame

import (
	"encoding/json"
	"fmt"
	"math"
)

// jsonSchema is the "schema" of the JSON.
type jsonSchema struct {
	Name   string      `json:"name,omitempty"`
	RefID  string      `json:"refId,omitempty"`
	Meta   *Meta       `json:"meta,omitempty"`
	Fields []jsonField `json:"fields"`
}

type jsonField struct {
	Name     string            `json:"name,omitempty"`
	Type     string            `json:"type"`
	TypeInfo jsonType          `json:"typeInfo"`
	Labels   map[string]string `json:"labels,omitzero"`
	Config   *Config           `json:"config,omitempty"`
}

type jsonType struct {
	Frame    string `json:"frame"`
	Nullable bool   `json:"nullable,omitempty"`
}

// jsonBeside is what stands beside the "values" in the "data", by column, null for a
// column without. Entities are the rows that hold what JSON has no number for; nanos
// are what milliseconds leave out of times.
type jsonBeside struct {
	Entities []*entities `json:"entities,omitempty"`
	Nanos    [][]int     `json:"nanos,omitempty"`
}

// entities are rows.
type entities struct {
	NaN    []int `json:"NaN,omitempty"`
	Inf    []int `json:"Inf,omitempty"`
	NegInf []int `json:"NegInf,omitempty"`
}

// findEntities returns nil when there are none.
func findEntities[F float32 | float64](values []F, valid bitmap) (e *entities) {
	for row, v := range values {
		f := float64(v)
		if !math.IsNaN(f) && !math.IsInf(f, 0) || !valid.has(row) {
			continue
		}
		if e == nil {
			e = &entities{}
		}
		switch {
		case f > 0:
			e.Inf = append(e.Inf, row)
		case f < 0:
			e.NegInf = append(e.NegInf, row)
		default:
			e.NaN = append(e.NaN, row)
		}
	}
	return e
}

// MarshalJSON writes the frame as JSON, as hosts and browsers read it, with times in
// milliseconds. Fields of different lengths, a nil field and JSON that is not valid
// are errors that name the field and the row.
func (f Frame) MarshalJSON() ([]byte, error) {
	text, err := f.json()
	if err != nil {
		return nil, fmt.Errorf("write frame %q as JSON: %w", f.Name, err)
	}
	return text, nil
}

// json writes the values itself, since encoding/json would check and copy them again.
func (f *Frame) json() ([]byte, error) {
	vectors, rows, err := f.vectors()
	if err != nil {
		return nil, err
	}
	schema := jsonSchema{Name: f.Name, RefID: f.RefID, Meta: f.Meta, Fields: make([]jsonField, len(vectors))}
	for n, v := range vectors {
		schema.Fields[n] = jsonField{
			Name: v.Name, Type: v.kind.family, TypeInfo: jsonType{Frame: v.kind.name, Nullable: v.nullable},
			Labels: v.Labels, Config: v.Config,
		}
	}
	head, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	const perValue = 16 // a guess that saves growing
	out := make([]byte, 0, len(head)+64+perValue*rows*len(vectors))
	out = append(append(append(out, `{"schema":`...), head...), `,"data":{"values":[`...)
	var more jsonBeside
	for n, v := range vectors {
		if n > 0 {
			out = append(out, ',')
		}
		if out, err = v.appendValues(out); err != nil {
			return nil, fieldError(n, v, err)
		}
		more.add(n, v, len(vectors))
	}
	beside, err := json.Marshal(more)
	if err != nil {
		return nil, err
	}
	out = append(out, ']')
	if len(beside) > len("{}") {
		out = append(append(out, ','), beside[1:len(beside)-1]...)
	}
	return append(out, "}}"...), nil
}

// appendValues appends the array of the values.
func (v *vector) appendValues(text []byte) (_ []byte, err error) {
	text = append(text, '[')
	for row := range v.len() {
		if row > 0 {
			text = append(text, ',')
		}
		if !v.valid.has(row) {
			text = append(text, "null"...)
		} else if text, err = v.appendJSON(text, row); err != nil {
			return nil, err
		}
	}
	return append(text, ']'), nil
}

// add adds what a field has beside its values.
func (b *jsonBeside) add(n int, v *vector, fields int) {
	switch c := v.cells.(type) {
	case times:
		if nanos := c.nanos(v.valid); nanos != nil {
			if b.Nanos == nil {
				b.Nanos = make([][]int, fields)
			}
			b.Nanos[n] = nanos
		}
	case interface{ entities(bitmap) *entities }:
		if e := c.entities(v.valid); e != nil {
			if b.Entities == nil {
				b.Entities = make([]*entities, fields)
			}
			b.Entities[n] = e
		}
	}
}
