package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/loader"
)

// Options configure Run.
type Options struct {
	Plugin  bundle.Plugin
	Timeout time.Duration // of each check; 0 is 30 s
	Only    []string      // ids of the checks to run; all if empty
	Skip    []string      // ids of checks that are recorded as skipped

	// Standard is what the plugin is held to. If it is empty, it depends on the SDK.
	Standard Standard

	Environ []string // of the host; the loader passes a part of it on

	// What the plugin needs to respond with more than errors. All are optional.
	Query    json.RawMessage   // a query, with its "queryType"
	Settings json.RawMessage   // jsonData of the data source or app
	Secrets  map[string]string // decrypted secureJsonData; they are removed from the results
	URL      string            // of the data source

	rounds  int // of parallelCalls; 0 is loadRounds
	cancels int // of each kind of call; 0 is cancelEach
}

// Result is the result of one check.
type Result struct {
	ID  string `json:"id"`
	Why string `json:"why"`
	Verdict
	SameAs  string        `json:"sameAs,omitempty"` // id of the first check with the same cause
	Elapsed time.Duration `json:"elapsedNs"`
}

// Report holds the results of all checks.
type Report struct {
	PluginID string        `json:"pluginId"`
	SDK      *bundle.SDK   `json:"sdk,omitempty"` // nil if it is not known
	Standard Standard      `json:"checks"`
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

// Run runs the checks one after another. Its error is not about the plugin: there is
// no backend to start, an id in Only is unknown, or ctx has ended.
func Run(ctx context.Context, o Options) (Report, error) {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.rounds = cmp.Or(o.rounds, loadRounds)
	o.cancels = cmp.Or(o.cancels, cancelEach)
	report := Report{PluginID: o.Plugin.Metadata.ID}
	checks, err := selected(o.Only, o.Skip)
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
	temp, err := os.MkdirTemp(process.TempDir(), "slipway-temp-") // which holds the sockets of killed processes, too
	if err != nil {
		return report, fmt.Errorf("make directory for temporary files: %w", err)
	}
	s := newSubject(o, executable, temp)
	if s.sdk != (bundle.SDK{}) {
		report.SDK = &s.sdk
	}
	s.o.Standard = cmp.Or(o.Standard, forSDK(s.sdk))
	report.Standard = s.o.Standard
	causes := map[string]string{}
	started := time.Now()
	for _, c := range checks {
		r := s.check(ctx, c)
		if err = ctx.Err(); err != nil {
			break // the verdict is not about the plugin
		}
		if cause := r.cause(c); cause != "" {
			if r.SameAs = causes[cause]; r.SameAs == "" {
				causes[cause] = r.ID
			}
		}
		report.Results = append(report.Results, r)
	}
	report.Elapsed = time.Since(started)
	if err = errors.Join(err, s.close(), process.RemoveAll(temp)); err != nil {
		return report, fmt.Errorf("check %s: %w", report.PluginID, err)
	}
	return report, nil
}

func (o Options) hasSettings() bool { return len(o.Settings) > 0 || len(o.Secrets) > 0 || o.URL != "" }

// cause returns what the results of checks with the same cause have in common, or "" for one that
// passed. Panics in two handlers are two causes, unless the checks make the same mistake.
func (r Result) cause(c Check) string {
	switch r.Outcome {
	case Passed:
		return ""
	case Skipped:
		return string(Skipped) + "\n" + r.Reason
	}
	kind := ""
	if r.Help == helpPanic {
		kind = c.Why
		if c.isUnusual {
			kind = "unusual"
		}
	}
	got := r.Got
	if r.Help == helpExited {
		if at := strings.Index(got, "panic: "); at >= 0 {
			got = got[at:] // without what was printed before
		}
	}
	return strings.Join([]string{string(r.Outcome), kind, number.ReplaceAllString(got, "#"), r.Help}, "\n")
}

func selected(only, skip []string) ([]Check, error) {
	checks := Checks()
	known := make([]string, len(checks))
	for i, c := range checks {
		known[i] = c.ID
	}
	for _, id := range slices.Concat(only, skip) {
		if !slices.Contains(known, id) {
			return nil, &UnknownCheckError{nearest.Unknown("check", id, known)}
		}
	}
	if len(only) == 0 {
		return checks, nil
	}
	return slices.DeleteFunc(checks, func(c Check) bool { return !slices.Contains(only, c.ID) }), nil
}

// UnknownCheckError reports an unknown id in Options.Only or Skip. It suggests the nearest one, or lists them all.
type UnknownCheckError struct{ error }
