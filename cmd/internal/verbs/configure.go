package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/build/provenance"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/baseline"
)

// configure finds and applies slipway.yaml.
func (t *target) configure(o validateOptions) error {
	file := t.absolute(o.Config)
	if o.Config == "" {
		found, err := config.Find(cmp.Or(o.in, t.directory()), t.cwd)
		if err != nil {
			return fmt.Errorf("configuration: %w", err)
		}
		if found == "" {
			return nil
		}
		file = found
	}
	c, err := config.Read(file, t.shown(file), ruleIDs(t.options.Rules))
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	t.options.Configure(c)
	home := filepath.Dir(file)
	t.options.Names = func(name string) string { return relative(home, filepath.Join(t.dir, filepath.FromSlash(name))) }
	t.options.IsPart = t.isPartOf(home)
	t.config, t.home = c, home
	return nil
}

// ruleIDs returns the names that slipway.yaml may mention.
func ruleIDs(list []validate.Rule) []string {
	ids := []string{validate.UnusedSuppression, provenance.RuleID}
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

// selectRules leaves the rules that the options select, even if they are turned off.
func (t *target) selectRules(o validateOptions) error {
	if o.Only == nil {
		return nil
	}
	var known []string
	for _, r := range t.options.Rules {
		known = append(known, r.ID)
	}
	for _, id := range o.Only {
		if !slices.Contains(known, id) {
			return fmt.Errorf("%s: %w", o.Face.Option("only"), nearest.Unknown("rule", id, known))
		}
		if t.options.Severities[id] == validate.Off {
			delete(t.options.Severities, id)
		}
	}
	t.options.Rules = slices.DeleteFunc(t.options.Rules, func(r validate.Rule) bool { return !slices.Contains(o.Only, r.ID) })
	for i, r := range t.options.Rules {
		t.options.Rules[i] = r.TurnedOn()
	}
	if t.config != nil { // suppressions of other rules are unused
		t.options.Severities[validate.UnusedSuppression] = validate.Off
	}
	return nil
}

// addSource adds the text of slipway.yaml to the report, which quotes its lines.
func (t *target) addSource(r *validate.Report) {
	if t.config == nil {
		return
	}
	for _, f := range r.Findings {
		if f.Rule == validate.UnusedSuppression {
			r.Sources[f.File] = t.config.Data
		}
	}
}

// baseline removes the findings in the baseline from the report, or writes a new one.
func (s *several) baseline(r *validate.Report, o validateOptions) error {
	name := o.Baseline + o.WriteBaseline // at most one is set
	if name == "" || len(s.targets) == 0 {
		return nil
	}
	t := s.targets[0] // for paths relative to the current directory
	home := filepath.Dir(t.absolute(name))
	scope := baseline.Scope{
		Names:  func(file string) string { return relative(home, t.absolute(filepath.FromSlash(file))) },
		IsPart: !slices.ContainsFunc(s.targets, func(t *target) bool { return !t.isPartOf(home) }),
	}
	var b *baseline.Baseline
	if o.WriteBaseline != "" {
		b = baseline.New(r, scope.Names)
		if err := writeTo(nil, name, func(w io.Writer, _ bool) error { return b.Write(w) }); err != nil {
			return &ExitError{Code: ExitBroken, Err: fmt.Errorf("write baseline: %w", err)}
		}
	} else {
		write := fmt.Sprintf("%s=%s", o.Face.Option("write-baseline"), name)
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return Usage("baseline %s not found; create it with %s", name, write)
		}
		var err error
		if b, err = baseline.Read(name); err != nil {
			return Usage("%w; write a new one with %s", err, write)
		}
	}
	b.Apply(r, filepath.ToSlash(name), scope)
	r.Gone = slices.DeleteFunc(r.Gone, func(f validate.Finding) bool { return o.Only != nil && !slices.Contains(o.Only, f.Rule) })
	for i := range r.Gone {
		file := &r.Gone[i].File
		if *file = filepath.ToSlash(filepath.Join(home, filepath.FromSlash(*file))); !filepath.IsAbs(t.options.Prefix) {
			*file = t.shown(*file)
		}
	}
	return nil
}

func (t *target) directory() string {
	switch {
	case t.dir == "":
		return t.cwd
	case t.isZip:
		return filepath.Dir(t.dir)
	}
	at := filepath.Join(t.dir, filepath.FromSlash(t.options.Path))
	if info, err := os.Stat(at); err == nil && !info.IsDir() {
		at = filepath.Dir(at)
	}
	return at
}

// isPartOf reports whether less than the directory home is validated.
func (t *target) isPartOf(home string) bool {
	at := filepath.Join(t.dir, filepath.FromSlash(t.options.Path))
	rel, err := filepath.Rel(at, home)
	return t.isZip || t.dir == "" || err != nil || !filepath.IsLocal(rel)
}

func (t *target) absolute(file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(t.cwd, file)
}

// shown returns the path of a file relative to the current directory.
func (t *target) shown(file string) string { return relative(t.cwd, file) }

// relative returns the slash-separated path from a directory to a file.
func relative(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil { // on Windows, the file is on another drive
		rel = file
	}
	return filepath.ToSlash(rel)
}
