package validate

import (
	"strconv"

	"github.com/slipway-dev/slipway/bundle/config"
)

// Configure applies a slipway.yaml. It keeps a profile that is already set, and it never
// resets IsStrict.
func (o *Options) Configure(c *config.Config) {
	if o.Profile == "" {
		o.Profile = c.Profile
	}
	o.IsStrict = o.IsStrict || c.IsStrict
	o.IsCatalog = c.IsCatalog
	o.Config = c.Name
	o.Severities = make(map[string]Severity, len(c.Severities))
	for rule, severity := range c.Severities {
		o.Severities[rule] = Severity(severity)
	}
	o.Suppressions = nil
	for i, s := range c.Suppressions {
		o.Suppressions = append(o.Suppressions, Suppression{Rule: s.Rule, File: s.File, Pointer: s.Pointer, Reason: s.Reason, Place: Place{
			File: c.Name, Line: s.Line, Column: s.Column, EndLine: s.Line, EndColumn: s.EndColumn, Pointer: "/suppress/" + strconv.Itoa(i),
		}})
	}
}
