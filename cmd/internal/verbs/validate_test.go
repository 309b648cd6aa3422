package verbs

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// renames returns a rule with a fix.
func renames() []validate.Rule {
	return []validate.Rule{{ID: "renames", Severity: validate.Error, Help: "rename it", Check: func(p *validate.Pass) {
		for _, key := range []string{"a", "b"} {
			if p.Doc.Has("/" + key) {
				f := validate.Finding{Place: p.Key("/" + key), Message: "old key"}
				if key == "a" {
					f.Fix = &validate.Fix{Title: `rename "a" to "z"`, Edits: []validate.Edit{p.Rename("/a", "z")}}
				}
				p.Report(f)
			}
		}
	}}}
}

func opened(t *testing.T, o validateOptions) *target {
	t.Helper()
	target := testkit.Must(openTarget(o))(t)
	target.options.Rules = renames()
	return target
}

func TestFixListsFixes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "plugin.json")
	testkit.WriteFile(t, file, `{"a": 1, "b": 2}`)
	o := validateOptions{Path: dir, Diff: true}

	diff := func(w *os.File) error {
		var s several
		if err := s.run(t.Context(), w, o, opened(t, o)); err != nil {
			return err
		}
		return s.printDiff(w, o, s.reports[0])
	}
	w, printed := captured(t)
	err := diff(w)
	if code(err) != ExitFindings || !strings.Contains(printed(), "-{\"a\": 1, \"b\": 2}\n") || testkit.ReadFile(t, file) != `{"a": 1, "b": 2}` {
		t.Errorf("diff: %v\n%s", err, printed())
	}
	o = validateOptions{Path: dir, Fix: true}
	w, printed = captured(t)
	r, err := opened(t, o).fix(t.Context(), w, o)
	if err != nil || printed() != filepath.ToSlash(file)+": 1 fix\n  rename \"a\" to \"z\"\n\n" || testkit.ReadFile(t, file) != `{"z": 1, "b": 2}` || len(r.Findings) != 1 {
		t.Errorf("fix: %v\n%s%s", err, printed(), testkit.ReadFile(t, file))
	}
	o.Diff = true
	w, printed = captured(t)
	if err := diff(w); err != nil || printed() != "" {
		t.Errorf("diff after fix: %v\n%s", err, printed())
	}
	o.Diff = false
	w, printed = captured(t)
	if _, err := opened(t, o).fix(t.Context(), w, o); err != nil || printed() != "" {
		t.Errorf("second fix: %v\n%s", err, printed())
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive := filepath.Join(dir, "x.zip")
	f := testkit.Must(os.Create(archive))(t)
	z := zip.NewWriter(f)
	p, err := z.Create("x/plugin.json")
	if err == nil {
		_, err = p.Write([]byte(`{"id": "y"}`))
	}
	testkit.OK(t, err, z.Close(), f.Close())
	testkit.WriteFile(t, filepath.Join(dir, "broken.zip"), "not a zip")
	for _, c := range []struct {
		o    validateOptions
		code int
		want string
	}{
		{validateOptions{Path: archive, Fix: true}, ExitUsage, "cannot fix a zip; fix the source and package it again"},
		{validateOptions{Path: archive, Diff: true}, ExitUsage, "cannot fix a zip; fix the source and package it again"},
		{validateOptions{Path: "-", Fix: true}, ExitUsage, "cannot fix standard input; use --diff, or name the file"},
		{validateOptions{Path: dir, Fix: true, Diff: true}, ExitUsage, "--fix and --diff cannot be used together"},
		{validateOptions{Path: dir, Baseline: "a", WriteBaseline: "b", Face: Mage}, ExitUsage, "-baseline and -writeBaseline cannot be used together"},
		{validateOptions{Path: dir, Baseline: filepath.Join(dir, "none")}, ExitUsage, "none not found; create it with --write-baseline="},
		{validateOptions{Path: dir, Baseline: filepath.Join(dir, "none"), Face: Mage}, ExitUsage, "none not found; create it with -writeBaseline="},
		{validateOptions{Path: dir, Format: "sarf"}, ExitUsage, `--format: unknown format "sarf"; did you mean "sarif"?`},
		{validateOptions{Path: dir, Format: "yaml"}, ExitUsage, `unknown format "yaml"; use one of text, concise, json, sarif, junit, github`},
		{validateOptions{Path: dir, Only: []string{"path-mising"}}, ExitUsage, `--only: unknown rule "path-mising"; did you mean "path-missing"?`},
		{validateOptions{Path: dir, Only: []string{"path-missing"}, WriteBaseline: "b"}, ExitUsage, "--only and --write-baseline cannot be used together"},
		{validateOptions{Path: dir, Source: dir}, ExitUsage, "--source needs a zip to compare with it; name the packaged plugin"},
		{validateOptions{Path: archive, Source: dir}, ExitUsage, "--source: open repository "},
		{validateOptions{Path: archive, Source: "ssh://example.com/x"}, ExitUsage, "ssh://example.com/x is a URL"},
		{validateOptions{Path: dir, Only: []string{"source-differs"}}, ExitUsage, `unknown rule "source-differs"`},
		{validateOptions{Path: "https://example.com/x.zip"}, ExitUsage, "https://example.com/x.zip is a URL, which is not downloaded; download it"},
		{validateOptions{Path: dir, Profile: "grafan"}, ExitUsage, `--profile: unknown profile "grafan"; did you mean "grafana"?`},
		{validateOptions{Path: dir, Config: filepath.Join(dir, "none")}, ExitUsage, "configuration: "},
		{validateOptions{Path: filepath.Join(dir, "broken.zip")}, ExitBroken, "not a valid zip file"},
	} {
		w, _ := captured(t)
		c.o.Stdin = strings.NewReader("{}")
		if err := runValidate(t.Context(), w, c.o); code(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %d %v", c.o, code(err), err)
		}
	}
	w, printed := captured(t)
	if err := runValidate(t.Context(), w, validateOptions{Path: archive}); code(err) != ExitFindings ||
		!strings.Contains(printed(), `x.zip: error zip-root-name: directory "x" in the zip must be named after the plugin's id, "y"`) ||
		!strings.Contains(printed(), "x.zip/x/plugin.json:1:1: error required-field") {
		t.Errorf("zip: %v\n%s", err, printed())
	}
	if printed, err := validated(t, validateOptions{Path: "-", Stdin: strings.NewReader("{}")}); code(err) != ExitFindings || !strings.Contains(printed, "<stdin>:1:1: error required-field") {
		t.Errorf("standard input: %v\n%s", err, printed)
	}
}

func TestConfigurationAndBaseline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"x-team": 1}`)
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), "rules:\n  required-field: info\nsuppress:\n"+
		"  - {rule: unknown-field, file: src/*.json, reason: ours}\n  - {rule: path-missing, reason: old}\n")
	printed, err := validated(t, validateOptions{Path: dir})
	if err != nil || strings.Contains(printed, "error") || strings.Contains(printed, "warning unknown-field") ||
		!strings.Contains(printed, "slipway.yaml:5:12: warning unused-suppression: unused suppression: no finding of path-missing\n    5 |   - {rule") {
		t.Errorf("%v\n%s", err, printed)
	}
	if _, err := validated(t, validateOptions{Path: dir, Strict: true}); code(err) != ExitFindings {
		t.Errorf("strict: %v", err)
	}
	baseline := filepath.Join(dir, "baseline.json")
	strict := validateOptions{Path: dir, Strict: true, WriteBaseline: baseline}
	if printed, err := validated(t, strict); err != nil || !strings.Contains(testkit.ReadFile(t, baseline), `"file": "src/plugin.json"`) {
		t.Errorf("write baseline: %v\n%s%s", err, printed, testkit.ReadFile(t, baseline))
	}
	strict.WriteBaseline, strict.Baseline = "", baseline
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"x-team": 1, "name": "X", "new": 2}`)
	if printed, err := validated(t, strict); err != nil || strings.Contains(printed, "required-field: ") {
		t.Errorf("baseline: %v\n%s", err, printed) // "new" is suppressed, and the finding that "name" resolved is gone
	}
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), "rule:\n  x: off\n")
	if _, err := validated(t, validateOptions{Path: dir}); code(err) != ExitUsage || !strings.Contains(err.Error(), `slipway.yaml:1:1: unknown key "rule" in slipway.yaml: did you mean "rules"?`) {
		t.Errorf("invalid configuration: %v", err)
	}
}

// zipped returns a zip of files and their texts.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w := testkit.Must(z.Create(files[i]))(t)
		testkit.Must(io.WriteString(w, files[i+1]))(t)
	}
	testkit.OK(t, z.Close())
	return b.Bytes()
}

func TestZipOnStandardInput(t *testing.T) {
	t.Parallel()
	whole := string(zipped(t, "acme-x-panel/plugin.json", `{"id": "acme-x-panel"}`))
	for _, c := range []struct {
		name, in string
		code     int
		want     string
	}{
		{"whole", whole, ExitFindings, "<stdin>/acme-x-panel/plugin.json:1:1: error required-field"},
		{"truncated", whole[:len(whole)-30], ExitBroken, "<stdin>: not a valid zip file: it begins as a zip, but its list of entries is missing or damaged; is it complete?"},
		{"one entry's header", whole[:20], ExitBroken, "is it complete?"},
		{"LFS", "version https://git-lfs.github.com/spec/v1\noid", ExitUsage, "<stdin> is a pointer of Git LFS and not the file itself: run git lfs pull"},
		{"HTML", "<!DOCTYPE html><html>", ExitUsage, "<stdin> is an HTML page"},
		{"gzip", "\x1f\x8b\x08\x00", ExitUsage, "<stdin> is a gzip archive: validate a zip or the unpacked directory"},
		{"nothing", "", ExitFindings, "<stdin>:1:1: error json-syntax"},
		{"the first byte of a zip", "P", ExitFindings, "<stdin>:1:1: error json-syntax"},
	} {
		printed, err := validated(t, validateOptions{Path: "-", Stdin: iotest.OneByteReader(strings.NewReader(c.in))})
		if code(err) != c.code || !strings.Contains(printed+fmt.Sprint(err), c.want) {
			t.Errorf("%s: status %d, want %d: %v\n%s", c.name, code(err), c.code, err, printed)
		}
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"type": "app", "x-team": 1, "info": {"logos": {"small": "none.svg"}}}`)
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), "rules: {path-missing: off}\nsuppress:\n  - {rule: unknown-field, reason: ours}\n")
	for only, want := range map[string][]string{
		"path-missing":               {"path-missing"}, // though it is turned off
		"unknown-field":              nil,
		"path-missing,unknown-field": {"path-missing"},
		"screenshots-missing":        {"screenshots-missing"}, // though it is off by default
		"id-format":                  nil,                     // and the suppression of another rule is not unused
	} {
		printed, err := validated(t, validateOptions{Path: dir, Only: strings.Split(only, ","), Format: "concise"})
		var rules []string
		for line := range strings.Lines(printed) {
			if fields := strings.Fields(line); len(fields) > 2 && strings.Contains(fields[0], "plugin.json:") {
				rules = append(rules, strings.TrimSuffix(fields[2], ":"))
			}
		}
		if !slices.Equal(rules, want) || code(err) > ExitFindings || strings.Contains(printed, "unused-suppression") {
			t.Errorf("%s: %v, want findings of %v\n%s", only, err, want, printed)
		}
	}
}

// TestBaselineIsTheLimit requires that anything beyond a baseline fails.
func TestBaselineIsTheLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, base := filepath.Join(dir, "src", "plugin.json"), filepath.Join(dir, "b.json")
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), "rules: {unknown-field: info}\n")
	testkit.WriteFile(t, file, `{"x-one": 1}`)
	run := func(o validateOptions) (string, int) {
		t.Helper()
		o.Path = dir
		printed, err := validated(t, o)
		return printed, code(err)
	}
	printed, exit := run(validateOptions{WriteBaseline: base})
	wrote := regexp.MustCompile(`(?m)^no new findings in .* (\d+) suppressed;.*$\nwrote (\d+) findings to (.*)$`).FindStringSubmatch(printed)
	if exit != ExitOK || wrote == nil || wrote[1] != wrote[2] || wrote[3] != filepath.ToSlash(base) {
		t.Errorf("writing the baseline: status %d\n%s", exit, printed)
	}
	if printed, exit = run(validateOptions{Baseline: base}); exit != ExitOK {
		t.Errorf("nothing new: status %d\n%s", exit, printed)
	}
	testkit.WriteFile(t, file, `{"x-one": 1, "x-two": 2}`)
	if printed, exit = run(validateOptions{Baseline: base}); exit != ExitFindings || !strings.Contains(printed, "\n1 new info finding in 1 plugin.json file") {
		t.Errorf("a new info: status %d\n%s", exit, printed)
	}
	if printed, exit = run(validateOptions{Baseline: base, Format: "junit"}); exit != ExitFindings || !strings.Contains(printed, `failures="1"`) {
		t.Errorf("a new info in JUnit: status %d\n%s", exit, printed)
	}
	testkit.WriteFile(t, file, `{"x-two": 2}`)
	printed, _ = run(validateOptions{Baseline: base})
	if fixed := filepath.ToSlash(file) + ": fixed: "; !strings.Contains(printed, fixed) {
		t.Errorf("the report does not contain %q:\n%s", fixed, printed)
	}
	if printed, _ = run(validateOptions{Baseline: base, Only: []string{"required-field"}}); strings.Contains(printed, "fixed") {
		t.Errorf("a rule that did not run is fixed:\n%s", printed)
	}
}

func TestDistIsLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"id": "acme-x-panel"}`)
	run := func(o validateOptions) (string, int) {
		t.Helper()
		o.Format = "concise"
		printed, err := validated(t, o)
		return printed, code(err)
	}
	before, exit := run(validateOptions{Path: dir})
	dist := filepath.Join(dir, "dist")
	testkit.WriteFile(t, filepath.Join(dist, "plugin.json"), `{"type": 1}`)
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), "suppress:\n  - {rule: wrong-type, file: dist/plugin.json, reason: old}\n")
	note := "not checked: " + filepath.ToSlash(dist) + ", which a build wrote; to check it, run slipway validate " + filepath.ToSlash(dist) + "\n"
	if after, again := run(validateOptions{Path: dir}); after != before+note || again != exit {
		t.Errorf("with dist: status %d, then %d:\n%s%s", exit, again, before, after)
	}
	if printed, _ := run(validateOptions{Path: dir, Face: Mage}); !strings.Contains(printed, "run go tool mage validate -path=") {
		t.Errorf("the note under Mage:\n%s", printed)
	}
	if printed, _ := run(validateOptions{Path: dist}); !strings.Contains(printed, "dist/plugin.json:1:1: error required-field") || strings.Contains(printed, "not checked") {
		t.Errorf("dist itself:\n%s", printed)
	}
}

func TestRepositoryRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plugin, bare := filepath.Join(dir, "git", "plugins", "one"), filepath.Join(dir, "bare", "one")
	for _, d := range []string{filepath.Join(plugin, "src"), filepath.Join(dir, "git", ".git"), filepath.Join(dir, "git", "sub", ".git"), bare} {
		testkit.OK(t, os.MkdirAll(d, 0o755))
	}
	git := filepath.Join(dir, "git")
	for _, c := range []struct{ dir, workspace, want string }{
		{plugin, "", git},
		{plugin, git, git},
		{plugin, filepath.Join(dir, "other"), git},
		{plugin, dir, git}, // the action checkout has put it there
		{filepath.Join(git, "sub"), git, git},
		{bare, filepath.Dir(bare), filepath.Dir(bare)},
		{bare, "", ""},
	} {
		if got := repositoryRoot(c.dir, c.workspace); got != c.want {
			t.Errorf("%s in the workspace %q: %q, want %q", c.dir, c.workspace, got, c.want)
		}
	}
	testkit.WriteFile(t, filepath.Join(plugin, "src", "plugin.json"), "{}")
	for format, want := range map[string]string{
		"github": "file=plugins/one/src/plugin.json,", "sarif": `"uri": "plugins/one/src/plugin.json"`, "junit": `classname="plugins/one/src/plugin.json"`,
		"concise": filepath.ToSlash(plugin) + "/src/plugin.json:1:1: error",
	} {
		if printed, err := validated(t, validateOptions{Path: plugin, Format: format}); code(err) != ExitFindings || !strings.Contains(printed, want) {
			t.Errorf("%s has no %s: %v\n%s", format, want, err, printed)
		}
	}
}

// TestSourceOfPackage compares what build and package make with the repository.
func TestSourceOfPackage(t *testing.T) {
	t.Parallel()
	dir := packagedPanel(t)
	zips, err := filepath.Glob(filepath.Join(dir, "release", "*.zip"))
	if err != nil || len(zips) == 0 {
		t.Fatalf("no zip: %v", err)
	}
	o := validateOptions{Path: zips[0], Source: dir, Only: []string{"source-differs"}}
	if printed, err := validated(t, o); err != nil {
		t.Errorf("what the source builds: %v\n%s", err, printed)
	}
	testkit.WriteFile(t, filepath.Join(dir, "src", "extra.json"), "{}")
	o.Strict = true
	if printed, err := validated(t, o); code(err) != ExitFindings || !strings.Contains(printed, "extra.json: error source-differs: src/extra.json of the source is missing in the zip") {
		t.Errorf("a file was added to the source: %v\n%s", err, printed)
	}
}
