package gitignore

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// untracked returns the files that "git add" would add.
func untracked(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "status", "--porcelain", "--untracked-files=all").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), "?? ", "")
}

func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return dir
}

func TestMake(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	put(t, filepath.Join(dir, "theirs", FileName), "!*\n")
	put(t, filepath.Join(dir, "older", "secret"), "")
	for _, name := range []string{"new/below", "older", "theirs"} {
		if err := Make(root, name); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name, "secret"), "")
	}
	if got, want := untracked(t, dir), "theirs/.gitignore\ntheirs/secret\n"; got != want {
		t.Errorf("Git sees\n%swant\n%s", got, want)
	}
}

func TestMakeFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before map[string]string
		want   string
	}{
		"new":            {nil, ""},
		"older":          {map[string]string{"data/secret.key": "", "data/x.db-wal": ""}, ""},
		"other files":    {map[string]string{"data/notes": ""}, "data/.gitignore\ndata/notes\n"},
		"own .gitignore": {map[string]string{"data/.gitignore": "/bin/\n/secret.key"}, "data/.gitignore\n"},
		"all ignored":    {map[string]string{"data/.gitignore": "*\n!.gitignore\n"}, "data/.gitignore\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			for name, text := range c.before {
				put(t, filepath.Join(dir, name), text)
			}
			var first string
			for range 2 { // the second changes nothing
				if err := MakeFor(filepath.Join(dir, "data"), 0o700, "secret.key", "x.db*"); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(filepath.Join(dir, "data", FileName))
				if err != nil || first != "" && string(text) != first {
					t.Errorf("%s contains %q, %v; before it was %q", FileName, text, err, first)
				}
				if first = string(text); !strings.HasPrefix(first, c.before["data/"+FileName]) {
					t.Errorf("%s contains %q, not what was there", FileName, text)
				}
				put(t, filepath.Join(dir, "data", "secret.key"), "")
				put(t, filepath.Join(dir, "data", "x.db-shm"), "")
			}
			if got := untracked(t, dir); got != c.want {
				t.Errorf("Git sees\n%swant\n%s", got, c.want)
			}
		})
	}
}

// Outside of a repository, a directory with other files stays as it is.
func TestMakeForOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "notes"), "")
	if err := MakeFor(dir, 0o700, "secret.key"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, FileName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("MakeFor wrote %s: %v", FileName, err)
	}
}
