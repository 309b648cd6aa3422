package verbs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/fix"
)

// fix applies the fixes of findings, lists them, and returns the report of the rest, or nil if nothing was checked.
func (t *target) fix(ctx context.Context, w *os.File, o validateOptions) (*validate.Report, error) {
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	result, err := fix.Run(ctx, t.tree, t.options)
	if err != nil {
		return nil, err
	}
	if n := t.repositories(result.Report.Files); n > 1 && len(result.Changes) > 0 && !o.All {
		return nil, fmt.Errorf("the fixes would change %d files across %d plugin repositories; validate one repository at a time, or use %s",
			len(result.Changes), n, o.Face.Option("all"))
	}
	r := result.Report
	written, failed := fix.Write(root, result.Changes)
	if len(failed) > 0 { // the report is that of the files as they are
		if r, err = t.check(ctx); err != nil {
			return nil, err
		}
		for _, s := range failed {
			s.File = path.Join(t.options.Prefix, s.File)
			r.Skips = append(r.Skips, s)
		}
	}
	t.addSource(r)
	return r, t.printFixed(o.notesTo(w), written)
}

// notesTo returns where notes go, which must not be in a report for programs.
func (o validateOptions) notesTo(w *os.File) *os.File {
	if o.Output == "" && !slices.Contains([]string{"", "text", "concise"}, o.Format) {
		return os.Stderr
	}
	return w
}

// repositories returns the number of repositories with the plugin.json files. A
// repository may have several plugins, and a plugin may have others nested in it.
func (t *target) repositories(files []string) int {
	var roots []string
	for _, file := range files {
		root, _ := tree.Boundary(filepath.Dir(t.absolute(filepath.FromSlash(file))))
		if filepath.Base(root) == bundle.DistDir {
			root = filepath.Dir(root)
		}
		roots = append(roots, filepath.ToSlash(root))
	}
	slices.Sort(roots)
	n, last := 0, ""
	for _, root := range roots {
		if n == 0 || !tree.IsInside(last, root) {
			n, last = n+1, root
		}
	}
	return n
}

// printFixed lists the fixes of each file.
func (t *target) printFixed(w io.Writer, changes []fix.Change) error {
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

// printDiff prints what fix would change. It returns an error with ExitFindings if there is anything to change.
func (s *several) printDiff(w *os.File, o validateOptions, r *validate.Report) error {
	err := writeTo(w, o.Output, func(w io.Writer, _ bool) error {
		_, err := w.Write(s.diff)
		return err
	})
	if err != nil {
		return &ExitError{Code: ExitBroken, Err: fmt.Errorf("write diff: %w", err)}
	}
	for _, s := range r.Skips {
		if s.IsBroken {
			return &ExitError{Code: ExitBroken, Err: fmt.Errorf("the diff is incomplete: %s: %s", s.File, s.Reason)}
		}
	}
	for _, f := range r.Findings {
		if f.Rule == validate.UnreadableFile && path.Base(f.File) == bundle.MetadataFile {
			return &ExitError{Code: ExitBroken, Err: fmt.Errorf("the diff is incomplete: %s: %s", f.File, f.Message)}
		}
	}
	if len(s.diff) > 0 {
		return &ExitError{Code: ExitFindings, Err: fmt.Errorf("some findings can be fixed; use %s instead of %s to apply the diff",
			o.Face.Option("fix"), o.Face.Option("diff"))}
	}
	return nil
}
