package verbs

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

func opened(t *testing.T, o ValidateOptions) *target {
	t.Helper()
	target, err := openTarget(o)
	if err != nil {
		t.Fatal(err)
	}
	target.options.Rules = renames()
	return target
}

func TestFixListsFixes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "plugin.json")
	write(t, file, `{"a": 1, "b": 2}`)
	o := ValidateOptions{Path: dir, Diff: true}

	w, printed := captured(t)
	err := opened(t, o).diff(t.Context(), w, o)
	if code(err) != ExitFindings || !strings.Contains(printed(), "-{\"a\": 1, \"b\": 2}\n") || read(t, file) != `{"a": 1, "b": 2}` {
		t.Errorf("diff: %v\n%s", err, printed())
	}
	o = ValidateOptions{Path: dir, Fix: true}
	w, printed = captured(t)
	r, err := opened(t, o).fix(t.Context(), w, o)
	if err != nil || printed() != filepath.ToSlash(file)+": 1 fix\n  rename \"a\" to \"z\"\n\n" || read(t, file) != `{"z": 1, "b": 2}` || len(r.Findings) != 1 {
		t.Errorf("fix: %v\n%s%s", err, printed(), read(t, file))
	}
	w, printed = captured(t)
	if err := opened(t, o).diff(t.Context(), w, o); err != nil || printed() != "" {
		t.Errorf("diff after fix: %v\n%s", err, printed())
	}
	w, printed = captured(t)
	if _, err := opened(t, o).fix(t.Context(), w, o); err != nil || printed() != "" {
		t.Errorf("second fix: %v\n%s", err, printed())
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive := filepath.Join(dir, "x.zip")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	p, err := z.Create("x/plugin.json")
	if err == nil {
		_, err = p.Write([]byte(`{"id": "y"}`))
	}
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "broken.zip"), "not a zip")
	for _, c := range []struct {
		o    ValidateOptions
		code int
		want string
	}{
		{ValidateOptions{Path: archive, Fix: true}, ExitUsage, "cannot fix a zip; fix the source and package it again"},
		{ValidateOptions{Path: archive, Diff: true}, ExitUsage, "cannot fix a zip; fix the source and package it again"},
		{ValidateOptions{Path: "-", Fix: true}, ExitUsage, "cannot fix standard input; use --diff, or name the file"},
		{ValidateOptions{Path: dir, Fix: true, Diff: true}, ExitUsage, "--fix and --diff cannot be used together"},
		{ValidateOptions{Path: dir, Baseline: "a", WriteBaseline: "b", Face: Mage}, ExitUsage, "-baseline and -writeBaseline cannot be used together"},
		{ValidateOptions{Path: dir, Baseline: filepath.Join(dir, "none")}, ExitUsage, "none not found; create it with --write-baseline="},
		{ValidateOptions{Path: dir, Baseline: filepath.Join(dir, "none"), Face: Mage}, ExitUsage, "none not found; create it with -writeBaseline="},
		{ValidateOptions{Path: dir, Format: "sarf"}, ExitUsage, `--format: unknown format "sarf"; did you mean "sarif"?`},
		{ValidateOptions{Path: dir, Format: "yaml"}, ExitUsage, `unknown format "yaml"; use one of text, json, sarif, junit, github`},
		{ValidateOptions{Path: dir, Profile: "grafan"}, ExitUsage, `--profile: unknown profile "grafan"; did you mean "grafana"?`},
		{ValidateOptions{Path: dir, Config: filepath.Join(dir, "none")}, ExitUsage, "configuration: "},
		{ValidateOptions{Path: filepath.Join(dir, "broken.zip")}, ExitBroken, "not a valid zip file"},
	} {
		w, _ := captured(t)
		c.o.Stdin = strings.NewReader("{}")
		if err := Validate(t.Context(), w, c.o); code(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %d %v", c.o, code(err), err)
		}
	}
	w, printed := captured(t)
	if err := Validate(t.Context(), w, ValidateOptions{Path: archive}); code(err) != ExitFindings ||
		!strings.Contains(printed(), `x.zip: error zip-root-name: directory "x" in the zip must be named after the plugin's id, "y"`) ||
		!strings.Contains(printed(), "x.zip/x/plugin.json:1:1: error required-field") {
		t.Errorf("zip: %v\n%s", err, printed())
	}
	w, printed = captured(t)
	if err := Validate(t.Context(), w, ValidateOptions{Path: "-", Stdin: strings.NewReader("{}")}); code(err) != ExitFindings || !strings.Contains(printed(), "<stdin>:1:1: error required-field") {
		t.Errorf("standard input: %v\n%s", err, printed())
	}
}

func TestConfigurationAndBaseline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "src", "plugin.json"), `{"x-team": 1}`)
	write(t, filepath.Join(dir, "slipway.yaml"), "rules:\n  required-field: info\nsuppress:\n"+
		"  - {rule: unknown-field, file: src/*.json, reason: ours}\n  - {rule: path-missing, reason: old}\n")
	w, printed := captured(t)
	err := Validate(t.Context(), w, ValidateOptions{Path: dir})
	if err != nil || strings.Contains(printed(), "error") || strings.Contains(printed(), "warning unknown-field") ||
		!strings.Contains(printed(), "slipway.yaml:5:12: warning unused-suppression: unused suppression: no finding of path-missing\n    5 |   - {rule") {
		t.Errorf("%v\n%s", err, printed())
	}
	w, _ = captured(t)
	if err := Validate(t.Context(), w, ValidateOptions{Path: dir, Strict: true}); code(err) != ExitFindings {
		t.Errorf("strict: %v", err)
	}
	baseline := filepath.Join(dir, "baseline.json")
	strict := ValidateOptions{Path: dir, Strict: true, WriteBaseline: baseline}
	w, printed = captured(t)
	if err := Validate(t.Context(), w, strict); err != nil || !strings.Contains(read(t, baseline), `"file": "src/plugin.json"`) {
		t.Errorf("write baseline: %v\n%s%s", err, printed(), read(t, baseline))
	}
	strict.WriteBaseline, strict.Baseline = "", baseline
	write(t, filepath.Join(dir, "src", "plugin.json"), `{"x-team": 1, "name": "X", "new": 2}`)
	w, printed = captured(t)
	if err := Validate(t.Context(), w, strict); err != nil || strings.Contains(printed(), "required-field: ") {
		t.Errorf("baseline: %v\n%s", err, printed()) // "new" is suppressed, and the finding that "name" resolved is gone
	}
	write(t, filepath.Join(dir, "slipway.yaml"), "rule:\n  x: off\n")
	w, _ = captured(t)
	if err := Validate(t.Context(), w, ValidateOptions{Path: dir}); code(err) != ExitUsage || !strings.Contains(err.Error(), `slipway.yaml:1:1: unknown key "rule" in slipway.yaml: did you mean "rules"?`) {
		t.Errorf("invalid configuration: %v", err)
	}
}
