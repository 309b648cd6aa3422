package api

import (
	"encoding/json"
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
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(model, &fields); err != nil {
		return nil, host.Invalid("dashboard", "must be an object: %v", err)
	}
	delete(fields, "__inputs")
	delete(fields, "__requires")
	plain, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	text, length := string(plain), len(plain)
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
		name, value := inString("${"+declared.Name+"}"), inString(value)
		length += strings.Count(text, name) * max(0, len(value)-len(name))
		pairs = append(pairs, name, value)
	}
	if length > gate.MaxDashboardFile { // few inputs can make a dashboard very long
		return nil, host.Invalid("inputs", "must not make the dashboard longer than %d bytes", gate.MaxDashboardFile)
	}
	return json.RawMessage(strings.NewReplacer(pairs...).Replace(text)), nil
}

// inString returns text as it is written in a string in JSON.
func inString(text string) string {
	quoted, _ := json.Marshal(text) // a string always encodes
	return string(quoted[1 : len(quoted)-1])
}
