package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/conformance"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/verbs"
)

// conformanceOptions are the flags of the conformance command.
type conformanceOptions struct {
	Dir        string
	Format     string
	Timeout    time.Duration
	Checks     string
	Only, Skip []string

	Query, Settings, URL string
	SecretsFile          string
}

// envSecrets holds secrets for conformance, which nobody else can read in the list of
// processes.
const envSecrets = "SLIPWAY_SECRETS"

func conformanceCommand(stdout io.Writer) *cobra.Command {
	var o conformanceOptions
	c := &cobra.Command{
		Use:   "conformance [dir]",
		Short: "Run conformance checks on a built plugin",
		Long: "Start the backend of a built plugin, make valid and invalid calls to it as hosts do, and report\n" +
			"which requirements of the protocol it does not meet. The plugin may use any SDK.\n" +
			"The argument is a plugin repository, or any directory with plugin.json and the executable; the\n" +
			"default is the current directory.\n\n" +
			"A plugin built with Slipway's SDK must pass every check. For other plugins, requirements that no\n" +
			"existing host relies on are reported as warnings; --checks=strict makes them failures.\n" +
			"If the plugin does not work without settings, most checks are skipped. Pass --settings,\n" +
			"--secrets, --url and --query to run them. Secrets are read from a file or from " + envSecrets + ".\n\n" +
			"Exit status: 0 no check failed, 1 a check failed, 2 invalid usage, 3 the checks could not run.\n" +
			"Warnings and skipped checks do not affect it.",
		Example: "  slipway conformance dist\n" +
			"  slipway conformance --only=query-nil-time-range,huge-request\n" +
			"  slipway conformance --settings='{\"region\":\"north\"}' --secrets=secrets.json --query='{\"queryType\":\"sales\"}'\n" +
			"  slipway conformance --format=junit --skip=stop-host-killed > conformance.xml",
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
	f.StringVar(&o.Dir, "dir", ".", "plugin to check if no argument is given")
	f.StringVar(&o.Format, "format", "text", "output format: text, json or junit")
	f.DurationVar(&o.Timeout, "timeout", 30*time.Second, "time limit for each check")
	f.StringVar(&o.Checks, "checks", "auto", "what to require: strict, existing, or auto, which depends on the plugin's SDK")
	f.StringSliceVar(&o.Only, "only", nil, "checks to run, such as query-none,huge-request (default: all)")
	f.StringSliceVar(&o.Skip, "skip", nil, "checks to skip")
	f.StringVar(&o.Query, "query", "", "JSON of a valid query, with its queryType")
	f.StringVar(&o.Settings, "settings", "", "JSON of the settings (jsonData) of a data source or app")
	f.StringVar(&o.SecretsFile, "secrets", "", "file with the secrets (secureJsonData) as a JSON object of strings, or - for standard input; "+envSecrets+" can hold the object itself")
	f.StringVar(&o.URL, "url", "", "URL of the data source")
	return c
}

// standardNames returns the values that conformance accepts as what to require.
func standardNames() []string {
	names := []string{"auto"}
	for _, s := range conformance.Standards() {
		names = append(names, string(s))
	}
	return names
}

// conformanceFormats returns the formats of a conformance report.
func conformanceFormats() []string { return append(listFormats(), "junit") }

// check returns an error for invalid flags.
func (o conformanceOptions) check(f verbs.Face) error {
	if formats := conformanceFormats(); !slices.Contains(formats, o.Format) {
		return fmt.Errorf("%s: %w", f.Option("format"), nearest.Unknown("format", o.Format, formats))
	}
	if names := standardNames(); !slices.Contains(names, o.Checks) {
		return fmt.Errorf("%s: %w", f.Option("checks"), nearest.Unknown("value", o.Checks, names))
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

// maxSecrets limits the size of a file of secrets.
const maxSecrets = 1 << 20

// readPluginSecrets reads secrets from a file, from standard input or from the value of the
// environment variable. Its errors do not quote what it read.
func readPluginSecrets(f verbs.Face, file string, stdin io.Reader, env string) (secrets map[string]string, err error) {
	from, text := envSecrets, []byte(env)
	if file != "" {
		from = f.Option("secrets") + "=" + file
		in := stdin
		if file != "-" {
			opened, err := os.Open(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Option("secrets"), err)
			}
			defer func() { _ = opened.Close() }()
			in = opened
		}
		if text, err = limit.ReadAll(in, maxSecrets); err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
	}
	if len(text) == 0 && file == "" {
		return nil, nil
	}
	if err := json.Unmarshal(text, &secrets); err != nil || secrets == nil {
		return nil, fmt.Errorf(`%s must be a JSON object of strings, such as {"apiKey": "..."}`, from)
	}
	return secrets, nil
}

func runConformance(c *cobra.Command, w io.Writer, o conformanceOptions) error {
	if err := o.check(face(c)); err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	secrets, err := readPluginSecrets(face(c), o.SecretsFile, c.InOrStdin(), takeEnv(envSecrets))
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	plugins, err := builtBackends(o.Dir)
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
	}
	standard := conformance.Standard(o.Checks)
	if o.Checks == "auto" {
		standard = ""
	}
	reports := []conformance.Report{}
	hasFailed := false
	for _, p := range plugins {
		options := conformance.Options{
			Plugin: p, Timeout: o.Timeout, Standard: standard, Only: o.Only, Skip: o.Skip, Environ: os.Environ(),
			Query: json.RawMessage(o.Query), Settings: json.RawMessage(o.Settings), Secrets: secrets, URL: o.URL,
		}
		if o.Format == "text" {
			options.Each = func(r conformance.Result) { printPassed(w, r) }
		}
		report, err := conformance.Run(c.Context(), options)
		if unknown, isUsage := errors.AsType[*conformance.UnknownCheckError](err); isUsage {
			return &verbs.ExitError{Code: verbs.ExitUsage, Err: unknown}
		}
		if err != nil {
			return &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
		}
		if o.Format == "text" {
			printCauses(w, report)
			printSummary(w, report)
		}
		reports = append(reports, report)
		hasFailed = hasFailed || report.Count(conformance.Failed) > 0
	}
	if err := writeReports(w, o.Format, reports); err != nil {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("write report: %w", err)}
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
