package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/archive"
	"github.com/slipway-dev/slipway/validate/config"
	"github.com/slipway-dev/slipway/validate/report"
	"github.com/slipway-dev/slipway/validate/rules"
)

// ValidateOptions are the options of the verb validate.
type ValidateOptions struct {
	Path    string // "" is the current folder, "-" is one plugin.json on Stdin
	Format  string // one of report.Formats; "" is the first of them
	Output  string // file for the report; "" is w
	Profile string // of plugin.json; "" is found from the file
	Strict  bool   // warnings are errors
	Fix     bool   // make the fixes of findings, then report what is left
	Diff    bool   // show what Fix would change instead
	Config  string // file to use in place of the slipway.yaml that is found

	Baseline      string // file with findings to leave out
	WriteBaseline string // file to write all findings to, which are then left out

	Stdin io.Reader // nil is standard input
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
	if o.Fix && o.Diff {
		return usage("-fix writes and -diff only shows: use one of them")
	}
	if o.Baseline != "" && o.WriteBaseline != "" {
		return usage("-baseline reads and -writeBaseline writes: use one of them")
	}
	t, err := openTarget(o)
	if errors.Is(err, archive.ErrNotZip) {
		return &ExitError{Code: ExitBroken, Err: err}
	}
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	defer t.close()
	var r *validate.Report
	switch {
	case o.Diff:
		return t.diff(ctx, w, o)
	case o.Fix:
		r, err = t.fix(ctx, w, o)
	default:
		r, err = validate.Run(ctx, t.tree, t.options)
	}
	if r == nil {
		return notRun(ctx, err)
	}
	t.addSource(r)
	if err := t.baseline(r, o); err != nil {
		return err
	}
	if err := errors.Join(err, writeReport(w, o.Output, format, r)); err != nil {
		return &ExitError{Code: ExitBroken, Err: err}
	}
	if code := r.ExitCode(); code != ExitOK {
		return &ExitError{Code: code}
	}
	return nil
}

// notRun is the error of a run without a report.
func notRun(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &ExitError{Code: ExitBroken, Err: fmt.Errorf("validate: %w", ctx.Err())}
	}
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf("validate: %w", err)}
}

// target is what a user asked to validate.
type target struct {
	tree    fs.FS
	options validate.Options
	cwd     string
	dir     string // the folder or the zip that tree is; "" for standard input
	isZip   bool
	config  *config.Config // nil where there is none
}

func openTarget(o ValidateOptions) (*target, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	t := &target{cwd: cwd}
	if o.Path == "-" {
		var in io.Reader = os.Stdin
		if o.Stdin != nil {
			in = o.Stdin
		}
		t.tree, t.options, err = validate.OpenReader(in)
	} else {
		t.tree, t.options, err = validate.Open(cwd, o.Path)
		if t.dir = filepath.FromSlash(t.options.Prefix); !filepath.IsAbs(t.dir) {
			t.dir = filepath.Join(cwd, t.dir)
		}
	}
	if err != nil {
		return nil, err
	}
	_, t.isZip = t.tree.(*archive.Archive)
	t.options.Rules, t.options.Profile, t.options.IsStrict = rules.All(), o.Profile, o.Strict
	if err := t.configure(o); err != nil {
		t.close()
		return nil, err
	}
	switch {
	case t.isZip && (o.Fix || o.Diff):
		t.close()
		return nil, errors.New("a zip cannot be mended: mend the plugin that it was packed from, and pack again")
	case t.dir == "" && o.Fix:
		return nil, errors.New("standard input cannot be written to: use -diff, or name the file")
	}
	return t, nil
}

// close closes a zip.
func (t *target) close() {
	if c, ok := t.tree.(io.Closer); ok {
		_ = c.Close() // it was only read
	}
}

// writeReport writes the report in a format.
func writeReport(w *os.File, output string, format report.Format, r *validate.Report) error {
	err := writeTo(w, output, func(w io.Writer, hasColor bool) error {
		return format.Write(w, r, report.Options{HasColor: hasColor, Rules: rules.All(), Version: origin.Version()})
	})
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
