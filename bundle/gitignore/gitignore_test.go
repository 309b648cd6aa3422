package gitignore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// untracked returns the files that "git add" would add.
func untracked(t *testing.T, dir string) string {
	t.Helper()
	return strings.ReplaceAll(testkit.Git(t, dir, "status", "--porcelain", "--untracked-files=all"), "?? ", "")
}

func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q")
	return dir
}

func TestMake(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	root := testkit.Must(os.OpenRoot(dir))(t)
	defer root.Close()
	testkit.WriteFile(t, filepath.Join(dir, "theirs", FileName), "!*\n")
	testkit.WriteFile(t, filepath.Join(dir, "older", "secret"), "")
	for _, name := range []string{"new/below", "older", "theirs"} {
		testkit.OK(t, Make(root, name))
		testkit.WriteFile(t, filepath.Join(dir, name, "secret"), "")
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
			testkit.WriteFiles(t, dir, c.before)
			var first string
			for range 2 { // the second changes nothing
				testkit.OK(t, MakeFor(filepath.Join(dir, "data"), 0o700, "secret.key", "x.db*"))
				text, err := os.ReadFile(filepath.Join(dir, "data", FileName))
				if err != nil || first != "" && string(text) != first {
					t.Errorf("%s contains %q, %v; before it was %q", FileName, text, err, first)
				}
				if first = string(text); !strings.HasPrefix(first, c.before["data/"+FileName]) {
					t.Errorf("%s contains %q, not what was there", FileName, text)
				}
				testkit.WriteFile(t, filepath.Join(dir, "data", "secret.key"), "")
				testkit.WriteFile(t, filepath.Join(dir, "data", "x.db-shm"), "")
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
	testkit.WriteFile(t, filepath.Join(dir, "notes"), "")
	testkit.OK(t, MakeFor(dir, 0o700, "secret.key"))
	if _, err := os.Lstat(filepath.Join(dir, FileName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("MakeFor wrote %s: %v", FileName, err)
	}
}
