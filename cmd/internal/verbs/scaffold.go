package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/internal/version"
	"github.com/slipway-dev/slipway/templates"
)

type scaffoldOptions struct {
	templates.Options
	Face Face
	List bool      // list types, profiles and options instead
	Into string    // directory of an app to add the plugin to
	Base string    // the generator that creates the repository, or ""
	In   io.Reader // a terminal, on which to ask for the profile, and for more without an id; nil asks for nothing
}

// runScaffold writes a new plugin repository, for this version of Slipway, and prints the files and the next steps.
func runScaffold(ctx context.Context, w io.Writer, o scaffoldOptions) error {
	if o.List {
		listScaffolds(w, o.Face)
		return nil
	}
	if o.In != nil {
		if err := askScaffold(ctx, newPrompter(o.In, w), &o.Options); err != nil {
			return err
		}
	}
	if o.Into != "" {
		return runNest(w, o)
	}
	profile, err := templates.CheckProfile(o.Profile)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	o.Profile = profile.Name // which the record of the scaffold keeps
	module, err := slipwayModule(ctx)
	if err != nil {
		return err
	}
	o.Slipway, o.Today = module, time.Now()
	if o.Schema, err = pluginSchema(profile.Keys); err != nil {
		return err
	}
	r, err := templates.Scaffold(o.Options)
	if r != nil {
		printWritten(w, r)
	}
	if err != nil {
		return o.refused(err)
	}
	if err := recordScaffold(r.Dir, o.Options); err != nil {
		return fmt.Errorf("record the scaffold: %w", err)
	}
	fmt.Fprintf(w, "  %-11s %s\n", "recorded", adopt.ScaffoldRecord)
	t, err := templates.CheckType(o.Type)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s is ready in %s. Next:\n\n  cd %s\n", o.ID, r.Dir, shortPath(r.Dir))
	if t.HasFrontend {
		fmt.Fprintln(w, "  go tool mage preview    # see the frontend, which follows each save")
	}
	fmt.Fprintln(w, "  go tool mage dev        # run the plugin in a local host, which follows each save too")
	printCheckout(w, module.Checkout)
	if _, isPart := tree.Boundary(filepath.Dir(r.Dir)); isPart {
		fmt.Fprintf(w, "note: GitHub runs only the workflows at the top of a repository: delete %s, and run %s %s=%s, which writes one there\n",
			shortPath(filepath.Join(r.Dir, ".github")), o.Face.Verb("init"), o.Face.Option("dir"), shortPath(r.Dir))
	}
	if t.HasFrontend && slices.Contains(profile.Keys, bundle.Published()) {
		fmt.Fprintf(w, "note: Grafana's catalog refuses repositories without the build files of create-plugin; a scaffold with %s=%s has them\n",
			o.Face.Option("base"), createPlugin)
	}
	return nil
}

// refused returns an error with the exit status of a wrong request, if it is one, and with the option that helps.
func (o scaffoldOptions) refused(err error) error {
	switch {
	case errors.Is(err, templates.ErrNotEmpty):
		return Usage("%w; choose another directory with %s, or overwrite files with %s", err, o.Face.Option("dir"), o.Face.Option("force"))
	case errors.Is(err, templates.ErrNotDirectory):
		return Usage("%w; choose another path with %s", err, o.Face.Option("dir"))
	case errors.Is(err, templates.ErrNested):
		return Usage("%w; choose a directory outside of it, or, if that is an app, add a data source or a panel to it with %s", err, o.Face.Option("into"))
	}
	if _, isRequest := errors.AsType[*templates.RequestError](err); isRequest {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	return err
}

func runNest(w io.Writer, o scaffoldOptions) error {
	app, err := bundle.FindRepo(o.Into)
	if err != nil {
		return Usage("%w", err)
	}
	if o.Dir != "" || o.Profile != "" {
		return Usage("%s decides the directory and the profile: leave out %s and %s", o.Face.Option("into"), o.Face.Option("dir"), o.Face.Option("profile"))
	}
	o.Today = time.Now()
	r, err := templates.Nest(o.Options, app)
	if r != nil {
		printWritten(w, r)
	}
	if err != nil {
		return o.refused(err)
	}
	fmt.Fprintf(w, "\n%s is part of the app in %s.\n", o.ID, r.Dir)
	goMod, _ := os.ReadFile(filepath.Join(app.Root, "go.mod")) // a missing one requires nothing
	isGo := func(name string) bool { return filepath.Ext(name) == ".go" }
	if slices.ContainsFunc(r.Created, isGo) && !bytes.Contains(goMod, []byte(version.Module+" v")) {
		fmt.Fprintf(w, "note: go.mod does not require the library of its backend yet: go get %s/sdk\n", version.Module)
	}
	return nil
}

func listScaffolds(w io.Writer, f Face) {
	row := func(name, summary string) {
		const indent = "                  "
		fmt.Fprintf(w, "  %-15s %s\n", name, text.Wrap(summary, indent, terminal.Width(w, 100)))
	}
	fmt.Fprintln(w, "types:")
	for _, t := range templates.Types() {
		row(t.Name, t.Summary)
	}
	fmt.Fprintf(w, "\nprofiles, which set the key names of plugin.json (%s):\n", f.Option("profile"))
	for _, p := range templates.Profiles() {
		row(p.Name, p.Summary)
	}
	fmt.Fprintf(w, "\nbackends (%s):\n", f.Option("backend"))
	for _, t := range templates.Types() {
		if t.BackendOptional {
			row(t.Name, strconv.FormatBool(t.HasBackend)+" by default")
		}
	}
	fmt.Fprintf(w, "\nFor the other options, run '%s'.\n", f.Help("scaffold"))
}

// printWritten lists the files of a scaffold, even of an incomplete one.
func printWritten(w io.Writer, r *templates.Result) {
	for _, line := range []struct {
		verb  string
		files []string
	}{{"created", r.Created}, {"overwritten", r.Overwritten}, {"unchanged", r.Unchanged}, {"edited", r.Edited}} {
		for _, f := range line.files {
			fmt.Fprintf(w, "  %-11s %s\n", line.verb, f)
		}
	}
}

// printCheckout prints a note if a repository requires the Slipway in a directory of this machine.
func printCheckout(w io.Writer, checkout string) {
	if checkout != "" {
		fmt.Fprintf(w, "note: go.mod replaces Slipway with the directory %s; before you publish the plugin, require a released version "+
			"and delete the replace directive\n", checkout)
	}
}

// shortPath returns a path below the current directory relative to it, and others as they are.
func shortPath(dir string) string {
	cwd, _ := os.Getwd() // no path is below ""
	rel, err := filepath.Rel(cwd, dir)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return dir
	}
	return rel
}

// slipwayModule returns where a new repository finds Slipway, with the checksums of a released version.
func slipwayModule(ctx context.Context) (m templates.Module, err error) {
	from, err := version.Find()
	if err != nil || from.Checkout != "" {
		return templates.Module{Checkout: from.Checkout}, err
	}
	m.Version = from.Version
	if m.TargetSums, err = adopt.Sums(ctx, adopt.Targets, m.Version); err == nil {
		m.Sums, err = adopt.Sums(ctx, version.Module, m.Version)
	}
	return m, err
}
