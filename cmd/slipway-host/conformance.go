package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/conformance"
	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/progress"
)

func conformanceVerb() verbs.Verb {
	o := &verbs.ConformanceOptions{}
	return verbs.ConformanceVerb(o, func(ctx context.Context, c verbs.Call) error {
		o.Dir = cmp.Or(o.Dir, verbs.Around(), ".")
		return runConformance(ctx, c, *o)
	})
}

func checkConformance(f verbs.Face, o verbs.ConformanceOptions) error {
	if formats := []string{"text", "json", "junit"}; !slices.Contains(formats, o.Format) {
		return fmt.Errorf("%s: %w", f.Option("format"), nearest.Unknown("format", o.Format, formats))
	}
	if names := []string{"auto", "strict", "existing"}; !slices.Contains(names, o.Checks) {
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
			if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				err = fmt.Errorf("found %s", jsontype.Name(mismatch.Value))
			}
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

// readPluginSecrets reads secrets from a file, standard input or env. Its errors do not quote them.
func readPluginSecrets(f verbs.Face, file string, stdin io.Reader, env string) (secrets map[string]string, err error) {
	from, text := verbs.EnvSecrets, []byte(env)
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

func runConformance(ctx context.Context, c verbs.Call, o verbs.ConformanceOptions) error {
	w := c.Stdout
	if err := checkConformance(c.Face, o); err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	secrets, err := readPluginSecrets(c.Face, o.SecretsFile, c.Stdin, serve.TakeEnv(verbs.EnvSecrets))
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	plugins, err := builtBackends(o.Dir)
	isSource := func(p bundle.Plugin) bool { return filepath.Base(p.Dir) == "src" }
	if slices.ContainsFunc(plugins, isSource) {
		err = fmt.Errorf("this repository has not been built: run %s first", c.Face.Verb("build"))
	}
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
	}
	if len(plugins) == 0 && o.Format == "text" {
		fmt.Fprintln(w, "this plugin has no backend: nothing to check")
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
		stop := progress.Task{W: c.Stderr, Name: "checking " + p.Metadata.ID}.Start()
		report, err := conformance.Run(ctx, options)
		stop()
		if unknown, isUsage := errors.AsType[*conformance.UnknownCheckError](err); isUsage {
			return &verbs.ExitError{Code: verbs.ExitUsage, Err: unknown}
		}
		if err != nil {
			return &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
		}
		if o.Format == "text" {
			printResults(w, c.Face, report, o.Verbose)
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

// builtBackends finds the plugins in a directory that have a backend. It fails if there are no plugins.
func builtBackends(dir string) (list []bundle.Plugin, err error) {
	found, faults := bundle.Discover(dir)
	for _, p := range found {
		if p.Metadata.Backend {
			list = append(list, p)
		}
	}
	if len(list) > 0 || len(found) > 0 && len(faults) == 0 {
		return list, nil
	}
	text := "no plugin with a backend in " + dir
	for _, f := range faults {
		text += fmt.Sprintf("; %s: %v", f.Path, &f)
	}
	if len(faults) == 0 {
		text += ": build the plugin first"
	}
	return nil, errors.New(text)
}
