package dev

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/build/typecheck"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/templates"
	"github.com/slipway-dev/slipway/validate"
)

func TestCompilerErrors(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testkit.WriteFile(t, filepath.Join(root, "pkg", "a.go"), "package dev\n\nvar é = f(1)\n")
	file := filepath.ToSlash(filepath.Join(root, "pkg", "a.go"))
	findings, rest := compilerErrors(root, errors.New("the backend does not compile; dist is unchanged\nlinux/amd64:\n  # example.com/x/pkg\n"+
		"pkg/a.go:3:10: not enough arguments in call to f\n\thave (number)\n\twant (int, int)\n  ./pkg/a.go:9:1: too far\npkg/a.go:2: no column"))
	at := func(line, column, end int) validate.Place {
		return validate.Place{File: file, Line: line, Column: column, EndLine: line, EndColumn: end}
	}
	want := []validate.Finding{
		{Rule: "backend", Severity: validate.Error, Place: at(3, 9, 10), Message: "not enough arguments in call to f; have (number); want (int, int)"},
		{Rule: "backend", Severity: validate.Error, Place: at(9, 1, 1), Message: "too far"},
		{Rule: "backend", Severity: validate.Error, Place: at(2, 0, 0), Message: "no column"},
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if rest != "" {
		t.Errorf("rest %q", rest)
	}
	if got := sources(root, findings); len(got) != 1 || string(got[file]) != "package dev\n\nvar é = f(1)\n" {
		t.Errorf("sources %q", got)
	}
	if findings, rest := compilerErrors(root, errors.New("copy x:\nno space left on device")); len(findings) > 0 || rest != "copy x:\nno space left on device" {
		t.Errorf("%v %q", findings, rest)
	}
}

func TestBundlerErrors(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	err := fmt.Errorf("bundle src: %w", &frontend.Error{Messages: []frontend.Message{
		{File: "src/a.ts", Line: 1, Column: 4, Source: "é = ü;", Length: 2, Text: "text", Help: "help"},
		{Text: "without a position"},
	}})
	findings, rest := compilerErrors(root, err)
	want := []validate.Finding{
		{Rule: "frontend", Severity: validate.Error, Message: "text", Help: "help",
			Place: validate.Place{File: filepath.ToSlash(root) + "/src/a.ts", Line: 1, Column: 3, EndLine: 1, EndColumn: 5}},
		{Rule: "frontend", Severity: validate.Error, Message: "without a position", Place: validate.Place{File: filepath.ToSlash(root)}},
	}
	if diff := cmp.Diff(want, findings); diff != "" || rest != "" {
		t.Errorf("findings (-want +got):\n%s\nrest %q", diff, rest)
	}
}

// Missing packages come with the command that downloads them.
func TestMissingPackages(t *testing.T) {
	t.Parallel()
	w, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := &session{face: verbs.Mage, repo: bundle.Repo{Root: t.TempDir()}, stdout: w}
	err = fmt.Errorf("%w:\n%w", build.ErrNotDownloaded, &frontend.Error{Messages: []frontend.Message{{Text: "a@1: missing"}, {Text: "b@1: missing"}}})
	if got := s.failureOf(err).text; !strings.HasSuffix(got, "\nhelp: download them with go tool mage deps\n") || strings.Count(got, "help") != 1 {
		t.Errorf("failure:\n%s", got)
	}
}

// TestTask requires that the task for VS Code recognizes what dev prints: findings, the start of a build, and its end. README.md shows
// the lines of a real run. VS Code shows the problems of an owner when the lines of its end come, and removes those of before.
func TestTask(t *testing.T) {
	t.Parallel()
	files := testkit.Must(templates.Render(templates.Options{Type: "app", ID: "acme-x-app"}))(t)
	data := files[slices.IndexFunc(files, func(f templates.File) bool { return f.Path == ".vscode/tasks.json" })].Data
	plain := testkit.Must(hujson.Standardize(data))(t)
	var tasks struct {
		Tasks []struct {
			ProblemMatcher []struct {
				Pattern    struct{ Regexp string }
				Background struct{ BeginsPattern, EndsPattern string }
			}
		}
	}
	testkit.OK(t, json.Unmarshal(plain, &tasks))
	all := func(pattern, text string) []string {
		re := regexp.MustCompile(pattern)
		return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return !re.MatchString(line) })
	}
	builds, types := tasks.Tasks[0].ProblemMatcher[0], tasks.Tasks[0].ProblemMatcher[1]

	s := &session{stdout: os.Stdout}
	at := validate.Place{File: "src/a.ts", Line: 3, Column: 7}
	found := s.render([]validate.Finding{{Rule: "frontend", Severity: validate.Error, Place: at, Message: "not: found"}}, nil)
	want := []string{"src/a.ts", "3", "7", "error", "frontend", "not: found"}
	if got := regexp.MustCompile("(?m)" + builds.Pattern.Regexp).FindStringSubmatch(found); got == nil || !slices.Equal(got[1:], want) {
		t.Errorf("%q is %q", found, got)
	}
	readme := testkit.Must(os.ReadFile("../../../README.md"))(t)
	_, run, _ := strings.Cut(string(readme), "$ go tool mage dev\n")
	run, _, _ = strings.Cut(run, "```")
	run += serving(nil) + "\n" + serving([]loader.State{loader.StateRunning}) + "\n" + serving([]loader.State{loader.StateFailed})
	if got := all(builds.Background.BeginsPattern, run); !slices.Equal(got, []string{"pkg/datasource.go changed"}) {
		t.Errorf("builds begin with %q", got)
	}
	if got := all(builds.Background.EndsPattern, run); len(got) != 5 {
		t.Errorf("builds end with %q", got)
	}

	out := testkit.Must(os.Create(filepath.Join(t.TempDir(), "out")))(t)
	defer out.Close()
	s = &session{stdout: out, repo: bundle.Repo{Root: testkit.Must(os.Getwd())(t)}}
	wrong := typing{by: "TypeScript 9", problems: []typecheck.Problem{{File: "src/a.ts", Line: 3, Column: 7, Source: "a: b = 1", Code: "TS2322", Text: "not: assignable"}}}
	for _, r := range []typing{{}, wrong, wrong, {by: "TypeScript 9"}} {
		s.typed(r)
	}
	printed := string(testkit.Must(os.ReadFile(out.Name()))(t))
	if got := all(types.Pattern.Regexp, printed); !slices.Equal(got, []string{"src/a.ts:3:7: error TS2322: not: assignable"}) {
		t.Errorf("type errors are %q", got)
	}
	both := all(types.Background.BeginsPattern+"|"+types.Background.EndsPattern, printed)
	cycles := []string{"types checked by TypeScript 9 in 0.00s", "1 type error; the change is live", "types checked by TypeScript 9 in 0.00s", "fixed: no type errors"}
	if !slices.Equal(both, cycles) || len(all(builds.Background.BeginsPattern+"|"+builds.Background.EndsPattern+"|"+builds.Pattern.Regexp, printed)) != 0 {
		t.Errorf("checks begin and end with %q in\n%s", both, printed)
	}
}
