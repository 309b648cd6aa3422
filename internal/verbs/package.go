package verbs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/build/archive"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// PackageOptions are the options of the verb package.
type PackageOptions struct {
	Face Face
	Dir  string // the plugin repository; "" is the current directory
	Out  string // directory for the files; "" is "release" in the repository
	Key  string // file of an ed25519 private key that signs the zips; "" leaves them unsigned
}

// Package packs the built plugin into zips with manifests, checksums and an SBOM, and prints
// their names to w. It refuses a plugin whose zip has errors.
func Package(ctx context.Context, w *os.File, o PackageOptions) error {
	repo, err := bundle.OpenRepo(o.Dir)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	if o.Out == "" {
		o.Out = filepath.Join(repo.Root, "release")
	}
	options := archive.Options{ToolVersion: origin.Version()}
	if o.Key != "" {
		text, err := os.ReadFile(o.Key)
		if err == nil {
			options.Key, err = archive.ParsePrivateKey(text)
		}
		if err != nil {
			return usage("%s: %w", o.Face.Option("key"), err)
		}
	}
	if options.Time, err = builtAt(repo.Dist); err != nil {
		return fmt.Errorf("package: %w; build the plugin first with %s", err, o.Face.Verb("build"))
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return fmt.Errorf("package: %w", err)
	}
	// What is refused must not replace what was packed before.
	if options.Out, err = os.MkdirTemp(o.Out, ".slipway-package-"); err != nil {
		return fmt.Errorf("package: %w", err)
	}
	defer func() { _ = os.RemoveAll(options.Out) }()
	stop := progress.Task{W: w, IsTerminal: isTerminal(w), Name: "packing"}.Start()
	files, err := archive.Pack(ctx, repo.Dist, options)
	stop()
	stop, left := checkProgress(w, files)
	for _, file := range files {
		if err == nil && filepath.Ext(file) == ".zip" {
			err = checkZip(ctx, file)
			left.Add(-1)
		}
	}
	stop()
	if err != nil {
		return fmt.Errorf("package: %w", err)
	}
	for _, file := range files {
		final := filepath.Join(o.Out, filepath.Base(file))
		if err := os.Rename(file, final); err != nil {
			return fmt.Errorf("package: %w", err)
		}
		fmt.Fprintf(w, "wrote %s\n", shortPath(final))
	}
	return nil
}

// checkProgress shows how many of the zips are left to check.
func checkProgress(w *os.File, files []string) (stop func(), left *atomic.Int64) {
	left = &atomic.Int64{}
	for _, file := range files {
		if filepath.Ext(file) == ".zip" {
			left.Add(1)
		}
	}
	all := left.Load()
	return progress.Task{W: w, IsTerminal: isTerminal(w), Name: "checking the zips", Left: func() string {
		return fmt.Sprintf("%d of %d left", left.Load(), all)
	}}.Start(), left
}

// builtAt returns the date in the plugin.json of a dist, which is that of the commit.
func builtAt(dist string) (time.Time, error) {
	file := filepath.Join(dist, bundle.MetadataFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return time.Time{}, err
	}
	m, err := bundle.ParseMetadata(data)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.DateOnly, m.Info.Updated)
}

// checkZip returns the errors that validate finds in a zip.
func checkZip(ctx context.Context, file string) error {
	tree, options, err := validate.Open(".", file)
	if err != nil {
		return err
	}
	if c, ok := tree.(interface{ Close() error }); ok {
		defer c.Close()
	}
	options.Rules = rules.All()
	report, err := validate.Run(ctx, tree, options)
	if err != nil {
		return err
	}
	var found []string
	for _, f := range report.Findings {
		if f.Severity == validate.Error {
			found = append(found, fmt.Sprintf("%s: %s (%s)", f.Address(), f.Message, f.Rule))
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("the zip has errors:\n  %s", strings.Join(found, "\n  "))
	}
	return nil
}
