package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/loader"
)

// Options say what to try.
type Options struct {
	Plugin  bundle.Plugin
	Timeout time.Duration // of each check; 0 is 30 s
	Only    []string      // ids of the checks to run; empty is all
	Environ []string      // of the host; the plugin gets the part that loader passes on

	// What the plugin needs to give answers other than errors, if that is known.
	Query    json.RawMessage // of a query, with its "queryType"
	Settings json.RawMessage // jsonData of its data source or app
	URL      string          // of its data source

	// Each gets each result as it comes; nil is nobody.
	Each func(Result)

	rounds  int // of parallelCalls; 0 is loadRounds
	cancels int // of each call; 0 is cancelEach
}

// Result is what came of one check.
type Result struct {
	ID  string `json:"id"`
	Why string `json:"why"`
	Verdict
	Elapsed time.Duration `json:"elapsedNs"`
}

// Report is what came of all checks.
type Report struct {
	PluginID string        `json:"pluginId"`
	Results  []Result      `json:"results"`
	Elapsed  time.Duration `json:"elapsedNs"`
}

// Count returns how many checks have an outcome.
func (r Report) Count(o Outcome) int {
	n := 0
	for _, result := range r.Results {
		if result.Outcome == o {
			n++
		}
	}
	return n
}

// Run runs the checks one after the other. The error is about the run and not about
// the plugin: there is nothing to start, an id in Only is not known, or ctx has ended.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.rounds == 0 {
		o.rounds = loadRounds
	}
	if o.cancels == 0 {
		o.cancels = cancelEach
	}
	report := Report{PluginID: o.Plugin.Metadata.ID}
	checks, err := selected(o.Only)
	if err != nil {
		return report, err
	}
	if !o.Plugin.Metadata.Backend {
		return report, fmt.Errorf("%s has no backend: there is nothing to start", o.Plugin.Metadata.ID)
	}
	program, err := loader.Executable(o.Plugin)
	if err != nil {
		return report, err
	}
	s := newSubject(o, program)
	started := time.Now()
	for _, c := range checks {
		r := s.check(ctx, c)
		if err = ctx.Err(); err != nil {
			break // the verdict is about us, not about the plugin
		}
		report.Results = append(report.Results, r)
		if o.Each != nil {
			o.Each(r)
		}
	}
	if err != nil {
		err = fmt.Errorf("conformance: %w", err)
	}
	err = errors.Join(err, s.close())
	report.Elapsed = time.Since(started)
	return report, err
}

func selected(only []string) ([]Check, error) {
	checks := Checks()
	if len(only) == 0 {
		return checks, nil
	}
	known := make([]string, len(checks))
	for i, c := range checks {
		known[i] = c.ID
	}
	for _, id := range only {
		if !slices.Contains(known, id) {
			return nil, &UnknownCheckError{ID: id, Known: known}
		}
	}
	return slices.DeleteFunc(checks, func(c Check) bool { return !slices.Contains(only, c.ID) }), nil
}

// UnknownCheckError is about an id in Options.Only.
type UnknownCheckError struct {
	ID    string
	Known []string
}

// Error names the ids that there are.
func (e *UnknownCheckError) Error() string {
	return fmt.Sprintf("there is no check %q: use some of %s", e.ID, strings.Join(e.Known, ", "))
}
