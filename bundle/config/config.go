package config

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
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
	IsCatalog    bool              // the preset catalog
	Severities   map[string]string // error, warning, info or off, by rule
	Suppressions []Suppression

	Generate string // command line for the shell, run before a build reads the sources; "" runs nothing
	Backend  Backend
	Frontend Frontend
	Expected []ExpectedProblem // "expected" of "preview"
}

// ExpectedProblem is a problem that a check of the preview accepts.
type ExpectedProblem struct {
	View   string // its name or a part of it, or a pattern with *; "" for all
	Text   string // a part of the problem
	Reason string
}

// Suppression is an entry of "suppress": a finding to leave out.
type Suppression struct {
	Rule    string
	File    string // glob of slash paths; "" for all
	Pointer string // JSON pointer, which may end in /*; "" for all
	Reason  string

	Line, Column, EndColumn int // of the rule's name in the file
}

// Backend is "backend": how build compiles backends. The zero value is the default.
type Backend struct {
	Main      map[string]string // main packages by plugin id; the key "" is the plugin's own
	Tags      []string          // build tags
	LDFlags   string            // added to the linker's flags
	Env       []string          // NAME=value, sorted; values may be secret
	Cgo       bool
	Platforms []bundle.Platform // nil if they are not set
	SkipCheck bool              // do not start the executable for this machine
}

// Error is an error at a position in a slipway.yaml.
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
