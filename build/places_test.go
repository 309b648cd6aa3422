package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestPlaces builds the same repository in all the places that a checkout can be in.
func TestPlaces(t *testing.T) {
	t.Parallel()
	commitTwo := func(t *testing.T, dir string) {
		commit(t, dir)
		testkit.WriteFile(t, filepath.Join(dir, "CHANGELOG.md"), "# Two\n")
		testkit.Git(t, dir, "add", ".")
		testkit.Git(t, dir, "commit", "-q", "-m", "two")
	}
	for name, move := range map[string]func(t *testing.T, dir string) (string, []string){
		"no git": func(_ *testing.T, dir string) (string, []string) { return dir, nil },
		"a path with spaces and quotes": func(t *testing.T, dir string) (string, []string) {
			to := filepath.Join(filepath.Dir(dir), "a 'b' $c; [d]")
			testkit.OK(t, os.Rename(dir, to))
			return to, nil
		},
		"a symbolic link": func(t *testing.T, dir string) (string, []string) { return link(t, dir), nil },
		"a symbolic link, with plugin.json at the root": func(t *testing.T, dir string) (string, []string) {
			for _, name := range []string{"plugin.json", "module.js", "img"} {
				testkit.OK(t, os.Rename(filepath.Join(dir, "src", name), filepath.Join(dir, name)))
			}
			return link(t, dir), nil
		},
		"a dirty tree": func(t *testing.T, dir string) (string, []string) {
			commitTwo(t, dir)
			testkit.WriteFile(t, filepath.Join(dir, "README.md"), "# Dirty\n")
			return dir, []string{"CHANGELOG.md"}
		},
		"a worktree": func(t *testing.T, dir string) (string, []string) {
			commitTwo(t, dir)
			to := filepath.Join(filepath.Dir(dir), "worktree")
			testkit.Git(t, dir, "worktree", "add", "-q", to)
			return to, []string{"CHANGELOG.md"}
		},
		"a shallow clone": func(t *testing.T, dir string) (string, []string) {
			commitTwo(t, dir)
			to := filepath.Join(filepath.Dir(dir), "clone")
			testkit.Git(t, dir, "clone", "-q", "--depth=1", "file://"+dir, to)
			return to, []string{"CHANGELOG.md"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, more := move(t, repo(t))
			o := options(dir, bundle.Host())
			r := mustBuild(t, o)
			want := slices.Sorted(slices.Values(append(more, "README.md", bundle.Host().Executable("gpx_x"), "img", "module.js", "plugin.json")))
			if got := listing(t, r.Dist); !slices.Equal(got, want) {
				t.Errorf("dist contains %q, want %q", got, want)
			}
			if e := mustBuild(t, o).Executables[0]; !e.UpToDate {
				t.Error("not up to date when built again")
			}
		})
	}
}

func link(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, to); err != nil {
		t.Skipf("cannot make symbolic links: %v", err)
	}
	return to
}

// TestReadOnly requires that a repository that cannot be written to is refused with the
// reason, and that read-only files in it are built.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	chmod := func(name string, mode os.FileMode) {
		testkit.OK(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	for _, name := range []string{"src/plugin.json", "src/module.js", "pkg/main.go", "go.mod", "src/img/l.svg"} {
		chmod(name, 0o444)
	}
	for _, name := range []string{"src/img", "src", "pkg"} {
		chmod(name, 0o555)
		defer chmod(name, 0o755)
	}
	o := options(dir, bundle.Host())
	mustBuild(t, o)
	mustBuild(t, o)
	if os.Geteuid() == 0 {
		t.Skip("the superuser can write to a read-only directory")
	}
	chmod(".", 0o555)
	defer chmod(".", 0o755)
	if _, err := Plugin(t.Context(), o); err == nil || !strings.Contains(err.Error(), "which must be writable") {
		t.Errorf("error %v", err)
	}
}

// TestTextsAndJunk requires that a license of any of its usual names is shipped as LICENSE, and that what editors and
// systems leave behind is not shipped, and named.
func TestTextsAndJunk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ files, want, left string }{
		{"LICENSE", "LICENSE<LICENSE", ""},
		{"LICENSE.md", "LICENSE<LICENSE.md", ""},
		{"license.txt", "LICENSE<license.txt", ""},
		{"LICENCE COPYING", "LICENSE<LICENCE", ""},
		{"src/LICENSE.md LICENSE", "LICENSE.md<src/LICENSE.md LICENSE<LICENSE", ""},
		{"src/License", "LICENSE<src/License", ""},
		{"src/Thumbs.db src/img/logo.svg.orig src/img/x~ src/__MACOSX/a src/desktop.ini src/.DS_Store", "",
			"src/Thumbs.db src/__MACOSX src/desktop.ini src/img/logo.svg.orig src/img/x~"},
	} {
		dir := repo(t)
		for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
			_ = os.Remove(filepath.Join(dir, name)) // of the example
		}
		for name := range strings.FieldsSeq(c.files) {
			testkit.WriteFile(t, filepath.Join(dir, filepath.FromSlash(name)), "x")
		}
		p := testkit.Must(PlanSources(mustOpen(t, dir), config.Frontend{}))(t)
		var got, left []string
		for _, a := range p.Assets {
			if strings.Contains(c.files, filepath.ToSlash(a.From)) {
				got = append(got, a.To+"<"+filepath.ToSlash(a.From))
			}
		}
		for _, w := range p.warnings {
			name, _, _ := strings.Cut(w, " is left out")
			left = append(left, filepath.ToSlash(name))
		}
		slices.Sort(left)
		if strings.Join(got, " ") != c.want || strings.Join(left, " ") != c.left {
			t.Errorf("%s: %v, left out %v", c.files, got, left)
		}
	}
}

func mustOpen(t *testing.T, dir string) bundle.Repo {
	t.Helper()
	return testkit.Must(openRepo(dir))(t)
}
