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

// Config is what a slipway.yaml says.
type Config struct {
	Name string // of the file, as findings name it
	Data []byte

	Profile      string // "" where it says nothing
	IsStrict     bool
	Severities   map[string]validate.Severity
	Suppressions []validate.Suppression
}

// Apply sets options by the configuration. A profile that is set already stays, and
// strict stays strict.
func (c *Config) Apply(o *validate.Options) {
	if o.Profile == "" {
		o.Profile = c.Profile
	}
	o.IsStrict = o.IsStrict || c.IsStrict
	o.Severities, o.Suppressions, o.Config = c.Severities, c.Suppressions, c.Name
}

// Fault is something wrong in a slipway.yaml.
type Fault struct {
	File         string
	Line, Column int // from 1
	Message      string
}

// Error returns the place and what is wrong.
func (f Fault) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// Faults is everything that is wrong in a slipway.yaml, in the order of the file.
type Faults []Fault

// Error returns one line for each.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}
