package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/preview"
)

// report is the part of what the page has seen that is checked.
type report struct {
	Missing []string
	Errors  []pageError
	Calls   []struct {
		Method, Path, Message string
		Status                int
		Refused               bool
	}
	Loaded              map[string]loaded
	Absent              []string
	Deprecations, Notes []string
	Awaited             []string
	Drawn               *float64
	Empty               bool
}

type pageError struct {
	Kind, Message, File string
	Line                int
}

// loaded is a module of a plugin: what it asks the host for, and what it exports.
type loaded struct{ Asked, Exports []string }

// read sets what the report of a page says. A name that is missing is a problem only if the plugin does not ask first
// whether it is there: what uses it all the same has thrown an exception.
func (r *Result) read(seen string, isUsed func(name string) bool) error {
	r.Report = json.RawMessage(seen)
	var read report
	if err := json.Unmarshal(r.Report, &read); err != nil {
		return fmt.Errorf("read the report of the page: %w", err)
	}
	all := ""
	for _, e := range read.Errors {
		isSaidAgain := func(other pageError) bool {
			return other.Kind != e.Kind && strings.HasPrefix(other.Message, strings.TrimPrefix(e.Message, "Error: "))
		}
		if e.Kind == "console" && slices.ContainsFunc(read.Errors, isSaidAgain) {
			continue // React prints what it throws
		}
		at := ""
		if e.File != "" {
			at = fmt.Sprintf(" (%s:%d)", e.File, e.Line)
		}
		all += e.Message + "\n"
		r.Problems = append(r.Problems, e.Kind+": "+e.Message+at)
	}
	for _, name := range read.Missing {
		if said := "the libraries have no " + name; len(read.Errors) > 0 || isUsed != nil && isUsed(name) {
			r.Problems = append(r.Problems, said)
		} else {
			r.Notes = append(r.Notes, said)
		}
	}
	for _, c := range read.Calls {
		switch {
		case c.Refused:
			r.Notes = append(r.Notes, c.Method+" "+c.Path+" is not available in the preview")
		case c.Status >= 400 && preview.IsOfPlugin(c.Method, c.Path) && (c.Message == "" || !strings.Contains(all, c.Message)):
			r.Problems = append(r.Problems, fmt.Sprintf("%s %s answered %d: %s", c.Method, c.Path, c.Status, c.Message))
		}
	}
	for _, file := range read.Absent {
		r.Problems = append(r.Problems, "the plugin has no file "+file)
	}
	isUnanswered := false
	for _, call := range read.Awaited {
		if method, path, _ := strings.Cut(call, " "); preview.IsOfPlugin(method, path) {
			r.Problems, isUnanswered = append(r.Problems, call+" was not answered"), true
		}
	}
	waited := ""
	if len(read.Awaited) > 0 {
		waited = "the page did not come to rest: it still waits for " + strings.Join(read.Awaited, ", ")
	}
	switch {
	case read.Drawn == nil && !isUnanswered:
		r.Problems = append(r.Problems, cmp.Or(waited, "nothing was drawn"))
	case waited != "":
		r.Notes = append(r.Notes, waited)
	case read.Empty && (strings.Contains(r.Path, "scenario=empty") || strings.Contains(r.Path, "scenario=nodata")):
		r.Notes = append(r.Notes, "the drawing is empty")
	case read.Empty:
		r.Problems = append(r.Problems, "the drawing is empty: the plugin shows no text, graphic or control")
	}
	for _, text := range read.Deprecations {
		r.Notes = append(r.Notes, "deprecated: "+text)
	}
	r.Notes = append(r.Notes, read.Notes...)
	r.Problems, r.Notes = unique(r.Problems), unique(r.Notes)
	return nil
}

// unique leaves out what is said twice, the second time perhaps with more.
func unique(list []string) (of []string) {
	of = []string{}
	for _, one := range list {
		hasMore := func(other string) bool { return strings.HasPrefix(other, one+": ") }
		if !slices.Contains(of, one) && !slices.ContainsFunc(list, hasMore) {
			of = append(of, one)
		}
	}
	return of
}

// expect makes notes of the problems that the repository expects.
func (r *Result) expect(expected []config.ExpectedProblem) {
	r.Problems = slices.DeleteFunc(r.Problems, func(problem string) bool {
		i := slices.IndexFunc(expected, func(e config.ExpectedProblem) bool {
			return isMatch(e.View, r.Name) && strings.Contains(problem, e.Text)
		})
		if i >= 0 {
			r.Notes = append(r.Notes, expectedWord+problem+" ("+expected[i].Reason+")")
		}
		return i >= 0
	})
}

const expectedWord = "expected: "

// isMatch reports whether a name matches a pattern with *, or contains one without. "" matches all.
func isMatch(pattern, name string) bool {
	if !strings.Contains(pattern, "*") {
		return strings.Contains(name, pattern)
	}
	matched, err := regexp.MatchString("(?s)^"+strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")+"$", name)
	return err == nil && matched
}

// distinguish notes what the results of a view with several versions do not have in common. A text may name the version.
func distinguish(results []Result) {
	of := map[string]int{}
	neutral := func(r Result, text string) string {
		if r.With == "" {
			return text
		}
		return strings.ReplaceAll(text, "/"+r.With+"/", "/")
	}
	for _, r := range results {
		for _, text := range slices.Concat(r.Problems, r.Notes) {
			of[neutral(r, text)]++
		}
	}
	for i, r := range results {
		for _, text := range slices.Concat(r.Problems, r.Notes) {
			if of[neutral(r, text)] < len(results) {
				results[i].Only = append(results[i].Only, text)
			}
		}
	}
}
