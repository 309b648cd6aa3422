package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/report"
	"github.com/slipway-dev/slipway/validate/rules"
)

// ValidateOptions are the options of the verb validate.
type ValidateOptions struct {
	Path    string // "" is the current folder
	Format  string // one of report.Formats; "" is the first of them
	Output  string // file for the report; "" is w
	Profile string // of plugin.json; "" is found from the file
	Strict  bool   // warnings are errors
}

// Validate checks a path and writes the report to w, or to a file. The error
// carries the exit code; what is wrong has been printed.
func Validate(ctx context.Context, w *os.File, o ValidateOptions) error {
	format, err := report.ByName(o.Format)
	if err != nil {
		return usage("-format: %w", err)
	}
	if _, err := bundle.ProfileByName(o.Profile); err != nil {
		return usage("-profile: %w", err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return usage("validate: %w", err)
	}
	tree, options, err := validate.Open(cwd, o.Path)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	options.Rules, options.Profile, options.IsStrict = rules.All(), o.Profile, o.Strict
	r, err := validate.Run(ctx, tree, options)
	if ctx.Err() != nil {
		return &ExitError{Code: ExitBroken, Err: fmt.Errorf("validate: %w", ctx.Err())}
	}
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("validate: %w", err)}
	}
	if err := writeReport(w, o.Output, format, r); err != nil {
		return &ExitError{Code: ExitBroken, Err: fmt.Errorf("write report: %w", err)}
	}
	if code := r.ExitCode(); code != ExitOK {
		return &ExitError{Code: code}
	}
	return nil
}

// writeReport writes to w, or to a file that appears complete or not at all. What
// is there and no regular file, such as /dev/stdout or a link, is written to as it
// is: a rename would put a file in its place.
func writeReport(w *os.File, output string, format report.Format, r *validate.Report) error {
	options := report.Options{Rules: rules.All(), Version: origin.Version()}
	if output == "" {
		options.HasColor = isTerminal(w) && os.Getenv("NO_COLOR") == ""
		return format.Write(w, r, options)
	}
	if info, err := os.Lstat(output); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return fmt.Errorf("%w: name a file that can be written with -output", err)
		}
		return errors.Join(format.Write(f, r, options), f.Close())
	}
	tmp, err := os.CreateTemp(filepath.Dir(output), ".slipway-report-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	err = format.Write(tmp, r, options)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), output)
}
