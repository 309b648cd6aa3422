package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/conformance"
	"github.com/slipway-dev/slipway/internal/junit"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
)

// idWidth is the length of the longest id of a check.
func idWidth() (width int) {
	for _, c := range conformance.Checks() {
		width = max(width, len(c.ID))
	}
	return width
}

// printResults prints each warning and failure, with the checks of the same cause, and how many checks have each outcome; if
// verbose, also what passed and why others were skipped. For warnings about Grafana's SDK, strict checks have the details.
func printResults(w io.Writer, f verbs.Face, r conformance.Report, isVerbose bool) {
	same := map[string][]string{}
	var ofSDK []string
	for _, one := range r.Results {
		if one.Outcome == conformance.Passed && isVerbose {
			fmt.Fprintf(w, "  %s    %-*s  %.1fs\n", terminal.Paint(w, terminal.Green, "ok"), idWidth(), one.ID, one.Elapsed.Seconds())
		}
		if r.IsOfSDK(one) {
			ofSDK = append(ofSDK, one.ID)
		}
		if one.SameAs != "" {
			same[one.SameAs] = append(same[one.SameAs], one.ID)
		}
	}
	printAll := func(outcome conformance.Outcome, mark string) {
		for _, one := range r.Results {
			if one.Outcome == outcome && one.SameAs == "" && !r.IsOfSDK(one) {
				printCause(w, mark, one, same[one.ID])
			}
		}
	}
	if isVerbose {
		printAll(conformance.Skipped, terminal.Paint(w, terminal.Dim, "skip"))
	}
	printAll(conformance.Warned, terminal.Paint(w, terminal.Magenta, "warn"))
	if len(ofSDK) > 0 {
		fmt.Fprintf(w, "  warn  %s that plugins on Grafana's SDK do not pass, whatever their authors do; %s=%s explains them\n          checks: %s\n",
			text.Plural(len(ofSDK), "check"), f.Option("checks"), conformance.Strict, strings.Join(ofSDK, ", "))
	}
	printAll(conformance.Failed, terminal.Paint(w, terminal.Red, "FAIL"))
	skipped := fmt.Sprintf("%d skipped", r.Count(conformance.Skipped))
	if !isVerbose && r.Count(conformance.Skipped) > 0 {
		skipped += " (" + f.Option("verbose") + " says why)"
	}
	fmt.Fprintf(w, "%s of %s%s: %d passed, %d failed, %s, %s in %.1fs\n", text.Plural(len(r.Results), "check"), r.PluginID, heldTo(r),
		r.Count(conformance.Passed), r.Count(conformance.Failed), text.Plural(r.Count(conformance.Warned), "warning"), skipped, r.Elapsed.Seconds())
}

func printCause(w io.Writer, mark string, r conformance.Result, same []string) {
	note := r.Why
	if r.Outcome == conformance.Skipped {
		note = terminal.Line(r.Reason)
	}
	if len(same) == 0 {
		fmt.Fprintf(w, "  %s  %-*s  %.1fs  %s\n", mark, idWidth(), r.ID, r.Elapsed.Seconds(), note)
	} else {
		fmt.Fprintf(w, "  %s  %s: %s\n", mark, text.Plural(len(same)+1, "check"), note)
	}
	for _, line := range []struct{ name, text string }{
		{"checks", strings.Join(append([]string{r.ID}, same...), ", ")}, {"sent", r.Sent}, {"got", r.Got}, {"help", r.Help},
	} {
		if line.text != "" && (line.name != "checks" || len(same) > 0) {
			fmt.Fprintf(w, "          %s: %s\n", line.name, terminal.Line(line.text))
		}
	}
}

// heldTo returns what a report was made with, in parentheses.
func heldTo(r conformance.Report) string {
	if r.SDK == nil {
		return fmt.Sprintf(" (%s)", r.Standard)
	}
	return fmt.Sprintf(" (%s, %s)", r.SDK, r.Standard)
}

// writeReports writes the reports in a format for programs, if it is one.
func writeReports(w io.Writer, format string, reports []conformance.Report) error {
	switch format {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"version": 1, "plugins": reports})
	case "junit":
		return junit.Write(w, suites(reports))
	}
	return nil
}

// suites returns a suite for each plugin with a test for each check. A warning is a passed
// test with output. A check with the same cause as an earlier one refers to it.
func suites(reports []conformance.Report) junit.Suites {
	out := junit.Suites{Name: "slipway conformance"}
	for _, r := range reports {
		suite := junit.Suite{Name: r.PluginID}
		for _, one := range r.Results {
			c := junit.Case{Name: one.ID, Class: r.PluginID}
			body := fmt.Sprintf("%s\nsent: %s\ngot: %s\nhelp: %s", one.Why, one.Sent, one.Got, one.Help)
			if one.SameAs != "" {
				body = "same cause as " + one.SameAs + "\n" + body
			}
			switch one.Outcome {
			case conformance.Failed:
				c.Failure = &junit.Result{Type: one.ID, Message: one.Got, Body: body}
			case conformance.Warned:
				c.Output = "warning: " + body
			case conformance.Skipped:
				c.Skipped = &junit.Result{Message: one.Reason}
			}
			suite.Cases = append(suite.Cases, c)
		}
		out.Suites = append(out.Suites, suite)
	}
	return out
}
