package conformance

import (
	"cmp"
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

// Options configure Run.
type Options struct {
	Plugin  bundle.Plugin
	Timeout time.Duration // of each check; 0 is 30 s
	Only    []string      // ids of the checks to run; all if empty
	Environ []string      // of the host; the loader passes a part of it on

	// What the plugin needs to respond with more than errors. All are optional.
	Query    json.RawMessage // a query, with its "queryType"
	Settings json.RawMessage // jsonData of the data source or app
	URL      string          // of the data source

	Each func(Result) // is called with every result as it arrives, unless nil

	rounds  int // of parallelCalls; 0 is loadRounds
	cancels int // of each kind of call; 0 is cancelEach
}

// Result is the result of one check.
type Result struct {
	ID  string `json:"id"`
	Why string `json:"why"`
	Verdict
	Elapsed time.Duration `json:"elapsedNs"`
}

// Report holds the results of all checks.
type Report struct {
	PluginID string        `json:"pluginId"`
	Results  []Result      `json:"results"`
	Elapsed  time.Duration `json:"elapsedNs"`
}

// Count returns the number of checks with an outcome.
func (r Report) Count(o Outcome) int {
	n := 0
	for _, result := range r.Results {
		if result.Outcome == o {
			n++
		}
	}
	return n
}

// Run runs the checks one after the other. Its error is not about the plugin: there is
// no backend to start, an id in Only is unknown, or ctx has ended.
func Run(ctx context.Context, o Options) (Report, error) {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.rounds = cmp.Or(o.rounds, loadRounds)
	o.cancels = cmp.Or(o.cancels, cancelEach)
	report := Report{PluginID: o.Plugin.Metadata.ID}
	checks, err := selected(o.Only)
	if err != nil {
		return report, err
	}
	if !o.Plugin.Metadata.Backend {
		return report, fmt.Errorf("%s has no backend to check", o.Plugin.Metadata.ID)
	}
	executable, err := loader.Executable(o.Plugin)
	if err != nil {
		return report, err
	}
	s := newSubject(o, executable)
	started := time.Now()
	for _, c := range checks {
		r := s.check(ctx, c)
		if err = ctx.Err(); err != nil {
			break // the verdict is not about the plugin
		}
		report.Results = append(report.Results, r)
		if o.Each != nil {
			o.Each(r)
		}
	}
	report.Elapsed = time.Since(started)
	if err = errors.Join(err, s.close()); err != nil {
		return report, fmt.Errorf("check %s: %w", report.PluginID, err)
	}
	return report, nil
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

// UnknownCheckError reports an unknown id in Options.Only.
type UnknownCheckError struct {
	ID    string
	Known []string
}

// Error lists the known ids.
func (e *UnknownCheckError) Error() string {
	return fmt.Sprintf("unknown check %q: use any of %s", e.ID, strings.Join(e.Known, ", "))
}
