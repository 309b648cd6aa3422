package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/preview"
)

// drawings are how often a view is drawn again before a difference is one of the builds.
const drawings = 3

// place is what of a problem differs by bundler: the source file at its end, and names of components, which are short.
var place = regexp.MustCompile(` \([^()]*:\d+\)$|` + "`\\w+`|<\\w+>")

// contrast compares what a view showed with two builds of the plugin. A problem of both is no difference, and a view that
// is drawn otherwise by the same build a second time cannot be compared.
func (o Options) contrast(results []Result, pictures [][]byte, name string, again func() ([]byte, error)) error {
	texts := make([]map[string]bool, len(results))
	for i, r := range results {
		texts[i] = map[string]bool{}
		for _, problem := range r.Problems {
			texts[i][place.ReplaceAllString(problem, "")] = true
		}
	}
	for i := range results {
		results[i].Problems = slices.DeleteFunc(results[i].Problems, func(problem string) bool {
			isShared := texts[1-i][place.ReplaceAllString(problem, "")]
			if isShared {
				results[i].Notes = append(results[i].Notes, "with both: "+problem)
			}
			return isShared
		})
	}
	ours := &results[0]
	if pictures[0] == nil || pictures[1] == nil {
		ours.Problems = append(ours.Problems, "no pictures to compare")
		return nil
	}
	difference, _, err := compare(pictures[1], pictures[0])
	if err == nil && difference <= tolerance {
		return nil
	}
	for range drawings {
		other, err := again()
		if other == nil {
			ours.Problems = append(ours.Problems, "could not be drawn again: "+err.Error())
			return nil
		}
		if difference, _, err := compare(pictures[1], other); err == nil && difference <= tolerance {
			return nil // a clock was read a millisecond later
		}
		if difference, _, err := compare(other, pictures[0]); err != nil || difference > tolerance {
			ours.IsUnsteady = true
			ours.Notes = append(ours.Notes, "the pictures were not compared: this view is drawn differently each time")
			return nil
		}
	}
	return ours.contrast(o.Out, name, pictures[1], pictures[0], "theirs")
}

// modules returns the modules of plugins that a side has loaded, by their paths.
func modules(results []Result, with string) map[string]loaded {
	all := map[string]loaded{}
	for _, r := range results {
		var read report
		if r.With == with && json.Unmarshal(r.Report, &read) == nil {
			for path, m := range read.Loaded {
				if strings.HasSuffix(path, "/module.js") {
					m.Exports = without(m.Exports, []string{"__esModule"}) // a mark, which bundlers may leave out
					all[path] = m
				}
			}
		}
	}
	return all
}

// modulesThatDiffer returns a result for each module that asks for or exports other names than its counterpart.
func (o Options) modulesThatDiffer(results []Result) (list []Result) {
	ours, theirs := modules(results, o.Sides[0].With), modules(results, o.Sides[1].With)
	both := maps.Clone(ours)
	maps.Copy(both, theirs)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		r := Result{View: preview.View{Name: strings.TrimPrefix(path, "/public/plugins/")}, Problems: []string{}, Notes: []string{}}
		a, isOurs := ours[path]
		b, isTheirs := theirs[path]
		if !isOurs || !isTheirs {
			r.Problems = append(r.Problems, "was not loaded with both builds")
		}
		for _, part := range []struct {
			verb         string
			ours, theirs []string
		}{{"asks for", a.Asked, b.Asked}, {"exports", a.Exports, b.Exports}} {
			if only := without(part.ours, part.theirs); len(only) > 0 {
				r.Problems = append(r.Problems, fmt.Sprintf("only ours %s %s", part.verb, strings.Join(only, ", ")))
			}
			if only := without(part.theirs, part.ours); len(only) > 0 {
				r.Problems = append(r.Problems, fmt.Sprintf("only theirs %s %s", part.verb, strings.Join(only, ", ")))
			}
		}
		if len(r.Problems) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// without returns the texts of a list that another one does not have.
func without(list, other []string) (rest []string) {
	for _, one := range list {
		if !slices.Contains(other, one) {
			rest = append(rest, one)
		}
	}
	return rest
}

// Sameness is what to say of two builds without a difference. ok is false if no view could be compared.
func Sameness(results []Result) (said string, ok bool) {
	views, compared, with := 0, 0, ""
	for _, r := range results {
		if r.Path != "" && (with == "" || r.With == with) {
			with = r.With
			if views++; !r.IsUnsteady {
				compared++
			}
		}
	}
	said = fmt.Sprintf("the same: %s, %d of %s", text.Plural(len(modules(results, with)), "module"), compared, text.Plural(views, "view"))
	if compared < views {
		said += fmt.Sprintf("; %d drawn differently each time", views-compared)
	}
	return said, compared > 0
}
