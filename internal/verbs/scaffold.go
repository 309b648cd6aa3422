package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/templates"
)

// Scaffold writes a new plugin repository and prints what it wrote and what to do
// next. The repository builds with the Slipway that is running.
func Scaffold(ctx context.Context, w io.Writer, o templates.Options) error {
	module, err := slipwayModule(ctx)
	if err != nil {
		return err
	}
	o.Slipway, o.Today = module, time.Now()
	if o.Schema, err = pluginSchema(bundle.Profiles()[0].Name); err != nil {
		return err
	}
	r, err := templates.Scaffold(o)
	if r != nil {
		printWritten(w, r)
	}
	var request *templates.RequestError
	switch {
	case errors.As(err, &request):
		return &ExitError{Code: ExitUsage, Err: err}
	case err != nil:
		return err
	}
	fmt.Fprintf(w, "\n%s is ready in %s. Next:\n\n  cd %s\n  go tool mage dev\n", o.ID, r.Dir, shortPath(r.Dir))
	printCheckout(w, module.Checkout)
	return nil
}

// printWritten lists the files of a scaffold, also of one that broke off.
func printWritten(w io.Writer, r *templates.Result) {
	for _, line := range []struct {
		verb  string
		files []string
	}{{"created", r.Created}, {"overwritten", r.Overwritten}, {"unchanged", r.Unchanged}} {
		for _, f := range line.files {
			fmt.Fprintf(w, "  %-11s %s\n", line.verb, f)
		}
	}
}

// printCheckout says that a repository builds with the Slipway in a folder of this
// machine.
func printCheckout(w io.Writer, checkout string) {
	if checkout != "" {
		fmt.Fprintf(w, "note: go.mod takes Slipway from the folder %s, and executables name it; before others build this, require a released version instead and delete the replace line\n", checkout)
	}
}

// shortPath is the path as one would type it here.
func shortPath(dir string) string {
	cwd, err := os.Getwd()
	if err != nil {
		return dir
	}
	rel, err := filepath.Rel(cwd, dir)
	if err != nil || strings.HasPrefix(rel, "..") {
		return dir
	}
	return rel
}

// slipwayModule says where a new repository finds Slipway. For a released version
// it asks the go command for the two checksums that go.sum needs.
func slipwayModule(ctx context.Context) (templates.Module, error) {
	from, err := origin.Find()
	if err != nil {
		return templates.Module{}, err
	}
	m := templates.Module{Checkout: from.Checkout, Version: from.Version}
	if m.Version == "" {
		return m, nil
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", origin.Module+"@"+m.Version)
	cmd.Dir = os.TempDir() // outside of any module
	out, err := cmd.Output()
	var sums struct{ Sum, GoModSum, Error string }
	if jsonErr := json.Unmarshal(out, &sums); jsonErr != nil || sums.Error != "" || err != nil {
		return templates.Module{}, fmt.Errorf("look up the checksums of slipway %s: %s %s", m.Version, sums.Error, errText(err))
	}
	m.Sums = []string{
		fmt.Sprintf("%s %s %s", origin.Module, m.Version, sums.Sum),
		fmt.Sprintf("%s %s/go.mod %s", origin.Module, m.Version, sums.GoModSum),
	}
	return m, nil
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
