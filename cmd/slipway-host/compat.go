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
	"strings"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/bundle/zipfs"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/compat"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/loader"
)

func compatVerb() verbs.Verb {
	o := &verbs.CompatOptions{}
	v := verbs.CompatVerb(o)
	v.Run = func(ctx context.Context, c verbs.Call) error {
		o.Path = cmp.Or(o.Path, verbs.Around(), ".")
		return runCompat(ctx, c, *o)
	}
	return v
}

func runCompat(ctx context.Context, c verbs.Call, o verbs.CompatOptions) error {
	usage := func(err error) error { return &verbs.ExitError{Code: verbs.ExitUsage, Err: err} }
	f, w := c.Face, c.Stdout
	if !slices.Contains(verbs.ListFormats(), o.Format) {
		return usage(fmt.Errorf("%s: %w", f.Option("format"), nearest.Unknown("format", o.Format, verbs.ListFormats())))
	}
	platforms, err := bundle.ParsePlatforms(o.Platform)
	if err != nil || len(platforms) != 1 {
		return usage(fmt.Errorf("invalid %s=%s: name one platform, such as linux/amd64", f.Option("platform"), o.Platform))
	}
	if o.Start && platforms[0] != bundle.Host() {
		return usage(fmt.Errorf("%s starts the backend on this machine: omit %s=%s", f.Option("start"), f.Option("platform"), o.Platform))
	}
	for _, v := range [][2]string{{"service-version", o.Version}, {"existing-version", o.Existing}} {
		if version := "v" + v[1]; v[1] != "" && semver.Canonical(version)+semver.Build(version) != version {
			return usage(fmt.Errorf("invalid %s=%s: write a version such as 12.1.0", f.Option(v[0]), v[1]))
		}
	}
	files, isZip, err := openPlugin(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return usage(fmt.Errorf("%s does not exist: pass a plugin repository, a built plugin or a zip", o.Path))
	}
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("%s: %w", o.Path, err)}
	}
	defer func() { _ = files.Close() }()
	if o.Suggest || len(o.Versions) > 0 {
		return compareVersions(ctx, w, files, o)
	}
	options := compat.Options{
		Platform: platforms[0], Version: o.Version, VersionOption: f.Option("service-version"), Existing: o.Existing, Routes: routePatterns(),
		Variables: loader.Variables(), IsShared: frontend.IsShared,
	}
	if o.Start {
		if isZip {
			return usage(fmt.Errorf("%s needs a directory: unpack %s first", f.Option("start"), o.Path))
		}
		options.Start = func(dir string) error {
			return startOnce(ctx, filepath.Join(o.Path, filepath.FromSlash(dir)), o.Version)
		}
	}
	reports, err := compat.Check(files, options)
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("%s: %w", o.Path, err)}
	}
	if o.Format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		err = e.Encode(map[string]any{"version": 1, "plugins": reports})
	} else {
		err = printCompat(w, reports)
	}
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("write report: %w", err)}
	}
	if slices.ContainsFunc(reports, func(r compat.Report) bool { return !r.Runs.Both() }) {
		return &verbs.ExitError{Code: verbs.ExitFindings}
	}
	return nil
}

// compareVersions prints what validate finds for some versions of existing hosts, or the range in which
// it finds no errors.
func compareVersions(ctx context.Context, w io.Writer, files fs.FS, o verbs.CompatOptions) error {
	if o.Suggest {
		text, err := compat.Suggest(ctx, files)
		if err != nil {
			return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("%s: %w", o.Path, err)}
		}
		if text == "" {
			return &verbs.ExitError{Code: verbs.ExitFindings, Err: fmt.Errorf("%s: no version has all that the plugin uses", o.Path)}
		}
		fmt.Fprintln(w, text)
		return nil
	}
	rows, err := compat.Versions(ctx, files, o.Versions)
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	if o.Format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		err = e.Encode(map[string]any{"version": 1, "versions": o.Versions, "rows": rows})
	} else {
		for _, row := range rows {
			for i := range row.Found {
				row.Found[i] = terminal.Line(row.Found[i])
			}
		}
		_, err = io.WriteString(w, compat.Text(o.Versions, rows))
	}
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitBroken, Err: fmt.Errorf("write report: %w", err)}
	}
	if slices.ContainsFunc(rows, func(r compat.VersionRow) bool { return slices.Contains(r.Verdicts, compat.No) }) {
		return &verbs.ExitError{Code: verbs.ExitFindings}
	}
	return nil
}

// closingFS is a tree that must be closed.
type closingFS interface {
	fs.FS
	io.Closer
}

// openPlugin opens a directory or a zip.
func openPlugin(name string) (files closingFS, isZip bool, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		a, err := zipfs.Open(name, zipfs.Default())
		if err == nil && a.Refusal != "" {
			err = errors.Join(errors.New(a.Refusal), a.Close())
		}
		if err != nil {
			return nil, true, err
		}
		return a, true, nil
	}
	files, err = tree.Open(name)
	return files, false, err
}

// routePatterns returns the patterns of the paths that the host serves.
func routePatterns() (list []string) {
	for _, route := range new(api.API).Routes() {
		list = append(list, route.Pattern)
	}
	return list
}

// startOnce starts the backend of a built plugin, completes the handshake and stops it.
func startOnce(ctx context.Context, dir, version string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	found, faults := bundle.Discover(dir)
	i := slices.IndexFunc(found, func(p bundle.Plugin) bool { return sameDir(p.Dir, dir) })
	if i < 0 {
		if len(faults) > 0 {
			return &faults[0]
		}
		return fmt.Errorf("%s is not a plugin", dir)
	}
	version = cmp.Or(version, loader.HostVersion([]string{dir}, server.LeastServiceVersion()))
	process, err := loader.Start(ctx, found[i], loader.Options{HostVersion: version, Environ: os.Environ()}, loader.Output{})
	if err != nil {
		return err
	}
	return process.Stop()
}

func sameDir(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// printCompat prints a table for each plugin, with the help below each row.
func printCompat(w io.Writer, reports []compat.Report) error {
	var out strings.Builder
	for _, r := range reports {
		fmt.Fprintf(&out, "%s (%s)\n", terminal.Line(r.PluginID), terminal.Line(r.Path))
		width := len("aspect")
		for _, row := range r.Rows {
			width = max(width, len(row.Aspect))
		}
		fmt.Fprintf(&out, "  %-*s  %-7s  %-8s  %s\n", width, "aspect", "here", "existing", "found")
		for _, row := range r.Rows {
			fmt.Fprintf(&out, "  %-*s  %-7s  %-8s  %s\n", width, row.Aspect, row.Here, row.Existing, terminal.Line(row.Found))
			if row.Help != "" {
				fmt.Fprintf(&out, "  %-*s  help: %s\n", width, "", terminal.Line(row.Help))
			}
		}
		fmt.Fprintf(&out, "runs here: %s; in existing hosts: %s\n", r.Runs.Here, r.Runs.Existing)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
