package rules

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

// TestPlaces plants the same fault in source, in dist and in a zip: each rule says the same in every place where
// doc/rules.md says that it runs. The faults are the mutants and the examples.
func TestPlaces(t *testing.T) {
	t.Parallel()
	rules := map[string]validate.Rule{}
	for _, r := range All() {
		rules[r.ID] = r
	}
	for _, m := range slices.Concat(ruleMutants(), codeMutants()) {
		if m.file == "code.ts" || isOfPlace(m.name) {
			continue // TestCompiledCode
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			saysTheSame(t, rules[m.rule], func(place validate.Where) *validate.Report {
				p := completePlugin(t, place)
				m.mutate(p)
				return p.run(t, []validate.Rule{rules[m.rule].TurnedOn()})
			})
		})
	}
	for id, r := range rules {
		if r.OfArchive || isOfPlace(id) {
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			e := readExample(t, r)
			saysTheSame(t, r, func(place validate.Where) *validate.Report {
				files, repository := e.in(place)
				return runWith(t, files, validate.Options{
					Rules: []validate.Rule{r.TurnedOn()}, Where: place, Source: repository, IsCatalog: e.isCatalog})
			})
		})
	}
}

// isOfPlace reports whether only one place has the fault that an example or a mutant plants.
func isOfPlace(fault string) bool {
	return slices.Contains([]string{
		"meta-missing", "go-manifest", "sourcemap-stale", // of a source with its dist
		"import-outside-range", "route-outside-range", "module-not-shared", "module that old hosts lack", // of code: TestCompiledCode
		"version of package.json", "another id than the scaffold", // in files that are not next to a dist; the examples cover them
		"logo behind a link that leaves the plugin", // but not the repository
		"signature for one machine",                 // which only a zip distributes
	}, fault)
}

// in returns the bad plugin of the example in a place, and the repository that a built one is compared with.
func (e sample) in(place validate.Where) (files, repository fstest.MapFS) {
	from := ""
	for _, name := range slices.Sorted(maps.Keys(e.bad)) {
		switch dir := path.Dir(name); {
		case path.Base(name) != bundle.MetadataFile || from != "" && path.Base(dir) == bundle.DistDir:
		case from == "" || tree.IsInside(dir, from):
			from = dir
		case !tree.IsInside(from, dir): // several plugins
			from = "."
		}
	}
	to := map[validate.Where]string{validate.Source: "src", validate.Dist: "dist", validate.Zip: "acme-x-panel"}[place]
	files, repository = fstest.MapFS{}, fstest.MapFS{}
	for name, f := range e.bad {
		switch {
		case from != bundle.DistDir && slices.Contains(strings.Split(name, "/"), bundle.DistDir): // another place
		case tree.IsInside(from, name):
			files[path.Join(to, tree.Below(from, name))] = f
			repository[path.Join("src", tree.Below(from, name))] = f
		case place == validate.Source:
			files[name] = f
		default:
			repository[name] = f
		}
	}
	return files, repository
}

// saysTheSame compares what a rule says in the places where it runs.
func saysTheSame(t *testing.T, r validate.Rule, in func(validate.Where) *validate.Report) {
	t.Helper()
	said := map[validate.Where][]string{}
	var first validate.Where
	for _, place := range []validate.Where{validate.Source, validate.Dist, validate.Zip} {
		if r.Elsewhere(place) != "" {
			continue
		}
		for _, f := range in(place).Findings {
			said[place] = append(said[place], f.Message)
		}
		slices.Sort(said[place])
		if first == 0 {
			first = place
		}
		if len(said[first]) == 0 {
			t.Errorf("%s says nothing in %s", r.ID, place)
		}
		if diff := cmp.Diff(said[first], said[place]); diff != "" {
			t.Errorf("%s in %s and %s (-%[2]s +%[3]s):\n%[4]s", r.ID, first, place, diff)
		}
	}
}
