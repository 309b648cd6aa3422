package verbs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/templates"
)

// captured returns a file for a verb to print to, and what it printed.
func captured(t *testing.T) (w *os.File, said func() string) {
	t.Helper()
	w, err := os.CreateTemp(t.TempDir(), "said")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, func() string { return read(t, w.Name()) }
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
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

func TestReportIntoWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "plugin.json"), "{}")
	file, link, device := filepath.Join(dir, "report.txt"), filepath.Join(dir, "link"), filepath.Join(dir, "device")
	if err := errors.Join(os.Symlink(file, link), os.Symlink(os.DevNull, device)); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	w, _ := captured(t)
	for _, output := range []string{link, link, device} { // the first link leads nowhere yet
		if err := Validate(t.Context(), w, ValidateOptions{Path: dir, Output: output}); code(err) != ExitFindings {
			t.Errorf("%s: %v", output, err)
		}
		if info, err := os.Lstat(output); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s was replaced by a file (%v)", output, err)
		}
	}
	if report := read(t, file); strings.Count(report, "5 errors in 1 plugin.json file (profile: service; detected)") != 1 {
		t.Errorf("the file behind the link holds\n%s", report)
	}
	if err := Validate(t.Context(), w, ValidateOptions{Path: dir, Output: dir}); code(err) != ExitBroken || !strings.Contains(err.Error(), "-output") {
		t.Errorf("a folder: %v", err)
	}
}

func TestScaffoldSaysWhatItDid(t *testing.T) {
	t.Parallel()
	checkout, err := origin.Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	o := templates.Options{Type: "panel", ID: "acme-x-panel", Dir: dir}
	var said strings.Builder
	if err := Scaffold(t.Context(), &said, o); err != nil || !strings.Contains(said.String(), "note: go.mod takes Slipway from the folder "+checkout.Checkout) {
		t.Errorf("%v\n%s", err, &said)
	}
	if err := Scaffold(t.Context(), io.Discard, o); code(err) != ExitUsage {
		t.Errorf("a folder that is not empty: %v", err)
	}
	// src leads nowhere, which shows when it is too late.
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "src")), os.Symlink("nowhere", filepath.Join(dir, "src"))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "README.md"), "mine")
	o.Force = true
	said.Reset()
	if err := Scaffold(t.Context(), &said, o); code(err) != ExitFindings || !strings.Contains(said.String(), "overwritten README.md") || strings.Contains(said.String(), "is ready") {
		t.Errorf("%v\n%s", err, &said)
	}
}

func TestBuildNamesTheCheckout(t *testing.T) {
	t.Parallel()
	for replace, want := range map[string]string{
		fmt.Sprintf("replace %s => ../slipway\n", origin.Module):   "../slipway",
		fmt.Sprintf("replace %s => %[1]s v1.0.0\n", origin.Module): "",
		"replace example.com/other => ../slipway\n":                "",
		"": "",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module example.com/x\n\n"+replace)
		if got := localCheckout(t.Context(), dir); got != want {
			t.Errorf("%q: %q", replace, got)
		}
	}
	dir := filepath.Join(t.TempDir(), "new")
	if err := Scaffold(t.Context(), io.Discard, templates.Options{Type: "panel", ID: "acme-x-panel", Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for platforms, want := range map[string]bool{"all": true, "host": false} {
		w, said := captured(t)
		if _, err := Build(t.Context(), w, BuildOptions{Dir: dir, Platforms: platforms}); err != nil || strings.Contains(said(), "note: go.mod takes Slipway from") != want {
			t.Errorf("%s: %v\n%s", platforms, err, said())
		}
	}
}
