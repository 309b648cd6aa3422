package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/bundle/zipfs"
)

// Options controls a run. Only Rules is required.
type Options struct {
	Path     string // a directory or plugin.json in the tree; "" means the whole tree
	Prefix   string // slash path of the tree, prepended to the files in the report
	Source   fs.FS  // the plugin repository that a built plugin is compared with, or nil
	RootName string // name of the directory that the tree represents, or ""; "dist" means built
	Rules    []Rule
	Profile  string // name of a profile; "" detects it in each plugin.json
	Where    Where  // the form of all plugins; 0 detects it; Source skips directories called dist
	NoDist   bool   // leave out the dist of plugin repositories, unless Path leads into it
	IsStrict bool   // warnings are errors

	IsCatalog    bool                     // the preset catalog: the severities and checks of Grafana's catalog
	Severities   map[string]Severity      // by rule; Off skips the rule
	Suppressions []Suppression            // findings to leave out
	Names        func(file string) string // the name of a file in suppressions; nil means its name in the tree
	IsPart       bool                     // suppressions may concern files outside the tree
	Config       string                   // the file with the Severities, for the report

	Signers string // armored OpenPGP keys that sign each MANIFEST.txt; "" are those of Grafana

	Range func(declared string) string // the range of host versions to check for; nil means the declared one

	Before []Named // sources that runs at other paths have checked

	IsAlone bool // Path is a single file, as from OpenReader: rules that open other files are skipped
}

// Run checks every plugin under opts.Path: plugin repositories with their dist, built
// plugins, nested plugins, and directories of plugins. It checks an zipfs.Archive as
// a zip. It skips the directories of tools (see bundle.IsToolDir).
//
// Problems in plugins become findings, and checks that did not run become skips. Run
// returns an error only if it cannot start or ctx is done: for a missing path, an
// unknown profile, or no rules.
func Run(ctx context.Context, fsys fs.FS, opts Options) (*Report, error) {
	if len(opts.Rules) == 0 {
		return nil, errors.New("validate: no rules")
	}
	if _, err := bundle.ProfileByName(opts.Profile); err != nil {
		return nil, err
	}
	zip, isZip := fsys.(*zipfs.Archive)
	if isZip {
		opts.Where = Zip
	}
	if opts.IsAlone && opts.Where == 0 {
		opts.Where = Source
	}
	off := opts.dropOff()
	if t, ok := fsys.(*tree.Tree); ok {
		fsys = t.Keep()
	} else if _, ok := fsys.(Confiner); !ok && !isZip && !opts.IsAlone {
		fsys = tree.New(fsys)
	}
	s := search{fs: fsys, opts: opts, refused: map[string][]refusal{}}
	if !isZip || zip.Refusal == "" {
		if err := s.run(ctx); err != nil {
			return nil, err
		}
	}

	groups := byRoot(s.targets)
	results := make([]Report, len(groups))
	run := &runner{fs: fsys, opts: opts, running: map[string]bool{}, files: map[string]*file{}, refused: s.refused,
		tree: &treeFacts{facts: map[any]fact{}}}
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

	report := &Report{Skips: s.skips, Left: s.left, Sources: map[string][]byte{}}
	for _, r := range s.refused[""] { // outside of any plugin
		report.Findings = append(report.Findings, r.finding(Source))
	}
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
	for _, r := range opts.Rules {
		if reason := r.Elsewhere(seen); reason != "" && len(s.targets) > 0 {
			report.Elsewhere = append(report.Elsewhere, Skip{Rule: r.ID, Reason: reason})
		}
	}
	unused := report.suppress(opts, seen)
	report.dropCopies()
	run.finish(unused)
	if opts.Prefix != "" {
		report.Rename(func(file string) string { return path.Join(opts.Prefix, file) })
	}
	report.Findings = append(report.Findings, unused...) // these have their final file names
	report.Skips = append(report.Skips, off...)
	report.sort()
	return report, nil
}

// dropOff applies the preset and removes the rules that are off. It returns a skip for each that the
// configuration turns off.
func (o *Options) dropOff() (off []Skip) {
	rules := make([]Rule, 0, len(o.Rules))
	for _, r := range o.Rules {
		if o.IsCatalog {
			r.Severity = cmp.Or(r.Catalog, r.Severity)
		}
		if r.OfRepository && o.Source == nil {
			r.Where = Source
		}
		switch cmp.Or(o.Severities[r.ID], r.Severity) {
		case Off:
			if o.Severities[r.ID] == Off {
				off = append(off, Skip{Rule: r.ID, File: cmp.Or(o.Config, "."), Reason: "turned off by the configuration"})
			}
		default:
			rules = append(rules, r)
		}
	}
	o.Rules = rules
	return off
}

// name returns the name of a file in suppressions.
func (o *Options) name(file string) string {
	if o.Names == nil {
		return file
	}
	return o.Names(file)
}

// parallel calls work(0) to work(n-1) on all processors and waits for them. It starts no
// more calls once the context is done.
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

// byRoot groups the targets by the outermost plugin, which comes first in its group.
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

// Configure applies a slipway.yaml. It keeps a profile that is already set, and it never
// resets IsStrict.
func (o *Options) Configure(c *config.Config) {
	if o.Profile == "" {
		o.Profile = c.Profile
	}
	o.IsStrict = o.IsStrict || c.IsStrict
	o.IsCatalog = c.IsCatalog
	o.Config = c.Name
	o.Severities = make(map[string]Severity, len(c.Severities))
	for rule, severity := range c.Severities {
		o.Severities[rule] = Severity(severity)
	}
	o.Suppressions = nil
	for i, s := range c.Suppressions {
		o.Suppressions = append(o.Suppressions, Suppression{Rule: s.Rule, File: s.File, Pointer: s.Pointer, Reason: s.Reason, Place: Place{
			File: c.Name, Line: s.Line, Column: s.Column, EndLine: s.Line, EndColumn: s.EndColumn, Pointer: "/suppress/" + strconv.Itoa(i),
		}})
	}
}
