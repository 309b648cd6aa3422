package rules

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/schema"
)

// mutant is the complete plugin with one fault.
type mutant struct {
	name   string
	form   validate.Where // 0 is Dist
	file   string         // that the finding is in; "" is plugin.json
	mutate func(*plugin)
	rule   string
	at     string // what the finding points at: the key, value, opening or parent of pointer, text, or "" for the whole file
	what   string // the pointer or the text
	also   string // rules that rightly speak as well
}

// TestMutants makes one fault at a time. Each is reported once, by its rule and at
// its place, and nothing else is.
func TestMutants(t *testing.T) {
	t.Parallel()
	all := append(schemaMutants(t), ruleMutants()...)
	if len(all) < 200 {
		t.Errorf("only %d mutants", len(all))
	}
	t.Logf("%d mutants", len(all))
	rules := All()
	seen := map[string]bool{}
	for _, m := range all {
		seen[m.rule] = true
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			p := completePlugin(t, m.form)
			m.mutate(p)
			checkMutant(t, m, p, p.run(t, rules))
		})
	}
	for _, r := range rules {
		if !seen[r.ID] && !strings.HasPrefix(r.ID, "zip-") {
			t.Errorf("no mutant shows %s", r.ID)
		}
	}
}

func checkMutant(t *testing.T, m mutant, p *plugin, report *validate.Report) {
	t.Helper()
	want := p.place(t, m)
	found := 0
	for _, f := range report.Findings {
		got := fmt.Sprintf("%s:%d:%d", strings.TrimPrefix(f.File, p.dir+"/"), f.Line, f.Column)
		switch {
		case f.Rule == m.rule && got == want:
			found++
		case !slices.Contains(strings.Fields(m.also), f.Rule):
			t.Errorf("%s %s: %s", got, f.Rule, f.Message)
		}
	}
	if found != 1 {
		t.Errorf("%d findings of %s at %s", found, m.rule, want)
	}
	for _, s := range report.Skips {
		if s.IsBroken && !strings.HasPrefix(m.rule, "json-") {
			t.Errorf("%s: %s", s.Rule, s.Reason)
		}
	}
}

// TestCompletePlugin has no finding in any form.
func TestCompletePlugin(t *testing.T) {
	t.Parallel()
	for _, form := range []validate.Where{validate.Source, validate.Dist, validate.Zip} {
		p := completePlugin(t, form)
		if form == validate.Zip {
			p.addManifest()
		}
		report := p.run(t, All())
		if got := lines(report); got != "" || len(report.Skips) > 0 {
			t.Errorf("%s: %s%v", form, got, report.Skips)
		}
	}
}

// TestSignedManifest reads the manifest out of a signed message.
func TestSignedManifest(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Dist)
	p.addManifest()
	p.write("MANIFEST.txt", "\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n"+string(p.files["MANIFEST.txt"].Data)+
		"\n-----BEGIN PGP SIGNATURE-----\nVersion: OpenPGP.js\n\nwqIE{AQ}\n-----END PGP SIGNATURE-----\n")
	if got := lines(p.run(t, All())); got != "" {
		t.Error(got)
	}
}

// TestManyFaultsInOneRun puts several faults into one file: each is found.
func TestManyFaultsInOneRun(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Dist)
	want := map[string]int{}
	for _, m := range ruleMutants() {
		switch m.name {
		case "id in capitals", "version of another form", "date of another form", "range that cannot be read", "state of another kind",
			"action of another plugin", "logo that is not there", "no keywords", "blank description", "include of no file":
			m.mutate(p)
			want[m.rule]++
		}
	}
	got := map[string]int{}
	for _, f := range p.run(t, All()).Findings {
		got[f.Rule]++
	}
	if !maps.Equal(got, want) || len(want) < 9 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// plugin is a tree that a test mutates.
type plugin struct {
	dir   string
	form  validate.Where
	files fstest.MapFS // by the path from dir
}

func (p *plugin) run(t *testing.T, rules []validate.Rule) *validate.Report {
	t.Helper()
	tree := fstest.MapFS{}
	for name, f := range p.files {
		tree[path.Join(p.dir, name)] = f
	}
	report, err := validate.Run(t.Context(), tree, validate.Options{Rules: rules, Where: p.form, Profile: "service"})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// place computes where the finding of a mutant must be.
func (p *plugin) place(t *testing.T, m mutant) string {
	t.Helper()
	file := m.file
	if file == "" {
		file = bundle.MetadataFile
	}
	if m.at == "" {
		return file + ":0:0"
	}
	data := p.files[file].Data
	if m.at == "text" {
		i := strings.Index(string(data), m.what)
		if i < 0 {
			t.Fatalf("%s does not hold %q", file, m.what)
		}
		at := bundle.PositionIn(data, i)
		return fmt.Sprintf("%s:%d:%d", file, at.Line, at.Column)
	}
	doc, _ := bundle.ParseDocument(file, []byte(strings.TrimPrefix(string(data), inspect.BOM)))
	at := doc.Value(m.what)
	switch m.at {
	case "key":
		at = doc.Key(m.what)
	case "parent":
		in, _ := schema.Parent(m.what)
		at = doc.Key(in)
	}
	return fmt.Sprintf("%s:%d:%d", file, at.Start.Line, at.Start.Column)
}

// edit changes a JSON file at a pointer, with the edits that fixes use.
func (p *plugin) edit(file string, change func(*validate.Pass) validate.Edit) {
	data := p.files[file].Data
	doc, _ := bundle.ParseDocument(file, data)
	e := change(&validate.Pass{File: file, Data: data, Doc: doc})
	p.write(file, string(data[:e.From])+e.Text+string(data[e.To:]))
}

func (p *plugin) write(file, data string) {
	mode := fstest.MapFile{Mode: 0o644}
	if old := p.files[file]; old != nil {
		mode = *old
	}
	mode.Data = []byte(data)
	p.files[file] = &mode
}

// raw stands for a JSON text in set.
type raw string

func (r raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func setIn(file, pointer string, value any) func(*plugin) {
	return func(p *plugin) {
		p.edit(file, func(pass *validate.Pass) validate.Edit {
			if !pass.Doc.Has(pointer) {
				in, key := schema.Parent(pointer)
				return pass.Insert(in, key, value)
			}
			return pass.Replace(pointer, value)
		})
	}
}

func set(pointer string, value any) func(*plugin) { return setIn(bundle.MetadataFile, pointer, value) }

func removeIn(file, pointer string) func(*plugin) {
	return func(p *plugin) {
		p.edit(file, func(pass *validate.Pass) validate.Edit { return pass.Remove(pointer) })
	}
}

func renameIn(file, pointer, to string) func(*plugin) {
	return func(p *plugin) {
		p.edit(file, func(pass *validate.Pass) validate.Edit { return pass.Rename(pointer, to) })
	}
}

func replaceText(file, old, with string) func(*plugin) {
	return func(p *plugin) { p.write(file, strings.Replace(string(p.files[file].Data), old, with, 1)) }
}

func addFile(name, data string) func(*plugin) {
	return func(p *plugin) { p.write(name, data) }
}

func dropFile(names ...string) func(*plugin) {
	return func(p *plugin) {
		for _, name := range names {
			delete(p.files, name)
		}
	}
}

func both(changes ...func(*plugin)) func(*plugin) {
	return func(p *plugin) {
		for _, change := range changes {
			change(p)
		}
	}
}
