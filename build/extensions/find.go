package extensions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja/file"

	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/build/watchdog"
)

// finder combines what is known of a script.
type finder struct {
	script  *script
	entry   string // relative to the root
	sources *sources
	runs    []*evaluation             // with conditions true, then false
	missed  []int                     // the sites that no run reached
	late    map[int][2][]registration // of missed, by run
	result  *Result
	// evaluated is what the runs found, without late.
	evaluated *Result
}

// evaluate runs the script twice, as most conditions that depend on the host are toggles, and
// then evaluates the arguments of the registrations that neither run reached.
func (f *finder) evaluate(ctx context.Context) error {
	start := time.Now()
	for _, verdict := range []bool{true, false} {
		run, err := f.script.evaluate(ctx, verdict, maxTime-time.Since(start))
		if err != nil {
			return err
		}
		f.runs = append(f.runs, run)
		if run.isOver {
			break // the other run would be, too
		}
	}
	for i, s := range f.script.sites {
		if !s.isOther && !slices.ContainsFunc(f.runs, func(e *evaluation) bool { return e.reached[i] }) {
			f.missed = append(f.missed, i)
		}
	}
	for i, run := range f.runs {
		if len(f.missed) > 0 && !run.isDead {
			f.describe(ctx, i)
		}
	}
	return ctx.Err()
}

// describe evaluates the arguments of the missed registrations with what a run left.
func (f *finder) describe(ctx context.Context, run int) {
	e := f.runs[run]
	late := map[int]*registration{}
	_, _ = watchdog.Run(ctx, e.vm, watchdog.Limits{Time: maxLateTime, Heap: maxHeap}, func() error { // what it does not get to is not known
		for _, site := range f.missed {
			r := e.describe(site)
			e.mu.Lock()
			late[site] = r
			e.mu.Unlock()
		}
		return nil
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	for site, r := range late {
		if r != nil {
			g := f.late[site]
			g[run] = r.split()
			f.late[site] = g
		}
	}
}

// registers reports whether a file is the entry or contains a registration.
func (f *finder) registers(at file.Position) bool {
	return name(at) == f.entry || slices.ContainsFunc(f.script.sites, func(s site) bool { return s.position.Filename == at.Filename })
}

// group holds the registrations of one call, by run.
type group struct {
	order    int // a site
	position file.Position
	isLate   bool // it was not reached
	runs     [2][]registration
}

// combine returns what the runs agree on.
func (f *finder) combine() *Result {
	groups := f.groups()
	f.result = &Result{}
	for _, g := range groups {
		f.addAll(g)
	}
	f.evaluated, f.result = f.result, &Result{}
	for _, i := range f.missed {
		groups = append(groups, group{order: i, position: f.script.sites[i].position, isLate: true, runs: f.late[i]})
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.order, b.order) })
	for _, g := range groups {
		f.addAll(g)
	}
	for i, run := range f.runs {
		for _, p := range run.problems {
			if !p.isEnd && (i > 0 || !f.registers(p.position) && !f.registers(p.statement)) {
				continue // an effect of stand-ins; unknown values show it where they matter
			}
			text, help := "evaluation failed ("+p.text+"); registrations in this statement may be missing", "move the registrations to another statement"
			if p.isEnd {
				text, help = "evaluation ended here because "+p.text+"; registrations after this point may be missing", "move the registrations before this point"
			}
			f.sources.warn(f.result, p.position, text, help)
		}
	}
	slices.SortStableFunc(f.result.Warnings, func(a, b frontend.Message) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	return f.result
}

func (f *finder) addAll(g group) {
	list, isCertain := merged(g.runs)
	for _, r := range list {
		f.add(r, g.position, g.isLate)
	}
	switch {
	case !isCertain:
		f.sources.warn(f.result, g.position, "cannot determine what is registered here",
			"it depends on a condition that only the host knows; register each alternative with constants")
	case len(list) == 0:
		f.sources.warn(f.result, g.position, "cannot determine the target of "+f.script.sites[g.order].name,
			"the call was not reached, and its argument is known only when the plugin runs; write it as a constant")
	}
}

// groups returns the registrations of all runs by call.
func (f *finder) groups() []group {
	var list []group
	for i, run := range f.runs {
		order := 0
		for _, r := range run.recorded {
			if r.site >= 0 {
				order = r.site
			}
			at := slices.IndexFunc(list, func(g group) bool { return g.position == r.position })
			if at < 0 {
				at = len(list)
				list = append(list, group{order: order, position: r.position})
			}
			list[at].runs[i] = append(list[at].runs[i], r.split()...)
		}
	}
	return list
}

// merged returns what a call registers if each run is right about some hosts. isCertain
// is false if each run has something that the other does not, because then a value depends on the
// host, not only whether there is a registration.
func merged(runs [2][]registration) (list []registration, isCertain bool) {
	short, long := runs[0], runs[1]
	if len(short) > len(long) {
		short, long = long, short
	}
	var common []registration
	rest := slices.Clone(long)
	for _, r := range short {
		if i := slices.IndexFunc(rest, r.equal); i >= 0 {
			common = append(common, r)
			rest = slices.Delete(rest, i, i+1)
		}
	}
	if len(common) < len(short) {
		return common, false
	}
	return long, true
}

// split returns one registration for each target.
func (r registration) split() []registration {
	if len(r.Targets) == 0 {
		return []registration{r}
	}
	list := make([]registration, len(r.Targets))
	for i, target := range r.Targets {
		list[i] = r
		list[i].Targets = []value{target}
	}
	return list
}

func (r registration) equal(o registration) bool {
	return r.Method == o.Method && r.Title == o.Title && r.Description == o.Description && slices.Equal(r.Targets, o.Targets)
}

// add adds a registration with at most one target. One that was not evaluated may be the
// fallback for another, which is in the result already.
func (f *finder) add(r registration, at file.Position, isLate bool) {
	m := methods()[slices.IndexFunc(methods(), func(m method) bool { return m.name == r.Method })]
	noun, form := "target", "a string or an array of strings"
	if m.typ == "" {
		noun, form = "id", "a string"
	}
	var target value
	if len(r.Targets) > 0 {
		target = r.Targets[0]
	}
	switch {
	case target.isUnknown():
		f.unknown(at, noun, r.Method, target)
		return
	case target.Text == "":
		f.sources.warn(f.result, at, r.Method+" has no "+noun, "set "+m.target+" to "+form)
		return
	}
	if r.Description.isUnknown() {
		f.unknown(at, "description", r.Method, r.Description)
	}
	if r.Title.isUnknown() {
		f.unknown(at, "title", r.Method, r.Title)
		return
	}
	place := f.sources.place(at)
	if m.typ == "" {
		e := Exposed{target.Text, r.Title.Text, r.Description.Text, place}
		if !isLate || !slices.ContainsFunc(slices.Concat(f.evaluated.Exposed, f.result.Exposed), e.isSame) {
			f.result.Exposed = append(f.result.Exposed, e)
		}
		return
	}
	e := Extension{target.Text, m.typ, r.Title.Text, r.Description.Text, place}
	if !isLate || !slices.ContainsFunc(slices.Concat(f.evaluated.Extensions, f.result.Extensions), e.isSame) {
		f.result.Extensions = append(f.result.Extensions, e)
	}
}

func (v value) isUnknown() bool { return v.IsGiven && !v.IsKnown }

func (e Extension) isSame(o Extension) bool { e.Place = o.Place; return e == o }

func (e Exposed) isSame(o Exposed) bool { e.Place = o.Place; return e == o }

func (f *finder) unknown(at file.Position, noun, method string, v value) {
	help := "write it as a constant string"
	if v.Origin != "" {
		help = "it comes from " + v.Origin + ", which is known only when the plugin runs; write it as a constant"
	}
	f.sources.warn(f.result, at, "cannot determine the "+noun+" of "+method, help)
}
