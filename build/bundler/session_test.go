package bundler

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestSession(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(text string) {
		t.Helper()
		testkit.OK(t, os.WriteFile(filepath.Join(root, "module.ts"), []byte(text), 0o644))
	}
	s := NewSession(Bundler{CacheDir: t.TempDir(), Environ: []string{}})
	s.Dev = true
	defer s.Close()
	f := build.Frontend{Root: root, Source: root, PluginID: "acme-x-panel"}
	check := func(want string) {
		t.Helper()
		b := testkit.Must(s.Bundle(t.Context(), f))(t)
		if !strings.Contains(string(b.Files["module.js"]), want) {
			t.Errorf("no %q in %s", want, b.Files["module.js"])
		}
	}
	write("export const plugin = 'first'; if (plugin === NaN) {}")
	check("first")
	if got := s.Inputs(); !slices.Equal(got, []string{"module.ts"}) {
		t.Errorf("inputs %q", got)
	}
	if got := s.Warnings(); len(got) != 1 || got[0].Line != 1 || !strings.Contains(got[0].Text, "NaN") {
		t.Errorf("warnings %v", got)
	}
	write("export const plugin = 'second'")
	check("first") // Changed was not called
	s.Changed()
	check("second")
	if got := s.Warnings(); len(got) > 0 {
		t.Errorf("warnings %v", got)
	}
	write("export const plugin = ")
	s.Changed()
	if _, err := s.Bundle(t.Context(), f); err == nil {
		t.Error("a syntax error is not reported")
	}
	write("export const plugin = import.meta.url")
	check("/acme-x-panel/")
	f.PluginID = "acme-other-panel"
	check("/acme-other-panel/")
}

// The warnings are those of the last plan, in the order of the frontends.
func TestSessionWarnings(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := NewSession(Bundler{CacheDir: t.TempDir(), Environ: []string{}})
	s.Dev = true
	defer s.Close()
	check := func(sources ...string) {
		t.Helper()
		for _, source := range sources {
			testkit.WriteFile(t, filepath.Join(root, source, "module.ts"), "export const plugin = 'x'; if (plugin === NaN) {}")
			testkit.Must(s.Bundle(t.Context(), build.Frontend{Root: root, Source: filepath.Join(root, source)}))(t)
		}
		var got []string
		for _, w := range s.Warnings() {
			got = append(got, path.Dir(w.File))
		}
		if !slices.Equal(got, sources) {
			t.Errorf("warnings in %q, want %q", got, sources)
		}
	}
	check("a", "b", "c", "d", "e", "f", "g")
	s.Changed()
	check("b")
}
