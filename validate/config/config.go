package config

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// FileName is the name of the file.
const FileName = "slipway.yaml"

//go:embed slipway.schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of slipway.yaml.
func Schema() []byte { return []byte(schema) }

// Config holds the contents of a slipway.yaml.
type Config struct {
	Name string // of the file in findings
	Data []byte

	Profile      string // "" if it is not set
	IsStrict     bool
	Severities   map[string]validate.Severity
	Suppressions []validate.Suppression
}

// Apply sets the options. It keeps a profile that is already set, and it never resets
// IsStrict.
func (c *Config) Apply(o *validate.Options) {
	if o.Profile == "" {
		o.Profile = c.Profile
	}
	o.IsStrict = o.IsStrict || c.IsStrict
	o.Severities, o.Suppressions, o.Config = c.Severities, c.Suppressions, c.Name
}

// Error is a place where a slipway.yaml is invalid.
type Error struct {
	File         string
	Line, Column int // from 1
	Message      string
}

// Error returns "file:line:column: message".
func (e Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Errors lists the errors of a slipway.yaml in the order of the file.
type Errors []Error

// Error returns one line per error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}
