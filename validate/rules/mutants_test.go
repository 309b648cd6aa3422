package rules

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/schema"
)

// mutant is a change to the complete plugin that causes one finding.
type mutant struct {
	name   string
	form   validate.Where // 0 is Dist
	file   string         // of the finding; "" is plugin.json
	mutate func(*plugin)
	rule   string
	at     string // the position of the finding: "value", "key" or "parent" of a pointer, "text", or "" for the whole file
	what   string // the pointer or text
	also   string // other rules that report it as well
}

// TestMutants breaks one thing at a time. Each change must be reported once, by its
// rule and at its position, and nothing else may be reported.
func TestMutants(t *testing.T) {
	t.Parallel()
	all := slices.Concat(schemaMutants(t), ruleMutants(), codeMutants())
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
		isOfGrafana := r.ID == "value-format" || r.ID == "manifest-missing" // the profile service has neither patterns nor signatures
		isOfCatalog := r.Severity == validate.Off || r.Severity == validate.Info && r.Catalog != ""
		if !seen[r.ID] && !strings.HasPrefix(r.ID, "zip-") && !isOfGrafana && !isOfCatalog {
			t.Errorf("no mutant for %s", r.ID)
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

// TestCompletePlugin requires that the complete plugin has no findings in any form.
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

// plugin is a tree that a test mutates.
type plugin struct {
	dir   string
	form  validate.Where
	files fstest.MapFS // by the path from dir

	tb      testing.TB
	signed  map[string]any // what addManifest signs besides the files
	signers string         // the key that it signed with
}

// in returns a tree with the plugin in a directory.
func (p *plugin) in(dir string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, f := range p.files {
		tree[path.Join(dir, name)] = f
	}
	return tree
}

func (p *plugin) run(t *testing.T, rules []validate.Rule) *validate.Report {
	t.Helper()
	return runWith(t, p.in(p.dir), validate.Options{Rules: rules, Where: p.form, Profile: "service", Signers: p.signers})
}

// place returns the expected position of a mutant's finding. It does not use the code
// under test: offsets come from encoding/json, and lines and columns are counted here.
func (p *plugin) place(t *testing.T, m mutant) string {
	t.Helper()
	file := m.file
	if file == "" {
		file = bundle.MetadataFile
	}
	if m.at == "" {
		return file + ":0:0"
	}
	data := strings.TrimPrefix(string(p.files[file].Data), inspect.BOM)
	offset := 0
	switch in, _ := path.Split(m.what); m.at {
	case "text":
		if offset = strings.Index(data, m.what); offset < 0 {
			t.Fatalf("%s does not contain %q", file, m.what)
		}
	case "value":
		_, offset = locate(t, data, m.what)
	case "key":
		offset, _ = locate(t, data, m.what)
	case "parent":
		offset, _ = locate(t, data, strings.TrimSuffix(in, "/"))
	}
	before := data[:offset]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("%s:%d:%d", file, strings.Count(before, "\n")+1, utf8.RuneCountInString(line)+1)
}

// locate returns the offsets of the key and the value at a pointer. An item of an array
// has no key; its value counts.
func locate(t *testing.T, data, pointer string) (key, value int) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(data))
	token := func() json.Token {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%s: %v", pointer, err)
		}
		return token
	}
	next := func() int { // offset of the next token
		rest := data[d.InputOffset():]
		return len(data) - len(strings.TrimLeft(rest, " \t\r\n:,"))
	}
	for _, name := range strings.Split(pointer, "/")[1:] {
		isArray := token() == json.Delim('[')
		for i := 0; ; i++ {
			if !d.More() {
				t.Fatalf("%s: not found", pointer)
			}
			key = next()
			found := strconv.Itoa(i)
			if !isArray {
				found, _ = token().(string)
			}
			value = next()
			if found == name {
				break
			}
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				t.Fatalf("%s: %v", pointer, err)
			}
		}
	}
	return key, value
}

// edit changes a JSON file with the edits that fixes use.
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

// raw is JSON text for set.
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
