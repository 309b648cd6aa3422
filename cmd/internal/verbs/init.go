package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/version"
	"github.com/slipway-dev/slipway/validate/fix"
)

type initOptions struct {
	Face   Face
	Dir    string // the directory of the plugin; "" is the current directory
	DryRun bool   // print a diff and change nothing
	Undo   bool   // restore what an earlier run changed

	NoWorkflow bool // add no workflow
}

// runInit adds Slipway to an existing plugin repository, then validates and builds it. That findings or a failed build
// are printed is no error: the repository has changed as announced.
func runInit(ctx context.Context, w *os.File, o initOptions) error {
	if o.Undo && o.DryRun {
		return Usage("%s and %s cannot be used together", o.Face.Option("undo"), o.Face.Option("dry-run"))
	}
	if o.Dir == "" {
		o.Dir = cmp.Or(Around(), ".")
	}
	if o.Undo {
		return undoInit(w, o)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("init: %w", errNoGo)
	}
	from, err := version.Find()
	if err != nil {
		return err
	}
	stop := func() {}
	plan, err := adopt.MakePlan(ctx, adopt.Options{Dir: o.Dir, Slipway: from, NoWorkflow: o.NoWorkflow, Step: func(name string) {
		stop()
		stop = progress.Task{W: os.Stderr, Name: name}.Start()
	}})
	stop()
	if _, isRequest := errors.AsType[*adopt.RequestError](err); isRequest {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("init: %w", err)}
	}
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	added := addRange(ctx, plan)
	if len(plan.Files) == 0 {
		fmt.Fprintln(w, "nothing to change: Slipway is already set up")
		return nil
	}
	if o.DryRun {
		return printDiff(w, plan)
	}
	if err := plan.Apply(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	printPlan(w, plan)
	if added != "" {
		fmt.Fprintf(w, "note: plugin.json had no range of versions; %s is the widest without errors. After a build, %s checks it again\n", added,
			strings.Join(plan.Command("compat"), " "))
	}
	fmt.Fprintf(w, "\nSlipway is set up. To undo these changes, run %s\n", o.command("undo"))
	printCheckout(w, from.Checkout)
	tryTargets(ctx, w, plan)
	return ctx.Err()
}

// command returns the command line of init with another option, for the same plugin.
func (o initOptions) command(option string) string {
	line := o.Face.Verb("init") + " " + o.Face.Option(option)
	if o.Dir != "." {
		line += " " + o.Face.Option("dir") + "=" + filepath.ToSlash(o.Dir)
	}
	return line
}

// errNoGo is the error of verbs that run the go command.
var errNoGo = errors.New("go command not found on the PATH: install Go from go.dev/dl")

// printDiff prints the changes of a plan in the format of git.
func printDiff(w io.Writer, p *adopt.Plan) error {
	var changes []fix.Change
	for _, f := range p.Files {
		changes = append(changes, fix.Change{File: f.Path, Before: f.Before, After: f.After})
	}
	_, err := w.Write(fix.Diff(changes, ""))
	return err
}

func printPlan(w *os.File, p *adopt.Plan) {
	fmt.Fprintf(w, "changes in %s:\n", shortPath(p.Root))
	for _, f := range p.Files {
		verb := "change"
		if f.Before == nil {
			verb = "create"
		}
		fmt.Fprintf(w, "  %s  %s\n", verb, terminal.Line(f.Path))
	}
	for _, note := range p.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	if p.OldGo != "" {
		fmt.Fprintf(w, "warning: go.mod now requires Go 1.24 instead of %s, which has no tools; the go command has tidied it\n", p.OldGo)
	}
	if p.OldMage != "" {
		fmt.Fprintf(w, "note: go tool slipway works now; for Mage targets, which need Mage 1.17 instead of %s, run 'go get github.com/magefile/mage@latest' and then init again\n", p.OldMage)
	}
	if p.Namespace != "" {
		fmt.Fprintf(w, "note: the magefiles define targets with the same names, so Slipway's begin with %q, such as %s:validate\n", p.Namespace+":", p.Namespace)
	}
}

func undoInit(w *os.File, o initOptions) error {
	undone, err := adopt.Undo(o.Dir)
	for _, f := range undone.Files {
		verb := "restored"
		if f.After == nil {
			verb = "removed"
		}
		fmt.Fprintf(w, "  %-8s  %s\n", verb, terminal.Line(f.Path))
	}
	for _, name := range undone.Kept {
		fmt.Fprintf(w, "  %-8s  %s, which has changed since init\n", "kept", terminal.Line(name))
	}
	if len(undone.Kept) > 0 {
		fmt.Fprintf(w, "help: remove from these files what init added; or undo your own changes to them, and run %s again\n", o.command("undo"))
	}
	if len(undone.Data) > 0 {
		fmt.Fprintf(w, "note: you can delete %s, which Git ignores\n", strings.Join(undone.Data, " and "))
	}
	if errors.Is(err, adopt.ErrNoRecord) {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("undo init: %w%s", err, elsewhere(o))}
	}
	if err != nil {
		return fmt.Errorf("undo init: %w", err)
	}
	return nil
}

// elsewhere names the directories below that have a record of init.
func elsewhere(o initOptions) string {
	var found []string
	for _, name := range adopt.Recorded(o.Dir) {
		found = append(found, o.Face.Option("dir")+"="+path.Join(filepath.ToSlash(o.Dir), name))
	}
	if found == nil {
		return "\nhelp: if init ran in another clone, revert the commit with its changes"
	}
	return "\nhelp: init ran in a directory below; use " + strings.Join(found, ", or ")
}

// tryTargets runs the first verbs as the author will, and prints how they end.
func tryTargets(ctx context.Context, w *os.File, p *adopt.Plan) {
	// Only the first run compiles the tools, which prints nothing. The verbs show what they do.
	stop := progress.Task{W: os.Stderr, Name: "compiling the tools"}.Start()
	list := exec.CommandContext(ctx, "go", "tool", "mage", "-l")
	if p.OldMage != "" {
		list.Args = []string{"go", "tool", "-n", "slipway"}
	}
	list.Dir = p.Dir
	_, _ = process.Output(list) // an error is printed by the first verb
	stop()
	isKept, err := isTracked(ctx, p.Dir, bundle.DistDir)
	whyKept := "Git tracks files in dist"
	if err != nil {
		isKept, whyKept = true, fmt.Sprintf("dist would be replaced, and %v", err)
	}
	var results []string
	failed := ""
	lines := [][]string{p.Command("validate"), p.Command("deps"), p.Command("build", "platforms=host")}
	if !isKept {
		lines = append(lines, p.Command("validate", "path=dist"))
	}
	for _, line := range lines {
		verb, text := line[3][strings.LastIndexByte(line[3], ':')+1:], strings.Join(line, " ")
		switch {
		case verb == "build" && isKept: // undo does not restore what a build replaces
			results = append(results, fmt.Sprintf("  %s: not run, because %s; %s also replaces them", strings.Join(p.Command("build"), " "), whyKept, p.Command("dev")[3]))
			continue
		case failed != "":
			results = append(results, fmt.Sprintf("  %s: not run, because %s failed", text, failed))
			continue
		}
		fmt.Fprintf(w, "\n$ %s\n", text)
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = p.Dir, w, os.Stderr
		err := process.Run(cmd, process.Grace)
		if ctx.Err() != nil {
			return
		}
		result := "works"
		if err != nil {
			if verb != "validate" {
				failed = line[3]
			}
			result = "ended with " + err.Error() + "; the reason is above"
		}
		results = append(results, fmt.Sprintf("  %s: %s", text, result))
	}
	fmt.Fprintf(w, "\nin %s:\n%s\n", shortPath(filepath.Clean(p.Dir)), strings.Join(results, "\n"))
	if failed != "" {
		fmt.Fprint(w, "the plugin cannot be built yet; once it can, run it in a host: ")
	} else {
		fmt.Fprint(w, "to run the plugin in a host: ")
	}
	fmt.Fprintln(w, strings.Join(p.Command("dev"), " "))
}
