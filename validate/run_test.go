package validate_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// show is a rule that reports what the engine knows about each plugin.
func show() validate.Rule {
	return validate.Rule{ID: "show", Severity: validate.Warning, IsRaw: true, Help: "nothing", Check: func(p *validate.Pass) {
		p.Reportf(p.Whole(), "%s in %s of %s, profile %s, missing %t", p.Where, p.Dir, p.Root, p.Profile.Name, p.IsMissing)
	}}
}

func tree(files ...string) fstest.MapFS {
	t := fstest.MapFS{}
	for _, f := range files {
		name, data, ok := strings.Cut(f, "=")
		if !ok {
			data = "{}"
		}
		t[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return t
}

func findings(r *validate.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s: %s\n", f.File, f.Severity, f.Message)
	}
	for _, s := range r.Skips {
		fmt.Fprintf(&b, "%s skip %q: %s (broken %t)\n", s.File, s.Rule, s.Reason, s.IsBroken)
	}
	return b.String()
}

// mustRun runs rules that can start.
func mustRun(t *testing.T, tree fs.FS, o validate.Options) *validate.Report {
	t.Helper()
	return testkit.Must(validate.Run(t.Context(), tree, o))(t)
}

func checkExit(t *testing.T, r *validate.Report, want int) {
	t.Helper()
	if got := r.ExitCode(); got != want {
		t.Errorf("exit status %d, want %d", got, want)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	const (
		service = `={"dependencies":{"serviceDependency":"*"}}`
		grafana = `={"dependencies":{"grafanaVersion":"9.x.x"}}`
	)
	for _, c := range []struct {
		name  string
		tree  fstest.MapFS
		opts  validate.Options
		wants []string
	}{
		{"plugin at the root", tree("plugin.json", "README.md"), validate.Options{}, []string{
			"plugin.json warning: source in . of ., profile service, missing false"}},
		{"repository with src and dist", tree("src/plugin.json"+service, "dist/plugin.json"+grafana, "dist/inner/plugin.json", "node_modules/x/plugin.json", ".git/plugin.json", "pkg/testdata/x/plugin.json", "vendor/x/plugin.json"), validate.Options{}, []string{
			"dist/inner/plugin.json warning: dist in dist/inner of dist, profile grafana, missing false",
			"dist/plugin.json warning: dist in dist of dist, profile grafana, missing false",
			"src/plugin.json warning: source in src of src, profile service, missing false"}},
		{"dist without plugin.json", tree("plugin.json", "dist/x.js"), validate.Options{}, []string{
			"dist/plugin.json warning: dist in dist of dist, profile service, missing true",
			"plugin.json warning: source in . of ., profile service, missing false"}},
		{"tree called dist", tree("plugin.json"), validate.Options{RootName: "dist"}, []string{
			"plugin.json warning: dist in . of ., profile service, missing false"}},
		{"built by its manifest", tree("a/plugin.json", "a/MANIFEST.txt", "b/plugin.json", "b/gpx_b_windows_amd64.exe", "c/plugin.json", "c/x_linux_amd64.go"), validate.Options{}, []string{
			"a/plugin.json warning: dist in a of a, profile grafana, missing false",
			"b/plugin.json warning: dist in b of b, profile service, missing false",
			"c/plugin.json warning: source in c of c, profile service, missing false"}},
		{"built for a rare platform", tree("plugin.json", "gpx_x_linux_riscv64"), validate.Options{}, []string{
			"plugin.json warning: dist in . of ., profile service, missing false"}},
		{"form and profile in the options", tree("plugin.json" + grafana), validate.Options{Where: validate.Zip, Profile: "service"}, []string{
			"plugin.json warning: zip in . of ., profile service, missing false"}},
		{"source only", tree("plugin.json", "dist/x.js", "in/plugin.json", "in/dist/plugin.json"), validate.Options{Where: validate.Source}, []string{
			"in/plugin.json warning: source in in of ., profile service, missing false",
			"plugin.json warning: source in . of ., profile service, missing false"}},
		{"strict", tree("plugin.json"), validate.Options{IsStrict: true}, []string{
			"plugin.json error: source in . of ., profile service, missing false"}},
		{"one nested file", tree("x/dist/plugin.json", "x/dist/deep/er/plugin.json", "x/dist/deep/er/more/plugin.json"), validate.Options{Path: "x/dist/deep/er/plugin.json"}, []string{
			"x/dist/deep/er/plugin.json warning: dist in x/dist/deep/er of x/dist, profile service, missing false"}},
		{"one nested directory", tree("x/plugin.json", "x/MANIFEST.txt", "x/deep/plugin.json", "x/deep/more/plugin.json"), validate.Options{Path: "x/deep/"}, []string{
			"x/deep/more/plugin.json warning: dist in x/deep/more of x, profile service, missing false",
			"x/deep/plugin.json warning: dist in x/deep of x, profile service, missing false"}},
		{"a file by another name", tree("panel.json"), validate.Options{Path: "panel.json"}, []string{
			"panel.json warning: source in . of ., profile service, missing false"}},
		{"path of test data", tree("testdata/x/plugin.json"), validate.Options{Path: "testdata"}, []string{
			"testdata/x/plugin.json warning: source in testdata/x of testdata/x, profile service, missing false"}},
		{"nothing", tree("x/README.md"), validate.Options{Path: "x"}, []string{
			"x/plugin.json warning: source in x of x, profile service, missing true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.opts.Rules = []validate.Rule{show()}
			r := mustRun(t, c.tree, c.opts)
			if d := cmp.Diff(strings.Join(c.wants, "\n")+"\n", findings(r)); d != "" {
				t.Errorf("the report differs (-want +got):\n%s", d)
			}
		})
	}
}

// TestCopiesInDist checks repositories with a dist: what a build copied is reported once,
// at its source, and everything else where it is.
func TestCopiesInDist(t *testing.T) {
	t.Parallel()
	id := func(text string) string { return `={"id":"` + text + `"}` }
	links := validate.Rule{ID: "links", Severity: validate.Warning, Help: "fix it", Check: func(p *validate.Pass) {
		for _, name := range []string{path.Join(p.Dir, "README.md"), path.Join(path.Dir(p.Dir), "README.md")} {
			if text, err := fs.ReadFile(p.FS, name); err == nil {
				p.Reportf(validate.Place{File: name, Line: 1}, "link to %s", text)
				return
			}
		}
	}}
	ids := validate.Rule{ID: "ids", Severity: validate.Warning, Help: "fix it", Check: func(p *validate.Pass) {
		text, _ := p.Doc.Text("/id")
		p.Reportf(p.Value("/id"), "id %s", text)
	}}
	for _, c := range []struct {
		name         string
		tree         fstest.MapFS
		suppressions []validate.Suppression
		wants        []string
	}{
		{"texts beside src", tree("src/plugin.json", "README.md=x", "dist/plugin.json", "dist/README.md=x"), nil, []string{
			"README.md warning: link to x", "src/plugin.json warning: id "}},
		{"texts in src of a monorepo", tree("packages/a/src/plugin.json", "packages/a/src/README.md=x", "packages/a/dist/plugin.json", "packages/a/dist/README.md=x"), nil, []string{
			"packages/a/src/README.md warning: link to x", "packages/a/src/plugin.json warning: id "}},
		{"plugin.json at the root", tree("plugin.json", "README.md=x", "dist/plugin.json", "dist/README.md=x"), nil, []string{
			"README.md warning: link to x", "plugin.json warning: id "}},
		{"nested", tree("src/plugin.json", "src/in/plugin.json"+id("a"), "dist/plugin.json", "dist/in/plugin.json=\n"+strings.TrimPrefix(id("a"), "=")), nil, []string{
			"src/in/plugin.json warning: id a", "src/plugin.json warning: id "}},
		{"an older dist", tree("src/plugin.json"+id("new"), "README.md=x", "dist/plugin.json"+id("old"), "dist/README.md=y"), nil, []string{
			"README.md warning: link to x", "dist/README.md warning: link to y", "dist/plugin.json warning: id old", "src/plugin.json warning: id new"}},
		{"of another plugin", tree("a/src/plugin.json", "b/dist/plugin.json"), nil, []string{
			"a/src/plugin.json warning: id ", "b/dist/plugin.json warning: id "}},
		{"suppressed at the source", tree("src/plugin.json", "dist/plugin.json"), []validate.Suppression{{File: "src/**"}}, []string{}},
		{"suppressed in dist", tree("src/plugin.json", "dist/plugin.json"), []validate.Suppression{{File: "dist/**"}}, []string{
			"src/plugin.json warning: id "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := mustRun(t, c.tree, validate.Options{Rules: []validate.Rule{links, ids}, Suppressions: c.suppressions})
			if d := cmp.Diff(c.wants, strings.FieldsFunc(findings(r), func(r rune) bool { return r == '\n' })); d != "" {
				t.Errorf("the report differs (-want +got):\n%s", d)
			}
		})
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	all := []validate.Rule{show()}
	for _, c := range []struct {
		ctx  context.Context
		opts validate.Options
		want string
	}{
		{t.Context(), validate.Options{}, "no rules"},
		{t.Context(), validate.Options{Rules: all, Path: "nowhere"}, "nothing to validate"},
		{t.Context(), validate.Options{Rules: all, Path: "../x"}, "nothing to validate"},
		{t.Context(), validate.Options{Rules: all, Profile: "other"}, "unknown profile"},
		{canceled, validate.Options{Rules: all}, "cancel"},
	} {
		if _, err := validate.Run(c.ctx, tree("plugin.json"), c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	twice := tree(`a/plugin.json={"x": 1, "x": 2}`, "b/plugin.json={")
	r := mustRun(t, twice, validate.Options{Rules: rules.All(), Prefix: "../up"})
	files := map[string]bool{}
	for _, f := range r.Findings {
		files[f.File] = true
		for _, related := range f.Related {
			files[related.File] = true
		}
	}
	for _, s := range r.Skips {
		files[s.File] = true
	}
	if want := map[string]bool{"../up/a/plugin.json": true, "../up/b/plugin.json": true}; !maps.Equal(files, want) {
		t.Errorf("the report names the files %v, want %v", files, want)
	}
}

func TestDetectedProfiles(t *testing.T) {
	t.Parallel()
	both := tree(`a/plugin.json={"dependencies":{"grafanaVersion":"9.x.x"}}`, "b/plugin.json", "c/plugin.json", "d/plugin.json={")
	for asked, want := range map[string][]string{"": {"grafana", "service"}, "grafana": nil} {
		r := mustRun(t, both, validate.Options{Rules: []validate.Rule{show()}, Profile: asked})
		if d := cmp.Diff(want, r.Profiles); d != "" {
			t.Errorf("profile %q: the profiles differ (-want +got):\n%s", asked, d)
		}
	}
}

func TestEncoding(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"\xff\xfe{\x00": "file is encoded as UTF-16, little-endian; it must be UTF-8", "{\x00}\x00": "file is encoded as UTF-16, little-endian; it must be UTF-8",
		"\xfe\xff\x00{": "file is encoded as UTF-16, big-endian; it must be UTF-8", "\x00{\x00}": "file is encoded as UTF-16, big-endian; it must be UTF-8",
	} {
		r := mustRun(t, tree("plugin.json="+data), validate.Options{Rules: rules.All()})
		if len(r.Findings) != 1 {
			t.Fatalf("%q: got %d findings, want 1:\n%s", data, len(r.Findings), findings(r))
		}
		f := r.Findings[0]
		if f.Message != want {
			t.Errorf("%q: got the message %q, want %q", data, f.Message, want)
		}
		if f.Address() != "plugin.json" {
			t.Errorf("%q: the finding is at %s, want the whole file", data, f.Address())
		}
	}
}

func TestNoPlugin(t *testing.T) {
	t.Parallel()
	r := mustRun(t, tree("README.md"), validate.Options{Rules: rules.All()})
	if len(r.Findings) != 1 || r.Findings[0].Rule != "meta-missing" {
		t.Errorf("want one finding of meta-missing, got\n%s", findings(r))
	}
	checkExit(t, r, validate.ExitFindings)
	r = mustRun(t, tree("src/Plugin.json"), validate.Options{Rules: rules.All()})
	if got := findings(r); !strings.Contains(got, "src/Plugin.json error: the file must be called plugin.json") {
		t.Errorf("another case: got\n%s", got)
	}
	none := validate.Rule{ID: "none", Check: func(*validate.Pass) {}}
	r = mustRun(t, tree("README.md"), validate.Options{Rules: []validate.Rule{none}})
	checkExit(t, r, validate.ExitBroken)
}

func TestBrokenRuleIsASkip(t *testing.T) {
	t.Parallel()
	breaks := validate.Rule{ID: "breaks", Check: func(p *validate.Pass) { panic("no " + p.File) }}
	r := mustRun(t, tree("plugin.json"), validate.Options{Rules: []validate.Rule{breaks, show()}})
	want := "plugin.json warning: source in . of ., profile service, missing false\n" +
		"plugin.json skip \"breaks\": panic in the rule: no plugin.json (please report this) (broken true)\n"
	if d := cmp.Diff(want, findings(r)); d != "" {
		t.Errorf("the report differs (-want +got):\n%s", d)
	}
	checkExit(t, r, validate.ExitBroken)
}

// TestTooManyFindings requires that a rule ends when its findings reach the limit, and that
// the rules after it run.
func TestTooManyFindings(t *testing.T) {
	t.Parallel()
	reported := 0
	floods := validate.Rule{ID: "floods", Check: func(p *validate.Pass) {
		for ; reported < 100_000; reported++ {
			p.Reportf(p.Whole(), "again")
		}
	}}
	hasRun := false
	after := validate.Rule{ID: "after", Check: func(*validate.Pass) { hasRun = true }}
	r := mustRun(t, tree("plugin.json"), validate.Options{Rules: []validate.Rule{floods, after}})
	if reported == 100_000 || reported != len(r.Findings) || !hasRun {
		t.Errorf("%d reports, %d findings; the next rule has run: %t", reported, len(r.Findings), hasRun)
	}
	want := []validate.Skip{{File: "plugin.json", Reason: fmt.Sprintf("too many findings: only %d are listed; fix those and run again", reported), IsBroken: true}}
	if d := cmp.Diff(want, r.Skips); d != "" {
		t.Errorf("the skips differ (-want +got):\n%s", d)
	}
}

func TestSyntaxErrorInOneOfMany(t *testing.T) {
	t.Parallel()
	r := mustRun(t, tree("a/plugin.json={", "b/plugin.json={}", "c/plugin.json=\xff\xfe{", "d/plugin.json="+strings.Repeat("[", 100000)),
		validate.Options{Rules: rules.All()})
	count := map[string]int{}
	for _, f := range r.Findings {
		count[f.File+" "+f.Rule]++
	}
	want := map[string]int{"a/plugin.json json-syntax": 1, "b/plugin.json required-field": 5, "c/plugin.json json-bom": 1, "d/plugin.json json-syntax": 1}
	if d := cmp.Diff(want, count); d != "" {
		t.Errorf("the findings differ (-want +got):\n%s", d)
	}
	isSkipped := slices.ContainsFunc(r.Skips, func(s validate.Skip) bool {
		return s.File == "a/plugin.json" && s.Rule == "required-field" && s.Reason == "plugin.json is not valid JSON" && !s.IsBroken
	})
	if !isSkipped {
		t.Errorf("required-field is not skipped for a/plugin.json: %+v", r.Skips)
	}
	checkExit(t, r, validate.ExitFindings)
}

func TestHugeFileIsNotChecked(t *testing.T) {
	t.Parallel()
	r := mustRun(t, tree("plugin.json="+strings.Repeat(" ", 256<<10+1)), validate.Options{Rules: []validate.Rule{show()}})
	want := "plugin.json skip \"show\": plugin.json is larger than 256 KiB (broken true)\n"
	if d := cmp.Diff(want, findings(r)); d != "" {
		t.Errorf("the report differs (-want +got):\n%s", d)
	}
}

func TestHostileFileIsRefused(t *testing.T) {
	t.Parallel()
	data := `{"` + strings.Repeat("k", 100_000) + `":[` + strings.Repeat("1,", 70_000) + `1]}`
	r := mustRun(t, tree("plugin.json="+data), validate.Options{Rules: rules.All()})
	if len(r.Findings) != 1 || r.Findings[0].Rule != "json-syntax" {
		t.Errorf("want one finding of json-syntax, got %d, the first %+v", len(r.Findings), r.Findings[0])
	}
}

func TestSymbolicLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, data string) {
		t.Helper()
		name = filepath.Join(root, name)
		testkit.WriteFile(t, name, data)
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skipf("cannot create symbolic links: %v", err)
		}
	}
	logo := `{"info":{"logos":{"small":"img/a.svg","large":"img/b.svg"},"screenshots":[{"path":"img/loop.svg"},{"path":"deep/a.svg"}]}}`
	write("plugins/one/plugin.json", logo)
	write("plugins/one/img/a.svg", "<svg/>")
	write("outside.svg", "<svg/>")
	write("elsewhere/two/plugin.json", "{}")
	link("../../../outside.svg", "plugins/one/img/b.svg")
	link("loop.svg", "plugins/one/img/loop.svg")
	link("img", "plugins/one/deep")
	link("../elsewhere", "plugins/linked")
	link("../elsewhere/two", "plugins/linked-again")
	link("..", "plugins/circle")
	link("nowhere", "plugins/dangling")

	fsys, opts, err := validate.Open(root, "plugins")
	if err != nil {
		t.Fatal(err)
	}
	opts.Rules = slices.DeleteFunc(rules.All(), func(r validate.Rule) bool { return !strings.HasPrefix(r.ID, "path-") })
	opts.Rules = append(opts.Rules, show())
	r := mustRun(t, fsys, opts)
	want := `plugins/linked-again/plugin.json warning: source in plugins/linked-again of plugins/linked-again, profile service, missing false
plugins/linked/two/plugin.json warning: source in plugins/linked/two of plugins/linked/two, profile service, missing false
plugins/one/plugin.json warning: source in plugins/one of plugins/one, profile service, missing false
plugins/one/plugin.json error: path "img/b.svg" is a symbolic link that leaves the plugin
plugins/one/plugin.json error: path "img/loop.svg" cannot be opened`
	got := findings(r)
	got, _, _ = strings.Cut(got, ": stat")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the report differs (-want +got):\n%s", d)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dist, other := filepath.Join(root, "repo", "dist"), filepath.Join(root, "other")
	testkit.OK(t, os.MkdirAll(dist, 0o755), os.Mkdir(other, 0o755))
	file := filepath.Join(dist, "plugin.json")
	testkit.OK(t, os.WriteFile(file, []byte("{}"), 0o644))
	for _, c := range []struct{ cwd, name, want string }{
		{root, "repo", "repo/dist/plugin.json"},
		{root, "repo/dist/plugin.json", "repo/dist/plugin.json"},
		{filepath.Join(root, "repo"), "", "dist/plugin.json"},
		{dist, ".", "plugin.json"},
		{other, dist, filepath.ToSlash(file)},
		{other, file, filepath.ToSlash(file)},
		{other, "../repo/dist/", "../repo/dist/plugin.json"},
		{other, "../repo/dist/plugin.json", "../repo/dist/plugin.json"},
	} {
		fsys, opts, err := validate.Open(c.cwd, c.name)
		if err != nil {
			t.Fatal(err)
		}
		opts.Rules = []validate.Rule{show()}
		r := mustRun(t, fsys, opts)
		if got := findings(r); !strings.HasPrefix(got, c.want+" warning: dist in ") || len(r.Findings) != 1 {
			t.Errorf("%s in %s: want one finding in %s, got\n%s", c.name, c.cwd, c.want, got)
		}
		if _, ok := r.Sources[c.want]; !ok {
			t.Errorf("%s in %s: the report has no text of %s", c.name, c.cwd, c.want)
		}
	}
	if _, _, err := validate.Open(root, "nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a missing path returned %v", err)
	}
}

// unreadable fails to open one name.
type unreadable struct {
	fs.FS
	name string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.FS.Open(name)
}

func TestUnreadableIsASkip(t *testing.T) {
	t.Parallel()
	const file = "a/plugin.json"
	for name, exit := range map[string]int{"a": validate.ExitBroken, file: validate.ExitFindings} {
		want := map[string]int{"a": 1, file: 2}[name]
		fsys := unreadable{tree(file, "b/plugin.json"), name}
		r := mustRun(t, fsys, validate.Options{Rules: []validate.Rule{show()}})
		if got := findings(r); strings.Contains(got, file+" error: plugin.json is not read: permission denied") != (name == file) || !strings.Contains(got, "b/plugin.json") || len(r.Findings) != want {
			t.Errorf("%s: got the findings\n%s", name, got)
		}
		if len(r.Skips) != 1 || r.Skips[0].File != name {
			t.Errorf("%s: got the skips %+v", name, r.Skips)
		}
		checkExit(t, r, exit)
	}
}

// A file that may not be read does not count as checked.
func TestForbiddenFile(t *testing.T) {
	t.Parallel()
	read := validate.Rule{ID: "reading-rule", Severity: validate.Warning, Check: func(p *validate.Pass) {
		if _, err := fs.ReadFile(p.FS, "a/module.js"); err != nil {
			p.Skipf("cannot read module.js: %v", err)
		}
	}}
	for _, c := range []struct {
		fsys fs.FS
		want int
	}{
		{unreadable{tree("a/plugin.json"), "a/module.js"}, validate.ExitBroken},
		{tree("a/plugin.json"), validate.ExitClean}, // another rule reports a file that is missing
	} {
		r := mustRun(t, c.fsys, validate.Options{Rules: []validate.Rule{read}})
		if len(r.Skips) != 1 {
			t.Errorf("got the skips %+v", r.Skips)
		}
		checkExit(t, r, c.want)
	}
}

// TestPreset requires that the preset sets severities and turns rules on, and that the configuration
// takes precedence.
func TestPreset(t *testing.T) {
	t.Parallel()
	report := func(p *validate.Pass) { p.Reportf(p.Whole(), "catalog %t", p.IsCatalog) }
	all := []validate.Rule{
		{ID: "raised-rule", Severity: validate.Warning, Catalog: validate.Error, Check: report},
		{ID: "off-rule", Severity: validate.Off, Catalog: validate.Error, Check: report},
		{ID: "own-rule", Severity: validate.Warning, Check: report},
	}
	for _, c := range []struct {
		name       string
		isCatalog  bool
		severities map[string]validate.Severity
		want       string
	}{
		{"default", false, nil, "own-rule warning catalog false, raised-rule warning catalog false"},
		{"preset", true, nil, "off-rule error catalog true, own-rule warning catalog true, raised-rule error catalog true"},
		{"turned on", false, map[string]validate.Severity{"off-rule": validate.Info}, "off-rule info catalog false, own-rule warning catalog false, raised-rule warning catalog false"},
		{"turned off", true, map[string]validate.Severity{"off-rule": validate.Off, "raised-rule": validate.Info}, "own-rule warning catalog true, raised-rule info catalog true"},
	} {
		r := mustRun(t, fstest.MapFS{"plugin.json": {Data: []byte("{}")}}, validate.Options{
			Rules: all, IsCatalog: c.isCatalog, Severities: c.severities,
		})
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s %s %s", f.Rule, f.Severity, f.Message))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
