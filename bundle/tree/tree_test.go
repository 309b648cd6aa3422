package tree_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestConfine opens a plugin of a Git repository from the repository and from below it:
// links within the repository are followed, unless the plugin is built, and no others.
func TestConfine(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for name, text := range map[string]string{
		"secret": "outside", "repo/.git/config": "of Git", "repo/LICENSE": "license",
		"repo/tide/src/plugin.json": "{}", "repo/tide/README.md": "readme",
	} {
		name = filepath.Join(base, name)
		testkit.WriteFile(t, name, text)
	}
	src := filepath.Join(base, "repo", "tide", "src")
	for name, target := range map[string]string{
		"license": "../../LICENSE", "readme": "../README.md", "own": "plugin.json",
		"out": "../../../secret", "absolute": filepath.Join(base, "secret"), "git": "../../.git/config",
	} {
		if err := os.Symlink(target, filepath.Join(src, name)); err != nil {
			t.Skipf("this system cannot create symbolic links: %v", err)
		}
	}
	for _, c := range []struct {
		opened, dir string
		isBuilt     bool
		readable    []string
	}{
		{"repo", "tide/src", false, []string{"license", "readme", "own"}},
		{"repo/tide", "src", false, []string{"license", "readme", "own"}},
		{"repo/tide/src", ".", false, []string{"license", "readme", "own"}},
		{"repo", "tide/src", true, []string{"own"}},
		{"repo/tide", "src", true, []string{"own"}},
	} {
		whole := testkit.Must(tree.Open(filepath.Join(base, c.opened)))(t)
		confined := testkit.Must(whole.Confine(c.dir, c.isBuilt))(t)
		if _, err := fs.ReadDir(confined, c.dir); err != nil { // the tree keeps the entries
			t.Fatal(err)
		}
		canRead := map[string]bool{}
		for _, name := range c.readable {
			canRead[name] = true
		}
		for _, name := range []string{"license", "readme", "own", "out", "absolute", "git"} {
			path := name
			if c.dir != "." {
				path = c.dir + "/" + name
			}
			text, err := fs.ReadFile(confined, path)
			if canRead[name] && err != nil || !canRead[name] && !errors.Is(err, tree.ErrOutside) {
				t.Errorf("%s in %s (built: %t): %q, %v", path, c.opened, c.isBuilt, text, err)
			}
		}
		if err := errors.Join(confined.(io.Closer).Close(), whole.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestKeep adds a file during a run: the run keeps what it has listed, and the next one
// lists the file.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add := func(name string) {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, "a", name), nil, 0o600))
	}
	testkit.OK(t, os.Mkdir(filepath.Join(dir, "a"), 0o700))
	whole := testkit.Must(tree.Open(dir))(t)
	defer whole.Close()
	for n, name := range []string{"plugin.json", "LICENSE"} {
		add(name)
		run := whole.Keep()
		confined := testkit.Must(run.Confine("a", true))(t)
		defer confined.(io.Closer).Close()
		for _, fsys := range []fs.FS{run, confined} {
			entries, err := fs.ReadDir(fsys, "a")
			if err != nil || len(entries) != 2*n+1 {
				t.Errorf("run %d, %T: %v, %v", n, fsys, entries, err)
			}
			add("late")
		}
	}
}

// TestReplaced puts links that leave the plugin in place of what a tree has listed.
func TestReplaced(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	plugin := filepath.Join(base, "repo", "dist")
	for _, dir := range []string{filepath.Join(base, "repo", ".git"), filepath.Join(base, "repo", "img"), filepath.Join(plugin, "img")} {
		testkit.OK(t, os.MkdirAll(dir, 0o755))
	}
	for _, name := range []string{
		filepath.Join(base, "secret"), filepath.Join(base, "repo", "secret"), filepath.Join(base, "repo", "img", "logo"),
		filepath.Join(plugin, "outside"), filepath.Join(plugin, "repository"), filepath.Join(plugin, "img", "logo"),
	} {
		testkit.OK(t, os.WriteFile(name, []byte("secret"), 0o600))
	}
	whole := testkit.Must(tree.Open(filepath.Join(base, "repo")))(t)
	defer whole.Close()
	confined := testkit.Must(whole.Confine("dist", true))(t)
	defer confined.(io.Closer).Close()
	for _, dir := range []string{"dist", "dist/img"} {
		testkit.Must(fs.ReadDir(confined, dir))(t)
	}
	for name, target := range map[string]string{"outside": "../../secret", "repository": "../secret", "img": "../img"} {
		name = filepath.Join(plugin, name)
		if err := errors.Join(os.RemoveAll(name), os.Symlink(target, name)); err != nil {
			t.Skipf("this system cannot create symbolic links: %v", err)
		}
	}
	for _, name := range []string{"dist/outside", "dist/repository", "dist/img/logo"} {
		if text, err := fs.ReadFile(confined, name); err == nil {
			t.Errorf("%s: %q", name, text)
		}
	}
}
