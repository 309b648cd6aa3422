package bundle_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestFindRepo(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"plugin.json", // above the Git repository
		"git/.git/HEAD",
		"git/a/src/plugin.json", "git/a/src/nested/plugin.json", "git/a/src/img/logo.svg", "git/a/pkg/main.go", "git/a/dist/plugin.json",
		"git/a/examples/b/plugin.json", "git/a/examples/b/dist/plugin.json",
		"git/bare/plugin.json", "git/bare/nested/plugin.json", "git/bare/dist/nested/plugin.json", "git/bare/testdata/x/plugin.json",
		"git/docs/README.md", "odd/.git/HEAD", "odd/file/plugin.json", "odd/file/src", "odd/directory/plugin.json/x", "odd/case/src/Plugin.json",
	} {
		file := filepath.Join(top, filepath.FromSlash(name))
		testkit.WriteFile(t, file, "{}")
	}
	for dir, want := range map[string]string{
		"git/a": "git/a", "git/a/src": "git/a", "git/a/src/nested": "git/a", "git/a/src/img": "git/a", "git/a/pkg": "git/a",
		"git/a/dist": "git/a", "git/a/examples": "git/a", "git/a/examples/b": "git/a/examples/b",
		"git/a/examples/b/dist": "git/a/examples/b", "git/bare": "git/bare", "git/bare/dist/nested": "git/bare",
		"git/bare/nested": "git/bare/nested", "git/bare/testdata/x": "git/bare/testdata/x",
		"odd/file": "odd/file", "odd/file/src": "odd/file",
	} {
		repo, err := bundle.FindRepo(filepath.Join(top, dir))
		if err != nil || repo.Root != filepath.Join(top, filepath.FromSlash(want)) {
			t.Errorf("%s is part of %s (%v), want %s", dir, repo.Root, err, want)
		}
	}
	for dir, want := range map[string]string{"git": "a a/examples/b bare", "git/a": ". examples/b", "git/bare": ".", "git/docs": ""} {
		repos, err := bundle.Repos(filepath.Join(top, dir))
		var got []string
		for _, repo := range repos {
			rel, _ := filepath.Rel(filepath.Join(top, dir), repo.Root)
			got = append(got, filepath.ToSlash(rel))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s has %q (%v), want %q", dir, got, err, want)
		}
	}
	if repo, err := bundle.FindRepo(filepath.Join(top, "git", "docs")); !errors.Is(err, bundle.ErrNoPlugin) {
		t.Errorf("git/docs is part of %s, %v", repo.Root, err)
	}
	_, err = bundle.FindRepo(filepath.Join(top, "git"))
	if err == nil || !strings.Contains(err.Error(), "one of its plugins: a, bare") {
		t.Errorf("the root of a monorepo: %v", err)
	}
	odd := map[string]string{"odd/directory": "plugin.json cannot be read: it is not a regular file but a directory"}
	if _, err := os.Stat(filepath.Join(top, "odd", "case", "src", "plugin.json")); err != nil { // the file system tells the names apart
		odd["odd/case"] = "must be called plugin.json"
	}
	for dir, want := range odd {
		if _, err := bundle.FindRepo(filepath.Join(top, filepath.FromSlash(dir))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", dir, err, want)
		}
	}
	if repos, err := bundle.Repos(filepath.Join(top, "odd")); err != nil || len(repos) != 2 || repos[0].Root != filepath.Join(top, "odd", "directory") {
		t.Errorf("the plugins are %v, %v", repos, err)
	}
	if _, err = bundle.FindRepo(filepath.Join(top, "missing")); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("a missing directory: %v", err)
	}
}
