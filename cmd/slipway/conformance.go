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

// conformanceOptions are the flags of the conformance command.
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
		Short: "Run conformance checks on a built plugin",
		Long: "Start the backend of a built plugin, make valid and invalid calls to it as hosts do, and report\n" +
			"which requirements of the protocol it does not meet. The plugin may use any SDK.\n" +
			"dir is a plugin repository, or any directory with plugin.json and the executable.\n" +
			"A plugin needs no settings for the checks. With --query, --settings and --url it can respond\n" +
			"with data instead of errors, and fewer checks are skipped.\n" +
			"Exit status: 0 all checks passed or were skipped, 1 a check failed, 2 invalid usage, 3 the checks\n" +
			"could not run.",
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
	f.StringVar(&o.Dir, "dir", ".", "plugin to check, if there is no argument")
	f.StringVar(&o.Format, "format", "text", "output format: text or json")
	f.DurationVar(&o.Timeout, "timeout", 30*time.Second, "time limit for each check")
	f.StringSliceVar(&o.Only, "only", nil, "checks to run, such as query-none,huge-request (default all)")
	f.StringVar(&o.Query, "query", "", "JSON of a valid query, with its queryType")
	f.StringVar(&o.Settings, "settings", "", "JSON of the settings (jsonData) of a data source or app")
	f.StringVar(&o.URL, "url", "", "URL of the data source")
	return c
}

// check returns an error for invalid flags.
func (o conformanceOptions) check(f verbs.Face) error {
	if o.Format != "text" && o.Format != "json" {
		return fmt.Errorf("unknown format %q: use text or json", o.Format)
	}
	if o.Timeout <= 0 {
		return fmt.Errorf("invalid %s=%s: it must be positive, such as 30s", f.Option("timeout"), o.Timeout)
	}
	for name, text := range map[string]string{"query": o.Query, "settings": o.Settings} {
		var object map[string]any
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			return fmt.Errorf("%s must be a JSON object: %w", f.Option(name), err)
		}
	}
	if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist: pass the directory of a built plugin", o.Dir)
	}
	return nil
}

func runConformance(c *cobra.Command, w io.Writer, o conformanceOptions) error {
	if err := o.check(face(c)); err != nil {
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
			return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("write report: %w", err)}
		}
	}
	if hasFailed {
		return &verbs.ExitError{Code: verbs.ExitFindings}
	}
	return nil
}

// builtBackends finds the plugins in a directory that have a backend.
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
	text := "no plugin with a backend in " + dir
	for _, f := range faults {
		text += fmt.Sprintf("; %s: %v", f.Path, &f)
	}
	if len(faults) == 0 && len(found) == 0 {
		text += ": build the plugin first"
	}
	return nil, errors.New(text)
}

// idWidth is the length of the longest id of a check.
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
		fmt.Fprintf(w, "  skip  %-*s  %.1fs  %s\n", idWidth(), r.ID, took, terminal.Line(r.Reason))
	default:
		fmt.Fprintf(w, "  FAIL  %-*s  %.1fs  %s\n", idWidth(), r.ID, took, r.Why)
		for _, line := range []struct{ name, text string }{{"sent", r.Sent}, {"got", r.Got}, {"help", r.Help}} {
			if line.text != "" {
				fmt.Fprintf(w, "          %s: %s\n", line.name, terminal.Line(line.text))
			}
		}
	}
}

func printSummary(w io.Writer, r conformance.Report) {
	fmt.Fprintf(w, "%d checks of %s: %d passed, %d failed, %d skipped in %.1fs\n", len(r.Results), r.PluginID,
		r.Count(conformance.Passed), r.Count(conformance.Failed), r.Count(conformance.Skipped), r.Elapsed.Seconds())
}
