package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate/archive"
)

// Options says what to check and with what. Rules are required; everything else
// may be left out.
type Options struct {
	Path     string // a folder or one plugin.json in the tree; "" is the whole tree
	Prefix   string // slash path that leads to the tree, put before the files of the report
	RootName string // the name of the folder that the tree is, where it is known: "dist" means built
	Rules    []Rule
	Profile  string // of bundle.Profiles; "" finds it from each plugin.json, else the default
	Where    Where  // one form for all plugins; 0 finds it from the files; Source leaves out folders called dist
	IsStrict bool   // warnings are errors

	Severities   map[string]Severity      // by rule, for all its findings; Off leaves the rule out
	Suppressions []Suppression            // findings that someone has decided to live with
	Names        func(file string) string // how suppressions name a file of the tree; nil is as the tree does
	IsPart       bool                     // suppressions may speak of files that are not in the tree
	Config       string                   // the file that Severities come from, for the report

	IsAlone bool // Path is a file with nothing around it, as from OpenReader: rules that look at other files are skipped
}

// Run checks every plugin under opts.Path: plugin repos with their dist, built
// plugins, nested plugins, folders of many. An archive.Archive is checked as the zip
// that it is. Folders that are no part of a plugin
// (bundle.IsToolDir) are left out.
//
// A fault of a plugin is a finding and a check that did not run is a skip, both
// in the report. The error is for what stands before that: a path that is not
// there, an unknown profile, no rules, a cancelled context.
func Run(ctx context.Context, fsys fs.FS, opts Options) (*Report, error) {
	if len(opts.Rules) == 0 {
		return nil, errors.New("no rules to check with: pass rules.All()")
	}
	if _, err := bundle.ProfileByName(opts.Profile); err != nil {
		return nil, err
	}
	zip, isZip := fsys.(*archive.Archive)
	if isZip {
		opts.Where = Zip
	}
	if opts.IsAlone && opts.Where == 0 {
		opts.Where = Source
	}
	off := opts.leaveOut()
	s := search{fs: fsys, opts: opts}
	if !isZip || zip.Refusal == "" {
		if err := s.run(ctx); err != nil {
			return nil, err
		}
	}

	groups := byRoot(s.targets)
	results := make([]Report, len(groups))
	run := runner{fs: fsys, opts: opts, running: map[string]bool{}, files: map[string]*file{}, tree: &treeFacts{facts: map[any]fact{}}}
	for _, t := range s.targets {
		if !t.isMissing {
			run.plugins = append(run.plugins, t.file)
		}
	}
	for _, r := range opts.Rules {
		run.running[r.ID] = true
	}
	files := make([]*file, len(s.targets))
	parallel(ctx, len(files), func(i int) { files[i] = run.load(s.targets[i]) })
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	for i, f := range files {
		run.files[s.targets[i].file] = f
	}
	parallel(ctx, len(groups), func(i int) { results[i] = run.group(groups[i]) })
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}

	report := &Report{Skips: s.skips, Sources: map[string][]byte{}}
	if isZip {
		report.add(run.archive(zip))
	}
	for _, r := range results {
		report.add(r)
	}
	seen := opts.Where
	for _, t := range s.targets {
		seen |= t.where
	}
	unused := report.suppress(opts, seen)
	run.finish(unused)
	report.prefix(opts.Prefix)
	report.Findings = append(report.Findings, unused...) // these name files as their Place does
	report.Skips = append(report.Skips, off...)
	report.sort()
	return report, nil
}

// leaveOut takes the rules that are off out of the options and returns a note for
// each.
func (o *Options) leaveOut() (off []Skip) {
	rules := make([]Rule, 0, len(o.Rules))
	for _, r := range o.Rules {
		if o.Severities[r.ID] == Off {
			off = append(off, Skip{Rule: r.ID, File: cmp.Or(o.Config, "."), Reason: "the configuration switches the rule off"})
			continue
		}
		rules = append(rules, r)
	}
	o.Rules = rules
	return off
}

// name returns how suppressions name a file of the tree.
func (o *Options) name(file string) string {
	if o.Names == nil {
		return file
	}
	return o.Names(file)
}

// parallel calls work(0) to work(n-1) on all processors and waits for them. It
// starts no further work once the context is done.
func parallel(ctx context.Context, n int, work func(int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	wait.Wait()
}

// byRoot groups targets with the plugin around them, which comes first.
func byRoot(targets []target) [][]target {
	var groups [][]target
	at := map[string]int{}
	for _, t := range targets {
		i, ok := at[t.root]
		if !ok {
			i = len(groups)
			at[t.root] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}
