package frame

import (
	"encoding/json"
	"fmt"
	"math"
)

// jsonSchema is the value of "schema".
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

// jsonExtra is in "data" beside "values", with an element for each column, or null.
// Entities list the rows with values that JSON cannot represent. Nanos are the
// nanoseconds of times, without their milliseconds.
type jsonExtra struct {
	Entities []*entities `json:"entities,omitempty"`
	Nanos    [][]int     `json:"nanos,omitempty"`
}

type entities struct {
	NaN    []int `json:"NaN,omitempty"`
	Inf    []int `json:"Inf,omitempty"`
	NegInf []int `json:"NegInf,omitempty"`
}

// findEntities returns nil if there are none.
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

// MarshalJSON encodes the frame in the format of hosts and browsers, with times in
// milliseconds since 1970. It returns an error if fields differ in length, a field is nil,
// or a json.RawMessage is invalid.
func (f Frame) MarshalJSON() ([]byte, error) {
	text, err := f.json()
	if err != nil {
		return nil, fmt.Errorf("encode frame %q as JSON: %w", f.Name, err)
	}
	return text, nil
}

// json encodes the values without encoding/json, which would check and copy them again.
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
	const perValue = 16 // an estimate
	out := make([]byte, 0, len(head)+64+perValue*rows*len(vectors))
	out = append(append(append(out, `{"schema":`...), head...), `,"data":{"values":[`...)
	var extra jsonExtra
	for n, v := range vectors {
		if n > 0 {
			out = append(out, ',')
		}
		if out, err = v.appendValues(out); err != nil {
			return nil, fieldError(n, v, err)
		}
		extra.add(n, v, len(vectors))
	}
	more, err := json.Marshal(extra)
	if err != nil {
		return nil, err
	}
	out = append(out, ']')
	if len(more) > len("{}") {
		out = append(append(out, ','), more[1:len(more)-1]...)
	}
	return append(out, "}}"...), nil
}

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

// add adds the entities and the nanoseconds of a field.
func (e *jsonExtra) add(n int, v *vector, fields int) {
	switch c := v.cells.(type) {
	case times:
		if nanos := c.nanos(v.valid); nanos != nil {
			if e.Nanos == nil {
				e.Nanos = make([][]int, fields)
			}
			e.Nanos[n] = nanos
		}
	case interface{ entities(bitmap) *entities }:
		if found := c.entities(v.valid); found != nil {
			if e.Entities == nil {
				e.Entities = make([]*entities, fields)
			}
			e.Entities[n] = found
		}
	}
}
