package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/conformance"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/verbs"
)

// conformanceOptions are the options of the verb conformance.
type conformanceOptions struct {
	Dir     string
	Format  string
	Timeout time.Duration
	Only    []string

	Query, Settings, URL string
}

func conformanceCommand(stdout io.Writer) *cobra.Command {
	var o conformanceOptions
	c := &cobra.Command{
		Use:   "conformance [dir]",
		Short: "Try a built plugin: what every plugin must do, and this one does not",
		Long: "Start the backend of a built plugin, on whatever SDK, and send it what hosts send on good\n" +
			"days and on bad ones. dir is a plugin repository or any folder with plugin.json and its\n" +
			"executable. A plugin needs no settings for it; with --query, --settings and --url it gives\n" +
			"answers other than errors, of which more can be said.\n" +
			"Exit status: 0 all passed or skipped, 1 something failed, 2 wrong usage, 3 it could not run.",
		Example: "  slipway conformance dist\n" +
			"  slipway conformance --only=query-nil-time-range,huge-request\n" +
			"  slipway conformance --settings='{\"region\":\"north\"}' --query='{\"queryType\":\"sales\"}'",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Dir = args[0]
			}
			return runConformance(c, stdout, o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	f := c.Flags()
	f.StringVar(&o.Dir, "dir", ".", "the plugin, if no argument names it")
	f.StringVar(&o.Format, "format", "text", "text or json")
	f.DurationVar(&o.Timeout, "timeout", 30*time.Second, "of each check")
	f.StringSliceVar(&o.Only, "only", nil, "checks to run, such as query-none,huge-request (all)")
	f.StringVar(&o.Query, "query", "", "JSON of a query that the plugin can answer, with its queryType")
	f.StringVar(&o.Settings, "settings", "", "JSON of the settings (jsonData) of a data source or app")
	f.StringVar(&o.URL, "url", "", "address of the data source")
	return c
}

// check says what is wrong with the options.
func (o conformanceOptions) check() error {
	if o.Format != "text" && o.Format != "json" {
		return fmt.Errorf("unknown format %q: use one of text, json", o.Format)
	}
	if o.Timeout <= 0 {
		return fmt.Errorf("--timeout=%s: give a time such as 30s", o.Timeout)
	}
	for name, text := range map[string]string{"query": o.Query, "settings": o.Settings} {
		var object map[string]any
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			return fmt.Errorf("--%s is no JSON object: %w", name, err)
		}
	}
	if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist: name the folder of a built plugin", o.Dir)
	}
	return nil
}

func runConformance(c *cobra.Command, w io.Writer, o conformanceOptions) error {
	if err := o.check(); err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	plugins, err := builtBackends(o.Dir)
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
	}
	reports := []conformance.Report{}
	hasFailed := false
	for _, p := range plugins {
		options := conformance.Options{
			Plugin: p, Timeout: o.Timeout, Only: o.Only, Environ: os.Environ(),
			Query: json.RawMessage(o.Query), Settings: json.RawMessage(o.Settings), URL: o.URL,
		}
		if o.Format == "text" {
			options.Each = func(r conformance.Result) { printResult(w, r) }
		}
		report, err := conformance.Run(c.Context(), options)
		if unknown, isUsage := errors.AsType[*conformance.UnknownCheckError](err); isUsage {
			return &verbs.ExitError{Code: verbs.ExitUsage, Err: unknown}
		}
		if err != nil {
			return &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
		}
		if o.Format == "text" {
			printSummary(w, report)
		}
		reports = append(reports, report)
		hasFailed = hasFailed || report.Count(conformance.Failed) > 0
	}
	if o.Format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		if err := e.Encode(map[string]any{"version": 1, "plugins": reports}); err != nil {
			return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("write the report: %w", err)}
		}
	}
	if hasFailed {
		return &verbs.ExitError{Code: verbs.ExitFindings}
	}
	return nil
}

// builtBackends finds the plugins in a folder that have something to start.
func builtBackends(dir string) (list []bundle.Plugin, err error) {
	found, faults := bundle.Discover(dir)
	for _, p := range found {
		if p.Metadata.Backend {
			list = append(list, p)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	text := dir + " holds no plugin with a backend"
	for _, f := range faults {
		text += fmt.Sprintf("; %s: %s", f.Path, f.Reason)
	}
	if len(faults) == 0 && len(found) == 0 {
		text += ": build it first"
	}
	return nil, errors.New(text)
}

// idWidth is that of the longest id of a check.
func idWidth() (width int) {
	for _, c := range conformance.Checks() {
		width = max(width, len(c.ID))
	}
	return width
}

func printResult(w io.Writer, r conformance.Result) {
	took := r.Elapsed.Seconds()
	switch r.Outcome {
	case conformance.Passed:
		fmt.Fprintf(w, "  ok    %-*s  %.1fs\n", idWidth(), r.ID, took)
	case conformance.Skipped:
		fmt.Fprintf(w, "  skip  %-*s  %.1fs  %s\n", idWidth(), r.ID, took, printable(r.Reason))
	default:
		fmt.Fprintf(w, "  FAIL  %-*s  %.1fs  %s\n", idWidth(), r.ID, took, r.Why)
		for _, line := range []struct{ name, text string }{{"sent", r.Sent}, {"got", r.Got}, {"help", r.Help}} {
			if line.text != "" {
				fmt.Fprintf(w, "          %s: %s\n", line.name, printable(line.text))
			}
		}
	}
}

func printSummary(w io.Writer, r conformance.Report) {
	fmt.Fprintf(w, "%d checks of %s: %d passed, %d failed, %d skipped in %.1fs\n", len(r.Results), r.PluginID,
		r.Count(conformance.Passed), r.Count(conformance.Failed), r.Count(conformance.Skipped), r.Elapsed.Seconds())
}

func printable(s string) string { return terminal.Line(s) }
