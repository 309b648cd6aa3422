package validate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/slipway-dev/slipway/bundle"
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
}

// Run checks every plugin under opts.Path: plugin repos with their dist, built
// plugins, nested plugins, folders of many. Folders that are no part of a plugin
// (bundle.IsToolFolder) are left out.
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
	s := search{fs: fsys, opts: opts}
	if err := s.run(ctx); err != nil {
		return nil, err
	}

	groups := byRoot(s.targets)
	results := make([]Report, len(groups))
	run := runner{fs: fsys, opts: opts, running: map[string]bool{}, tree: &treeFacts{facts: map[any]any{}}}
	for _, t := range s.targets {
		if !t.isMissing {
			run.plugins = append(run.plugins, t.file)
		}
	}
	for _, r := range opts.Rules {
		run.running[r.ID] = true
	}
	parallel(ctx, len(groups), func(i int) { results[i] = run.group(groups[i]) })
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}

	report := &Report{Skips: s.skips, Sources: map[string][]byte{}}
	for _, r := range results {
		report.add(r)
	}
	report.prefix(opts.Prefix)
	report.sort()
	return report, nil
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
