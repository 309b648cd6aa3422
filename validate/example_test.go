package validate_test

import (
	"context"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// A caller adds a rule of its own to the existing ones.
func ExampleRun() {
	ourPrefix := validate.Rule{
		ID:       "our-prefix",
		Severity: validate.Error,
		Help:     "begin it with acme-",
		Check: func(p *validate.Pass) {
			if id, ok := p.Doc.Text("/id"); ok && !strings.HasPrefix(id, "acme-") {
				p.Reportf(p.Value("/id"), "the id %q is not one of ours", id)
			}
		},
	}
	tree := fstest.MapFS{
		"img/logo.svg": {Data: []byte("<svg/>")},
		"plugin.json": {Data: []byte(`{
  "id": "clock-panel", "name": "Clock", "type": "panel",
  "info": {
    "keywords": ["time"], "logos": {"small": "img/logo.svg", "large": "img/logo.svg"},
    "updated": "2026-01-31", "version": "1.0.0"
  },
  "dependencies": {"serviceDependency": ">=10.3.0"}
}`)},
	}
	report, err := validate.Run(context.Background(), tree, validate.Options{Rules: append(rules.All(), ourPrefix)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		if f.Severity == validate.Error {
			fmt.Printf("%s:%d:%d %s %s\n", f.File, f.Line, f.Column, f.Rule, f.Message)
		}
	}
	// Output: plugin.json:2:9 our-prefix the id "clock-panel" is not one of ours
}

// Options set the severities of rules and suppress findings.
func ExampleOptions() {
	tree := fstest.MapFS{"plugins/clock/plugin.json": {Data: []byte(`{"id": 1, "x-team": "time", "extra": true}`)}}
	report, err := validate.Run(context.Background(), tree, validate.Options{
		Rules: rules.All(),
		Severities: map[string]validate.Severity{
			"required-field": validate.Off,
			"wrong-type":     validate.Warning,
		},
		Suppressions: []validate.Suppression{{
			Rule: "unknown-field", File: "plugins/**", Pointer: "/x-team", Reason: "read by our own tools",
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Println(f.Severity, f.Rule, f.Pointer)
	}
	for _, s := range report.Suppressed {
		fmt.Println("suppressed", s.Rule, s.Pointer+":", s.Reason)
	}
	for _, s := range report.Skips {
		fmt.Println("not run", s.Rule+":", s.Reason)
	}
	// Output:
	// warning wrong-type /id
	// warning unknown-field /extra
	// suppressed unknown-field /x-team: read by our own tools
	// not run required-field: turned off by the configuration
}
