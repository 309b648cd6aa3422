package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

type pluginsReport struct {
	Plugins []pluginLine            `json:"plugins"`
	Errors  []hostapi.PluginProblem `json:"errors"`
}

type pluginLine struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Version string `json:"version"`
	State   string `json:"state"` // of the backend: a loader.State, or "not-started"
}

func pluginsVerb() verbs.Verb {
	o := &verbs.PluginsOptions{}
	return verbs.PluginsVerb(o, func(ctx context.Context, c verbs.Call) error {
		report, err := reportOf(ctx, o.Target)
		if err != nil {
			return err
		}
		if err := report.print(c.Stdout, o.JSON); err != nil {
			return err
		}
		if len(report.Errors) > 0 {
			return &verbs.ExitError{Code: verbs.ExitFindings}
		}
		return nil
	})
}

const requestTimeout = 30 * time.Second

func reportOf(ctx context.Context, target string) (*pluginsReport, error) {
	if strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		report, err := reportOfHost(ctx, target)
		if err != nil {
			return nil, &verbs.ExitError{Code: verbs.ExitBroken, Err: err}
		}
		return report, nil
	}
	if info, err := os.Stat(target); err != nil {
		return nil, verbs.Usage("%w", err)
	} else if !info.IsDir() {
		return nil, verbs.Usage("%s is not a directory", target)
	}
	return reportOfDir(target), nil
}

func reportOfDir(dir string) *pluginsReport {
	dirs := []string{dir}
	plugins, faults := loader.Inspect(loader.Options{Dirs: dirs, HostVersion: loader.HostVersion(dirs, server.LeastServiceVersion())})
	r := &pluginsReport{Plugins: []pluginLine{}, Errors: []hostapi.PluginProblem{}}
	for _, f := range faults {
		r.Errors = append(r.Errors, api.ProblemOf(f))
	}
	for _, p := range plugins {
		state := string(loader.StateNoBackend)
		if p.Metadata.Backend {
			state = "not-started"
		}
		r.Plugins = append(r.Plugins, pluginLine{p.Metadata.ID, string(p.Metadata.Type), p.Metadata.Info.Version, state})
	}
	return r
}

func reportOfHost(ctx context.Context, base string) (*pluginsReport, error) {
	at, err := url.Parse(base)
	if err != nil { // which may quote the password
		return nil, errors.New("invalid URL: check the user, password, host and port")
	}
	token := os.Getenv(verbs.EnvToken)
	password, _ := at.User.Password()
	if password != "" {
		token = ""
	} else if token == "" {
		password = os.Getenv(verbs.EnvAdminPassword)
	}
	login := cmp.Or(at.User.Username(), host.AdminLogin)
	if at.User = nil; password != "" {
		at.User = url.UserPassword(login, password)
	}
	// A redirect could send the credentials to another host.
	client, err := hostapi.New(at.String(), token, &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
	if err != nil {
		return nil, err
	}
	mounted, err := client.Plugins(ctx)
	if err != nil {
		return nil, aboutHost(at, err)
	}
	problems, err := client.PluginProblems(ctx)
	if err != nil {
		return nil, aboutHost(at, err)
	}
	r := &pluginsReport{Plugins: []pluginLine{}, Errors: problems}
	for _, p := range mounted {
		state := string(loader.StateNoBackend)
		if p.Backend != nil {
			state = p.Backend.State
		}
		r.Plugins = append(r.Plugins, pluginLine{p.ID, p.Type, p.Version, state})
	}
	return r, nil
}

// aboutHost adds what to do to an error of the host at a URL.
func aboutHost(at *url.URL, err error) error {
	e, ok := errors.AsType[*hostapi.Error](err)
	if ok && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden) {
		return fmt.Errorf("%s: %w: set %s to the token of an administrator, or %s to the password of the user %s",
			at.Redacted(), err, verbs.EnvToken, verbs.EnvAdminPassword, host.AdminLogin)
	}
	return fmt.Errorf("%s: %w", at.Redacted(), err)
}

func (r *pluginsReport) print(w io.Writer, isJSON bool) error {
	if isJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(r.Plugins) > 0 {
		fmt.Fprintln(table, "PLUGIN\tTYPE\tVERSION\tBACKEND")
	}
	for _, p := range r.Plugins {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", terminal.Line(p.ID), terminal.Line(p.Type), cmp.Or(terminal.Line(p.Version), "-"),
			terminal.Line(p.State))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, f := range r.Errors {
		path := f.Path
		if f.Line > 0 {
			path = fmt.Sprintf("%s:%d:%d", path, f.Line, f.Column)
		}
		fmt.Fprintf(w, "\n%s [%s] %s\n", terminal.Line(f.Stage), terminal.Line(f.Code),
			terminal.Line(strings.TrimPrefix(f.PluginID+": "+f.Reason, ": ")))
		fmt.Fprintf(w, "  path:  %s\n  help:  %s\n  since: %s\n", terminal.Line(path), terminal.Line(f.Help), f.Since.Format(time.RFC3339))
		for _, line := range f.Stderr {
			fmt.Fprintf(w, "  | %s\n", terminal.Line(line))
		}
	}
	if len(r.Errors) > 0 {
		fmt.Fprintln(w)
	}
	if len(r.Plugins)+len(r.Errors) == 0 {
		fmt.Fprintln(w, "no plugins found: each needs a directory with a plugin.json")
	}
	_, err := fmt.Fprintf(w, "plugins: %d, failures: %d\n", len(r.Plugins), len(r.Errors))
	return err
}
