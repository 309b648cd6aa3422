package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/slipway-dev/slipway/build/typecheck"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
)

// checkTypes checks the types of a frontend whose own script cannot run because of why. It prints errors as the
// compiler does, which editors and CI services read, or why types were not checked.
func checkTypes(ctx context.Context, w io.Writer, f Face, dir, why string) error {
	c, err := typecheck.Find(ctx, typecheck.Options{Root: dir})
	var list []typecheck.Problem
	if err == nil {
		list, err = c.Check(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, typecheck.ErrNotBrought) {
		err = fmt.Errorf("%s, or %s, which needs no Node.js", why, TypesCommand(f))
	}
	if err != nil {
		fmt.Fprintf(w, "types were not checked: %v\n", err)
		return nil
	}
	fmt.Fprintf(w, "checked types with %s\n", c)
	for _, p := range list {
		for line := range strings.Lines(p.String()) {
			fmt.Fprintln(w, terminal.Printable(strings.TrimSuffix(line, "\n")))
		}
	}
	if len(list) > 0 {
		return &ExitError{Code: ExitFindings, Err: errors.New("types: " + text.Plural(len(list), "error"))}
	}
	return nil
}

// TypesCommand returns the command line that brings what the check of types needs.
func TypesCommand(f Face) string { return f.Verb("deps") + " " + f.Option("types") }
