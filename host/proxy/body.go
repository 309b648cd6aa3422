package proxy

import (
	"bytes"
	"encoding/json"
)

// body fills in the body of a route and returns nil if the route has none. Each string
// in it is a template. It is encoded after it is filled in, so that a value cannot
// extend beyond its string.
func (s settings) body(object json.RawMessage) ([]byte, error) {
	object = bytes.TrimSpace(object)
	if len(object) == 0 || string(object) == "null" {
		return nil, nil
	}
	var content map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := d.Decode(&content); err != nil {
		return nil, unavailable("plugin.json: body must be an object")
	}
	filled, err := s.fill(content)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(filled); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func (s settings) fill(v any) (_ any, err error) {
	switch v := v.(type) {
	case string:
		return s.render("body", v)
	case []any:
		for i := range v {
			if v[i], err = s.fill(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = s.fill(v[key]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
