// Package check opens each view of a preview in a browser that is there, without a window, and
// reports what goes wrong: exceptions, answers with an error, and pictures that differ from those that the
// repository keeps, or from those of another build of the plugin.
package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/preview"
)

// Options configure Run.
type Options struct {
	Sides   []preview.Side // the previews, each with its version of the libraries; pictures of several are kept apart
	Token   string         // of all
	Views   []preview.View
	Only    string // glob of the names of views, or a part of one; "" opens all
	Version string // minor version of the libraries, if there is one side

	Pictures string // directory of the pictures that the repository keeps
	Update   bool   // replace them
	Against  bool   // compare with the pictures of the second side instead
	Strict   bool   // a view without a kept picture fails, and so does an expectation that does not occur

	Expected []config.ExpectedProblem
	IsUsed   func(name string) bool // whether the plugin uses a name such as @grafana/ui#x without a guard, as a rule says; may be nil

	Out      string // directory of the report, which is replaced
	Patience time.Duration
	Tabs     int              // at once; 0 chooses
	Begin    func(views int)  // takes how many views will be opened; may be nil
	Each     func(r []Result) // takes the results of each view as soon as they are there; may be nil
}

// Result is what a view showed. The results without a path are about the check itself.
type Result struct {
	preview.View
	With       string          `json:"with"` // version of the libraries; "" unless there are several
	Only       []string        `json:"only"` // problems and notes that other versions do not have
	Problems   []string        `json:"problems"`
	Notes      []string        `json:"notes"`    // what does not fail
	IsNew      bool            `json:"new"`      // there is no kept picture
	IsUnsteady bool            `json:"unsteady"` // it is drawn differently each time, and was compared with no other build
	Picture    string          `json:"picture"`  // now
	Kept       string          `json:"kept"`     // picture that it was compared with, copied into the report; "" if there is none
	Marked     string          `json:"marked"`   // picture of the difference; "" unless there is one
	Seconds    float64         `json:"seconds"`
	Report     json.RawMessage `json:"report"`
}

// Title names the view, and the version if there are several.
func (r Result) Title() string {
	if r.With == "" {
		return r.Name
	}
	return r.Name + ", with " + r.With
}

// maxTabs is how many views are open at once if nobody says. Each takes a processor, and some 300 MB.
const maxTabs = 4

// Run opens the views, and writes the report.
func Run(ctx context.Context, o Options) ([]Result, error) {
	o.Patience = cmp.Or(o.Patience, patience)
	o.Tabs = max(cmp.Or(o.Tabs, min(runtime.NumCPU(), maxTabs)), 1)
	if err := beginReport(o.Out); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	kept, err := o.openAlbum()
	if err != nil {
		return nil, err
	}
	var chosen []int
	for i, view := range o.Views {
		if isMatch(o.Only, view.Name) {
			chosen = append(chosen, i)
		}
	}
	if o.Begin != nil {
		o.Begin(len(chosen))
	}
	queue, all := make(chan int), make([][]Result, len(o.Views))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var tabs sync.WaitGroup
	var mu sync.Mutex
	for range min(o.Tabs, len(chosen)) {
		tabs.Go(func() {
			browser, stop, err := open(ctx) // one draws only the tab in front
			if err != nil {
				cancel(err)
				return
			}
			defer func() { stop() }()
			for i := range queue {
				results, err := o.open(browser, kept, i)
				if browser.Err() != nil && ctx.Err() == nil { // it crashed, or did not answer on a busy machine: once more
					stop()
					if browser, stop, err = open(ctx); err != nil {
						cancel(err)
						stop = func() {}
						return
					}
					results, err = o.open(browser, kept, i)
				}
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				if all[i] = results; o.Each != nil {
					o.Each(results)
				}
				mu.Unlock()
			}
		})
	}
	for _, i := range chosen {
		select {
		case queue <- i:
		case <-ctx.Done():
		}
	}
	close(queue)
	tabs.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	results := slices.Concat(all...)
	rest, err := o.rest(results, kept)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 && o.Each != nil {
		o.Each(rest)
	}
	results = append(results, rest...)
	return results, write(o.Out, results)
}

// open opens a view on each side.
func (o Options) open(browser context.Context, kept *album, i int) (results []Result, err error) {
	var pictures [][]byte
	for _, side := range o.Sides {
		r := Result{View: o.Views[i], With: side.With, Problems: slices.Clone(o.Views[i].Problems), Notes: []string{}}
		if len(o.Views[i].Problems) > 0 {
			if r.With = ""; o.Against { // neither build is to blame
				r.Problems, r.Notes = []string{}, r.Problems
			}
			r.expect(o.Expected)
			return []Result{r}, nil
		}
		begun := time.Now()
		picture, seen, err := show(browser, side.Origin+r.Path+"#token="+o.Token, o.Patience)
		if o.Against && picture == nil || errors.Is(err, errUnpictured) || errors.Is(err, errRestless) && seen == "" { // on a busy machine
			picture, seen, err = show(browser, side.Origin+r.Path+"#token="+o.Token, o.Patience)
		}
		r.Seconds = time.Since(begun).Seconds()
		if browser.Err() != nil {
			return nil, fmt.Errorf("the browser ended while it showed %s: %w", r.Title(), browser.Err())
		}
		hasReport := seen != "" && seen != "null"
		r.ended(err, hasReport, picture != nil)
		if hasReport {
			if err := r.read(seen, o.IsUsed); err != nil {
				r.Problems = append(r.Problems, err.Error())
			}
		}
		if !o.Against {
			err = o.keep(&r, kept, kept.names[i], picture)
		} else if err = nil; picture != nil {
			err = r.show(o.Out, kept.names[i], picture)
		}
		if err != nil {
			return nil, err
		}
		results, pictures = append(results, r), append(pictures, picture)
	}
	if o.Against {
		again := func() ([]byte, error) {
			picture, _, err := show(browser, o.Sides[0].Origin+o.Views[i].Path+"#token="+o.Token, o.Patience)
			return picture, err
		}
		if err := o.contrast(results, pictures, kept.names[i], again); err != nil {
			return nil, err
		}
	}
	for i := range results {
		results[i].expect(o.Expected)
	}
	distinguish(results)
	return results, nil
}

// ended records how a view ended. One without rest is judged by its report and its picture, if there are both.
func (r *Result) ended(err error, hasReport, hasPicture bool) {
	switch {
	case errors.Is(err, errRestless) && hasReport && hasPicture:
		r.Notes = append(r.Notes, err.Error())
	case err != nil:
		r.Problems = append(r.Problems, err.Error())
	case !hasReport:
		r.Problems = append(r.Problems, errRestless.Error())
	}
}

// rest returns what is wrong with the check itself: pictures that no view has, and expectations that do not occur.
func (o Options) rest(results []Result, kept *album) (list []Result, err error) {
	if o.Against {
		return o.modulesThatDiffer(results), nil
	}
	if list, err = o.unclaimed(kept); err != nil {
		return nil, err
	}
	for _, e := range o.Expected {
		opened, occurs := false, false
		for _, r := range results {
			opened = opened || isMatch(e.View, r.Name)
			occurs = occurs || isMatch(e.View, r.Name) && slices.ContainsFunc(r.Notes, func(note string) bool {
				return strings.HasPrefix(note, expectedWord) && strings.Contains(note, e.Text)
			})
		}
		if occurs || !opened && o.Only != "" {
			continue
		}
		r := Result{View: preview.View{Name: "expected problem of " + cmp.Or(e.View, "all views")}, Problems: []string{}, Notes: []string{}}
		said := fmt.Sprintf("%q does not occur: delete it from %s", e.Text, config.FileName)
		if o.Strict {
			r.Problems = append(r.Problems, said)
		} else {
			r.Notes = append(r.Notes, said)
		}
		list = append(list, r)
	}
	return list, nil
}
