package verbs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/compat"
)

type compatOptions struct {
	Face     Face
	Path     string // "" is the current directory
	Format   string // text or json
	Versions []string
	Suggest  bool // print only the widest range
}

// runCompat writes to w what validate finds about versions of existing hosts.
func runCompat(ctx context.Context, w io.Writer, o compatOptions) error {
	if formats := []string{"text", "json"}; !slices.Contains(formats, o.Format) {
		return Usage("%s: %w", o.Face.Option("format"), nearest.Unknown("format", o.Format, formats))
	}
	if o.Suggest && o.Format == "json" {
		return Usage("%s and %s cannot be used together", o.Face.Option("suggest"), o.Face.Option("format"))
	}
	versions, err := compat.Versions(o.Versions)
	if err != nil {
		return Usage("%s: %w", o.Face.Option("versions"), err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("compat: %w", err)
	}
	if o.Path == "" {
		o.Path = Around()
	}
	files, options, err := validate.Open(cwd, o.Path)
	if err != nil {
		return Usage("%w", err)
	}
	defer validate.Close(files)
	r, err := compat.Check(ctx, files, options, versions)
	if err != nil {
		return &ExitError{Code: ExitBroken, Err: fmt.Errorf("compat: %w", err)}
	}
	switch {
	case o.Suggest && r.Suggested == "":
		return &ExitError{Code: ExitFindings, Err: fmt.Errorf("no version has all that the plugin uses: run %s", o.Face.Verb("compat"))}
	case o.Suggest:
		_, err = fmt.Fprintln(w, r.Suggested)
	case o.Format == "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		err = e.Encode(struct {
			Version int `json:"version"`
			*compat.Report
		}{2, r})
	default:
		_, err = io.WriteString(w, matrix(r))
	}
	if err != nil {
		return &ExitError{Code: ExitBroken, Err: fmt.Errorf("write report: %w", err)}
	}
	if !o.Suggest && slices.ContainsFunc(r.Rows, func(row compat.Row) bool { return slices.Contains(row.Verdicts, compat.No) }) {
		return &ExitError{Code: ExitFindings}
	}
	return nil
}

// matrix returns a report as a table, with the findings below each row.
func matrix(r *compat.Report) string {
	lines := []string{line("aspect", r.Versions)}
	for _, row := range r.Rows {
		lines = append(lines, line(row.Aspect, row.Verdicts))
		for _, f := range r.Findings {
			if f.Aspect == row.Aspect {
				at := validate.Place{File: f.File, Line: f.Line, Column: f.Column}
				lines = append(lines, terminal.Line(fmt.Sprintf("  %s: %s: %s", strings.Join(f.Versions, ", "), at.Address(), f.Message)))
			}
		}
	}
	for _, skip := range r.Skips {
		lines = append(lines, terminal.Line("not checked: "+skip))
	}
	if r.Suggested != "" {
		lines = append(lines, "widest range without errors: "+r.Suggested)
	}
	return strings.Join(lines, "\n") + "\n"
}

func line[T ~string](head string, cells []T) string {
	text := fmt.Sprintf("%-11s", head)
	for _, cell := range cells {
		text += fmt.Sprintf("  %-6s", cell)
	}
	return strings.TrimRight(text, " ")
}
