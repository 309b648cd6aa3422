package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

// importInput is a value for an input of a shared dashboard, such as the uid of a data
// source.
type importInput struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	PluginID string `json:"pluginId"`
	Value    string `json:"value"`
}

// fillInputs replaces "${NAME}" for each input that the model declares in "__inputs", and
// removes the declarations.
func fillInputs(model json.RawMessage, given []importInput) (json.RawMessage, error) {
	var head struct {
		Inputs []importInput `json:"__inputs"`
	}
	if err := json.Unmarshal(model, &head); err != nil {
		return nil, host.Invalid("dashboard.__inputs", "must be an array of objects with name, type and value")
	}
	if len(head.Inputs) == 0 {
		return model, nil
	}
	if len(head.Inputs) > gate.MaxInputs {
		return nil, host.Invalid("dashboard.__inputs", "must not have more than %d entries, found %d", gate.MaxInputs, len(head.Inputs))
	}
	var pairs []string
	for _, declared := range head.Inputs {
		value := declared.Value
		for _, g := range given {
			if g.Name == declared.Name && g.Value != "" {
				value = g.Value
			}
		}
		if declared.Name == "" || value == "" {
			return nil, host.Invalid("inputs", "must contain a value for %q, which the dashboard declares in __inputs", declared.Name)
		}
		pairs = append(pairs, "${"+declared.Name+"}", value)
	}
	decoder := json.NewDecoder(bytes.NewReader(model))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return nil, host.Invalid("dashboard", "must be an object: %v", err)
	}
	delete(fields, "__inputs")
	delete(fields, "__requires")
	left := gate.MaxDashboardFile
	value := replaceTexts(fields, strings.NewReplacer(pairs...), &left)
	tooLong := host.Invalid("inputs", "must not make the dashboard longer than %d bytes", gate.MaxDashboardFile)
	if left < 0 {
		return nil, tooLong
	}
	filled, err := json.Marshal(value)
	if err == nil && len(filled) > gate.MaxDashboardFile {
		err = tooLong
	}
	return filled, err
}

// replaceTexts applies a replacer to all strings in a decoded JSON value. It subtracts their
// length from left, and omits strings once that is negative.
func replaceTexts(value any, r *strings.Replacer, left *int) any {
	switch v := value.(type) {
	case string:
		c := capped{left: left}
		if _, err := r.WriteString(&c, v); err != nil {
			return ""
		}
		return c.text.String()
	case []any:
		for i := range v {
			v[i] = replaceTexts(v[i], r, left)
		}
	case map[string]any:
		for name := range v {
			v[name] = replaceTexts(v[name], r, left)
		}
	}
	return value
}

// capped is a string that grows while left is not negative: few inputs can make a model very
// long.
type capped struct {
	text strings.Builder
	left *int
}

var errTooLong = errors.New("text too long")

func (c *capped) Write(p []byte) (int, error) {
	if *c.left -= len(p); *c.left < 0 {
		return 0, errTooLong
	}
	return c.text.Write(p)
}
