package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/provenance"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/bundle/zipfs"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/internal/version"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/fix"
	"github.com/slipway-dev/slipway/validate/report"
	"github.com/slipway-dev/slipway/validate/rules"
)

type validateOptions struct {
	Face    Face
	Path    string   // "" is the current directory, "-" is a plugin.json or zip on Stdin
	Paths   []string // what the user named: several of Path, or directories of zips; nil is Path
	Format  string   // one of FormatNames; "" is the first of them
	Output  string   // file for the report; "" is w
	Profile string   // of plugin.json; "" derives it from the file
	Strict  bool     // treat warnings as errors
	Fix     bool     // apply the fixes of findings, then report the rest
	All     bool     // every plugin repository at the paths and below, which also lets Fix change several
	Verbose bool     // list the rules that did not run
	Diff    bool     // print what Fix would change instead
	Config  string   // the configuration; "" finds slipway.yaml

	Source string   // the repository that a zip must be built from, a directory or zip; "" compares nothing
	Only   []string // ids of the rules to run; nil runs all

	Baseline      string // file with findings to omit from the report
	WriteBaseline string // file to write all findings to, which are then omitted

	Stdin io.Reader // nil is standard input
	in    string    // the directory to find the configuration for; "" is that of Path
}

// runValidate checks a path and writes the report. The error has no text if the report has the reason.
func runValidate(ctx context.Context, w *os.File, o validateOptions) error {
	format, err := report.ByName(o.Format)
	if err != nil {
		return Usage("%s: %w", o.Face.Option("format"), err)
	}
	if err := checkProfile(o.Face, o.Profile); err != nil {
		return err
	}
	if o.Fix && o.Diff {
		return Usage("%s and %s cannot be used together", o.Face.Option("fix"), o.Face.Option("diff"))
	}
	if o.Baseline != "" && o.WriteBaseline != "" {
		return Usage("%s and %s cannot be used together", o.Face.Option("baseline"), o.Face.Option("write-baseline"))
	}
	if o.Only != nil && o.WriteBaseline != "" {
		return Usage("%s and %s cannot be used together: the baseline would lack the findings of other rules", o.Face.Option("only"),
			o.Face.Option("write-baseline"))
	}
	paths, err := o.paths()
	if err != nil {
		return err
	}
	// A run is short, so collecting garbage less often is worth some memory. A higher percentage
	// saves no measurable time for a tree of 3,000 plugins.
	defer debug.SetGCPercent(debug.SetGCPercent(300))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(224 << 20))
	var all several
	for _, o.Path = range paths {
		err := all.add(ctx, w, o)
		if errors.Is(err, zipfs.ErrNotZip) && len(paths) > 1 {
			skip := validate.Skip{File: filepath.ToSlash(o.Path), Reason: strings.TrimPrefix(err.Error(), o.Path+": "), IsBroken: true}
			all.reports = append(all.reports, &validate.Report{Skips: []validate.Skip{skip}})
		} else if err != nil {
			return err
		}
	}
	r := validate.Merge(all.reports)
	if o.Diff {
		return all.printDiff(w, o, r)
	}
	if err := all.baseline(r, o); err != nil {
		return err
	}
	notes := notes(o, r)
	all.fromRoot(r, o.Format)
	if err := errors.Join(all.err, writeReport(w, o, format, r, all.inRepository())); err != nil {
		return &ExitError{Code: ExitBroken, Err: err}
	}
	fmt.Fprint(o.notesTo(w), notes)
	if code := r.ExitCode(); code != ExitOK {
		return &ExitError{Code: code}
	}
	return nil
}

// paths returns what to validate, one after another.
func (o validateOptions) paths() (list []string, err error) {
	named := o.Paths
	if named == nil {
		named = []string{o.Path}
	}
	for _, name := range append(named, o.Source) {
		if scheme, _, isURL := strings.Cut(name, "://"); isURL && !strings.ContainsAny(scheme, "/\\") {
			return nil, Usage("%s is a URL, which is not downloaded; download it and name the file", name)
		}
	}
	switch {
	case o.All:
		return reposAt(o.Face, true, "", named)
	case o.Paths != nil:
		return withZips(o.Paths)
	}
	return named, nil
}

// several is what was validated so far.
type several struct {
	targets []*target
	reports []*validate.Report
	sourced []validate.Named
	diff    []byte
	err     error // of printing
}

// add validates a path. The error means that the run cannot go on.
func (s *several) add(ctx context.Context, w *os.File, o validateOptions) error {
	t, err := openTarget(o)
	if errors.Is(err, zipfs.ErrNotZip) {
		return &ExitError{Code: ExitBroken, Err: err}
	}
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	defer t.close()
	t.options.Before = s.sourced
	return s.run(ctx, w, o, t)
}

func (s *several) run(ctx context.Context, w *os.File, o validateOptions, t *target) (err error) {
	var r *validate.Report
	switch {
	case o.Diff:
		var result *fix.Result
		if result, err = fix.Run(ctx, t.tree, t.options); err == nil {
			r, s.diff = result.Report, append(s.diff, fix.Diff(result.Changes, t.options.Prefix)...)
		}
	case o.Fix:
		r, err = t.fix(ctx, w, o)
	default:
		r, err = t.check(ctx)
	}
	if ctx.Err() != nil && r == nil {
		return &ExitError{Code: ExitBroken, Err: fmt.Errorf("validate: %w", ctx.Err())}
	}
	if r == nil {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("validate: %w", err)}
	}
	s.sourced = append(s.sourced, r.Sourced...)
	s.targets, s.reports, s.err = append(s.targets, t), append(s.reports, r), errors.Join(s.err, err)
	return nil
}

// target is what a user asked to validate.
type target struct {
	tree    fs.FS
	options validate.Options
	cwd     string
	dir     string // the directory or zip that tree reads; "" for standard input
	isZip   bool
	source  *provenance.Source // nil if nothing is compared
	config  *config.Config     // nil if there is none
	home    string             // the directory of config
}

func openTarget(o validateOptions) (*target, error) {
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
		if o.Path == "" {
			o.Path = Around()
		}
		t.tree, t.options, err = validate.Open(cwd, o.Path)
		if t.dir = filepath.FromSlash(t.options.Prefix); !filepath.IsAbs(t.dir) {
			t.dir = filepath.Join(cwd, t.dir)
		}
	}
	if err != nil {
		return nil, err
	}
	_, t.isZip = t.tree.(*zipfs.Archive)
	t.options.Rules, t.options.Profile, t.options.IsStrict, t.options.NoDist = rules.All(), o.Profile, o.Strict, true
	for _, step := range []func(validateOptions) error{t.openSource, t.configure, t.selectRules} {
		if err := step(o); err != nil {
			t.close()
			return nil, err
		}
	}
	switch {
	case t.isZip && (o.Fix || o.Diff):
		t.close()
		return nil, errors.New("cannot fix a zip; fix the source and package it again")
	case t.dir == "" && o.Fix:
		return nil, fmt.Errorf("cannot fix standard input; use %s, or name the file", o.Face.Option("diff"))
	}
	return t, nil
}

// openSource adds the rule that compares a zip with its source.
func (t *target) openSource(o validateOptions) (err error) {
	if o.Source == "" {
		return nil
	}
	option := o.Face.Option("source")
	if !t.isZip {
		return fmt.Errorf("%s needs a zip to compare with it; name the packaged plugin", option)
	}
	if t.source, err = provenance.Open(o.Source, ruleIDs(t.options.Rules)); err != nil {
		return fmt.Errorf("%s: %w", option, err)
	}
	t.options.Rules, t.options.Source = append(t.options.Rules, provenance.Rule(t.source)), t.source.FS()
	return nil
}

// close closes the tree if it is a zip, and the source.
func (t *target) close() {
	if t.source != nil {
		_ = t.source.Close() // opened for reading only
	}
	validate.Close(t.tree)
}

// notes says what is not part of the report.
func notes(o validateOptions, r *validate.Report) (list string) {
	if o.WriteBaseline != "" {
		n := 0
		for _, s := range r.Suppressed {
			if s.InBaseline {
				n++
			}
		}
		list = fmt.Sprintf("wrote %s to %s\n", text.Plural(n, "finding"), filepath.ToSlash(o.WriteBaseline))
	}
	isMissing := func(f validate.Finding) bool { return f.Rule == "meta-missing" }
	if slices.ContainsFunc(r.Findings, isMissing) {
		if repo, err := bundle.FindRepo(o.Path); err == nil {
			list += fmt.Sprintf("note: %s is a part of the plugin repository %s; validate that directory instead\n", filepath.ToSlash(o.Path), filepath.ToSlash(repo.Root))
		}
	}
	if len(r.Left) == 0 {
		return list
	}
	left := r.Left[0]
	if n := len(r.Left); n > 1 {
		left = fmt.Sprintf("%d directories, such as %s", n, left)
	}
	command := o.Face.Verb("validate") + " "
	if o.Face == Mage {
		command += o.Face.Option("path") + "="
	}
	return list + fmt.Sprintf("not checked: %s, which a build wrote; to check it, run %s%s\n", left, command, r.Left[0])
}

func writeReport(w *os.File, o validateOptions, format report.Format, r *validate.Report, directory string) error {
	err := writeTo(w, o.Output, func(w io.Writer, hasColor bool) error {
		return format.Write(w, r, report.Options{
			HasColor: hasColor, IsVerbose: o.Verbose, Rules: rules.All(), Version: version.Current(), Directory: directory,
		})
	})
	if err != nil && o.Output != "" {
		return fmt.Errorf("write report: %w; choose a writable file with %s", err, o.Face.Option("output"))
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
