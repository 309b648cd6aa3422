package build

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/validate"
)

// A RefusedError stops a build: hosts would not run the plugin, or a check could not run.
type RefusedError struct{ Report *validate.Report }

// Error returns a line for each error and for each rule that did not run, safe to print.
func (e *RefusedError) Error() string {
	return "the plugin has errors, which validate explains:\n" + strings.Join(refusals(e.Report), "\n")
}

// Refuse returns a *RefusedError if a report has errors, or rules that could not run.
func Refuse(report *validate.Report) error {
	if len(refusals(report)) > 0 {
		return &RefusedError{report}
	}
	return nil
}

func refusals(report *validate.Report) (lines []string) {
	for _, skip := range report.Skips {
		if skip.IsBroken {
			lines = append(lines, terminal.Line(fmt.Sprintf("  %s: rule %s did not run: %s", skip.File, skip.Rule, skip.Reason)))
		}
	}
	for _, f := range report.Findings {
		if f.Severity == validate.Error {
			lines = append(lines, terminal.Line(fmt.Sprintf("  %s: %s (%s)", f.Address(), f.Message, f.Rule)))
			if f.Help != "" {
				lines = append(lines, terminal.Line("    help: "+f.Help))
			}
		}
	}
	return lines
}

// takeChecked refuses sources with errors. Those about what some versions in the declared range do not have become
// one warning: hosts of the other versions run the plugin.
func (p *Plan) takeChecked() error {
	if p.options.Checked == nil {
		return nil
	}
	rest := *p.options.Checked
	var ofRange []validate.Finding
	rest.Findings = slices.DeleteFunc(slices.Clone(rest.Findings), func(f validate.Finding) bool {
		isOfRange := f.IsOfRange && f.Severity == validate.Error
		if isOfRange {
			ofRange = append(ofRange, f)
		}
		return isOfRange
	})
	if len(ofRange) > 0 && !p.options.Dev { // which prints all findings
		more := ""
		if len(ofRange) > 1 {
			more = fmt.Sprintf(", and %d more", len(ofRange)-1)
		}
		p.warnings = append(p.warnings, terminal.Line(fmt.Sprintf("%s: the range of versions is not true: %s%s (%s); validate explains it",
			ofRange[0].Address(), ofRange[0].Message, more, ofRange[0].Rule)))
	}
	return Refuse(&rest)
}

// checkCreated refuses a build that lacks a file that plugin.json names: rules cannot tell whether a build creates it.
func (p *Plan) checkCreated(_ context.Context, staging string, _ *Result) error {
	if p.options.Checked == nil || p.options.Only == OnlyBackend {
		return nil
	}
	for _, f := range p.options.Checked.Findings {
		if f.Built != "" && !exists(filepath.Join(staging, filepath.FromSlash(f.Built))) {
			return fmt.Errorf("%s: neither the sources nor this build have %s: add it, or let frontend.command or generate in "+
				"slipway.yaml create it", f.Address(), f.Built)
		}
	}
	return nil
}
