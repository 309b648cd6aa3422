package compat

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/rules"
	"github.com/slipway-dev/slipway/validate/shared"
)

// aspects lists the aspects of rules about the versions of existing hosts, in the order of the matrix.
func aspects() []string {
	return []string{"plugin.json", "imports", "backend", "routes", "modules", "react"}
}

// isBuilt reports whether the rules of an aspect check what a build writes.
func isBuilt(aspect string) bool { return aspect == "modules" || aspect == "react" }

// Verdict reports whether an aspect of a plugin works in a version of existing hosts.
type Verdict string

// The verdicts.
const (
	Yes     Verdict = "yes"
	Partly  Verdict = "partly" // there are warnings
	No      Verdict = "no"     // there are errors
	Unknown Verdict = "?"      // not checked, or not completely; see Report.Skips
)

// Report is a matrix of aspects and versions.
type Report struct {
	Versions []string  `json:"versions"` // minor versions, such as 12.4
	Rows     []Row     `json:"rows"`
	Findings []Finding `json:"findings"`

	// Skips say what was not checked, and why.
	Skips []string `json:"skips"`

	// Suggested is the widest range without errors and without gaps that includes the newest version
	// without errors. If every version has errors, it is "".
	Suggested string `json:"suggested"`
}

// Row is an aspect of a plugin.
type Row struct {
	Aspect   string    `json:"aspect"`
	Verdicts []Verdict `json:"verdicts"` // in the order of the versions
}

// Finding is what a rule says about some of the versions.
type Finding struct {
	Aspect   string            `json:"aspect"`
	Versions []string          `json:"versions"`
	Rule     string            `json:"rule"`
	Severity validate.Severity `json:"severity"` // error or warning
	File     string            `json:"file"`
	Line     int               `json:"line,omitempty"`
	Column   int               `json:"column,omitempty"`
	Message  string            `json:"message"`
}

// Check runs the rules about versions on a tree and with options from validate.Open, as if plugin.json
// allowed every version of existing hosts, and reports on some. If versions is empty, these are the oldest
// and the newest that the plugin declares, and between them the last of each major version.
func Check(ctx context.Context, files fs.FS, o validate.Options, versions shared.Set) (*Report, error) {
	var d declared
	o = d.options(files, o)
	found, err := validate.Run(ctx, files, o)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(found.Skips, func(s validate.Skip) bool { return s.IsBroken }); i >= 0 {
		return nil, fmt.Errorf("%s: %s", found.Skips[i].File, found.Skips[i].Reason)
	}
	if found.Plugins == 0 {
		return nil, fmt.Errorf("no %s found: choose a plugin repository, a built plugin or a zip", bundle.MetadataFile)
	}
	if d.plugins < found.Plugins {
		return nil, fmt.Errorf("a %s is not a JSON object that can be read; validate says where", bundle.MetadataFile)
	}
	versions = cmp.Or(versions, ends(d.hosts))
	r := &Report{Versions: names(versions), Findings: []Finding{}, Skips: []string{}}
	for _, s := range found.Skips {
		r.Skips = append(r.Skips, fmt.Sprintf("%s: %s", s.Rule, s.Reason))
	}
	if d.isUnbuilt {
		r.Skips = append(r.Skips, "the bundle of the frontend: the plugin is not built")
	}
	of := map[string]string{} // the aspect of each rule
	for _, rule := range o.Rules {
		of[rule.ID] = rule.Aspect
	}
	good := everyVersion()
	for _, a := range aspects() {
		var warned, failed shared.Set
		for _, f := range found.Findings {
			if of[f.Rule] != a || f.Severity == validate.Info {
				continue
			}
			hosts := f.Hosts
			hosts = cmp.Or(hosts, everyVersion())
			warned |= hosts
			if f.Severity == validate.Error {
				failed |= hosts
			}
			if hosts &= versions; hosts != 0 {
				claim := cmp.Or(f.Claim, f.Message) // the plugin allows every version, here
				r.Findings = append(r.Findings, Finding{a, names(hosts), f.Rule, f.Severity, f.File, f.Line, f.Column, claim})
			}
		}
		good &^= failed
		isSkipped := slices.ContainsFunc(found.Skips, func(s validate.Skip) bool { return of[s.Rule] == a })
		r.Rows = append(r.Rows, row(a, versions, failed, warned, isSkipped || isBuilt(a) && d.isUnbuilt))
	}
	r.Suggested = widest(good)
	return r, nil
}

// row returns the row of an aspect, whose rules have found errors in some versions and errors or warnings
// in some.
func row(aspect string, versions, failed, warned shared.Set, isUnknown bool) Row {
	row := Row{Aspect: aspect}
	for i := range shared.Minors() {
		v := Yes
		switch {
		case !versions.Has(i):
			continue
		case failed.Has(i):
			v = No
		case warned.Has(i):
			v = Partly
		case isUnknown:
			v = Unknown
		}
		row.Verdicts = append(row.Verdicts, v)
	}
	return row
}

type declared struct {
	sync.Mutex
	plugins   int        // whose plugin.json is an object
	hosts     shared.Set // the versions that they allow
	isBuilt   bool       // one of them is built
	isUnbuilt bool       // none of them is built, and one has a frontend
}

// options returns the options for running the rules about versions. Where there are both the source of a
// plugin and what was built from it, each rule runs on one of them.
func (d *declared) options(files fs.FS, o validate.Options) validate.Options {
	_, err := fs.Stat(files, path.Join(o.Path, "src", bundle.MetadataFile))
	isRepository := err == nil
	if _, err := fs.Stat(files, path.Join(o.Path, "module.js")); err == nil {
		o.Where = validate.Dist // which the name of its directory need not say
	}
	o.Range = widened
	o.Rules = []validate.Rule{{ID: "declared", Severity: validate.Info, Check: d.read}}
	for _, r := range rules.All() {
		if r.Aspect == "" {
			continue
		}
		rule := r.TurnedOn()
		if isRepository && !isBuilt(r.Aspect) {
			rule.Where = validate.Source
		}
		o.Rules = append(o.Rules, rule)
	}
	return o
}

func (d *declared) read(p *validate.Pass) {
	d.Lock()
	defer d.Unlock()
	if p.Doc.Kind("") == "object" {
		d.plugins++
	}
	text := inspect.HostRanges.Of(p).Text
	if r, err := ranges.Parse(text); text != "" && err == nil {
		d.hosts |= shared.Admitted(r)
	}
	d.isBuilt = d.isBuilt || p.Where != validate.Source
	kind, _ := p.Doc.Text("/type")
	hasFrontend := slices.Contains([]bundle.Type{bundle.TypeApp, bundle.TypePanel, bundle.TypeDatasource}, bundle.Type(kind))
	d.isUnbuilt = !d.isBuilt && (d.isUnbuilt || hasFrontend)
}
