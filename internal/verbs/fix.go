package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/fix"
)

// fix makes the fixes of findings, says which, and returns the report of what is
// left. The report is nil if nothing was checked.
func (t *target) fix(ctx context.Context, w *os.File, o ValidateOptions) (*validate.Report, error) {
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	result, err := fix.Run(ctx, t.tree, t.options)
	if err != nil {
		return nil, err
	}
	written, err := fix.Write(root, result.Changes)
	var says io.Writer = w
	if o.Format != "" && o.Format != "text" && o.Output == "" { // a program reads w
		says = os.Stderr
	}
	return result.Report, errors.Join(t.sayFixed(says, written), err)
}

// sayFixed prints per file what was mended.
func (t *target) sayFixed(w io.Writer, changes []fix.Change) error {
	var b bytes.Buffer
	for _, c := range changes {
		n, noun := len(c.Titles), "fixes"
		if n == 1 {
			noun = "fix"
		}
		fmt.Fprintf(&b, "%s: %d %s\n", path.Join(t.options.Prefix, c.File), n, noun)
		for _, title := range c.Titles {
			fmt.Fprintf(&b, "  %s\n", title)
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// diff shows what fix would change; the error says whether that is anything.
func (t *target) diff(ctx context.Context, w *os.File, o ValidateOptions) error {
	result, err := fix.Run(ctx, t.tree, t.options)
	if err != nil {
		return notRun(ctx, err)
	}
	text := fix.Diff(result.Changes, t.options.Prefix)
	err = writeTo(w, o.Output, func(w io.Writer, _ bool) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return &ExitError{Code: ExitBroken, Err: fmt.Errorf("write the changes: %w", err)}
	}
	for _, s := range result.Report.Skips {
		if s.IsBroken {
			return &ExitError{Code: ExitBroken, Err: fmt.Errorf("the changes are not complete: %s: %s", s.File, s.Reason)}
		}
	}
	if len(result.Changes) > 0 {
		return &ExitError{Code: ExitFindings, Err: errors.New("there is something to fix: run again with -fix in place of -diff")}
	}
	return nil
}
