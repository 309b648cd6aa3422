package verbs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/internal/version"
	"github.com/slipway-dev/slipway/templates"
)

// TestMain disables cgo in the go commands that the tests run: the race detector needs it, but
// packages that are compiled without it already are then compiled again.
func TestMain(m *testing.M) {
	if err := os.Setenv("CGO_ENABLED", "0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// captured returns a file for a verb to print to, and a function that reads it.
func captured(t *testing.T) (w *os.File, printed func() string) {
	t.Helper()
	w = testkit.Must(os.CreateTemp(t.TempDir(), "printed"))(t)
	t.Cleanup(func() { _ = w.Close() })
	return w, func() string { return testkit.ReadFile(t, w.Name()) }
}

// validated returns what validate prints.
func validated(t *testing.T, o validateOptions) (printed string, err error) {
	t.Helper()
	w, text := captured(t)
	err = runValidate(t.Context(), w, o)
	return text(), err
}

func code(err error) int {
	var exit *ExitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &exit):
		return exit.Code
	}
	return ExitFindings
}

func TestReportIntoIrregularFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), "{}")
	out := t.TempDir()
	file, link, device := filepath.Join(out, "report.txt"), filepath.Join(out, "link"), filepath.Join(out, "device")
	if err := errors.Join(os.Symlink(file, link), os.Symlink(os.DevNull, device)); err != nil {
		t.Skipf("cannot make symbolic links: %v", err)
	}
	w, _ := captured(t)
	for _, output := range []string{link, link, device} { // at first, the link is dangling
		if err := runValidate(t.Context(), w, validateOptions{Path: dir, Output: output}); code(err) != ExitFindings {
			t.Errorf("%s: %v", output, err)
		}
		if info, err := os.Lstat(output); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s was replaced by a regular file (%v)", output, err)
		}
	}
	if report := testkit.ReadFile(t, file); strings.Count(report, "5 errors in 1 plugin.json file (profile: service; detected)") != 1 {
		t.Errorf("the target of the link contains\n%s", report)
	}
	if err := runValidate(t.Context(), w, validateOptions{Path: dir, Output: dir}); code(err) != ExitBroken || !strings.Contains(err.Error(), "choose a writable file with --output") {
		t.Errorf("directory: %v", err)
	}
}

func TestScaffoldPrintsFiles(t *testing.T) {
	t.Parallel()
	checkout := testkit.Must(version.Find())(t)
	dir := filepath.Join(t.TempDir(), "new")
	o := scaffoldOptions{Options: templates.Options{Type: "panel", ID: "acme-x-panel", Dir: dir}}
	var out strings.Builder
	if err := runScaffold(t.Context(), &out, o); err != nil || !strings.Contains(out.String(), "note: go.mod replaces Slipway with the directory "+checkout.Checkout) {
		t.Errorf("%v\n%s", err, &out)
	}
	const below = "note: GitHub runs only"
	if strings.Contains(out.String(), below) {
		t.Errorf("a note about a repository above:\n%s", &out)
	}
	part := o
	part.Dir = filepath.Join(t.TempDir(), "plugins", "x")
	testkit.WriteFile(t, filepath.Join(filepath.Dir(filepath.Dir(part.Dir)), ".git", "HEAD"), "")
	out.Reset()
	if err := runScaffold(t.Context(), &out, part); err != nil || !strings.Contains(out.String(), below) {
		t.Errorf("%v\n%s", err, &out)
	}
	if err := runScaffold(t.Context(), io.Discard, o); code(err) != ExitUsage || !strings.Contains(err.Error(), "choose another directory with --dir, or overwrite files with --force") {
		t.Errorf("a directory that is not empty: %v", err)
	}
	testkit.WriteFile(t, filepath.Join(dir, "README.md"), "mine")
	o.Force = true
	out.Reset()
	if err := runScaffold(t.Context(), &out, o); err != nil || !strings.Contains(out.String(), "overwritten README.md") {
		t.Errorf("%v\n%s", err, &out)
	}
}

func TestFace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		face                       Face
		name, wantOption, wantHelp string
	}{
		{"", "write-baseline", "--write-baseline", "slipway build --help"},
		{Command, "fix", "--fix", "slipway build --help"},
		{Mage, "fix", "-fix", "go tool mage -h build"},
		{Mage, "service-version", "-serviceVersion", "go tool mage -h build"},
	} {
		if got := c.face.Option(c.name); got != c.wantOption {
			t.Errorf("%q: option %s, want %s", c.face, got, c.wantOption)
		}
		if got := c.face.Help("build"); got != c.wantHelp {
			t.Errorf("%q: help %s, want %s", c.face, got, c.wantHelp)
		}
	}
}

func TestPlatformSuggestions(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"windws/amd64":             `--platforms: unknown platform "windws/amd64"; did you mean "windows/amd64"?`,
		"linux/amd64,darwin-arm64": `--platforms: unknown platform "darwin-arm64"; did you mean "darwin/arm64"?`,
		"hst":                      `--platforms: unknown platform "hst"; did you mean "host"?`,
	} {
		w, _ := captured(t)
		if _, err := Build(t.Context(), w, BuildOptions{Dir: t.TempDir(), Platforms: list}); code(err) != ExitUsage || err.Error() != want {
			t.Errorf("%s: %v", list, err)
		}
	}
	w, _ := captured(t)
	if _, err := Build(t.Context(), w, BuildOptions{Face: Mage, Dir: t.TempDir(), Platforms: "zzzzzz"}); code(err) != ExitUsage || !strings.HasPrefix(err.Error(), "-platforms: ") {
		t.Errorf("unknown platform: %v", err)
	}
}
