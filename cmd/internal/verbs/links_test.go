package verbs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/gitignore"
	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
)

// TestWritesThroughNoLink puts a symbolic link of a repository in the way of everything that is written into one: for each
// directory of the path and the file itself, a link to the data of Git, and one out of the repository. What it leads to stays
// as it is, and an error names the link.
func TestWritesThroughNoLink(t *testing.T) {
	t.Parallel()
	base := packagedPanel(t)
	testkit.WriteFiles(t, base, map[string]string{
		".git/hooks/precious": "mine", "go.mod": "module example.com/x\n\ngo 1.25\n", "pkg/x/x.go": "package   x\n",
		"pkg/x/x_test.go": "package x\n", "checks/x": "",
	})
	for _, name := range []string{"magefile.go", ".github", "release"} {
		testkit.OK(t, os.RemoveAll(filepath.Join(base, name)))
	}
	for _, c := range []struct {
		name, path string
		run        func(t *testing.T, w *os.File, dir string) error
	}{
		{"init", "tools/x/mage.go", func(_ *testing.T, _ *os.File, dir string) error { return planned("tools/x/mage.go", dir).Apply() }},
		{"record of init", ".slipway/init.json", func(_ *testing.T, _ *os.File, dir string) error { return planned("other.go", dir).Apply() }},
		{"init --undo", "checks/x", func(t *testing.T, w *os.File, dir string) error {
			record := `{"files": [{"path": "checks/x", "exists": true, "before": "aGVsbG8=", "mode": 420, "after": "%x"}]}`
			testkit.WriteFile(t, filepath.Join(dir, ".slipway", "init.json"), fmt.Sprintf(record, sha256.Sum256(nil)))
			return runInit(t.Context(), w, initOptions{Dir: dir, Undo: true})
		}},
		{"init --undo of a new file", "checks/x", func(t *testing.T, w *os.File, dir string) error {
			record := `{"files": [{"path": "checks/x", "after": "%x"}]}`
			testkit.WriteFile(t, filepath.Join(dir, ".slipway", "init.json"), fmt.Sprintf(record, sha256.Sum256(nil)))
			return runInit(t.Context(), w, initOptions{Dir: dir, Undo: true})
		}},
		{"validate --fix", "src/plugin.json", func(t *testing.T, w *os.File, dir string) error {
			return runValidate(t.Context(), w, validateOptions{Path: dir, Fix: true})
		}},
		{"validate --output", "checks/report.txt", func(t *testing.T, w *os.File, dir string) error {
			return runValidate(t.Context(), w, validateOptions{Path: dir, Output: filepath.Join(dir, "checks", "report.txt")})
		}},
		{"validate --write-baseline", "checks/baseline.json", func(t *testing.T, w *os.File, dir string) error {
			return runValidate(t.Context(), w, validateOptions{Path: dir, WriteBaseline: filepath.Join(dir, "checks", "baseline.json")})
		}},
		{"scaffold --force", "src/plugin.json", func(t *testing.T, w *os.File, dir string) error {
			o := templates.Options{Type: "panel", ID: "acme-y-panel", Dir: dir, Force: true}
			return runScaffold(t.Context(), w, scaffoldOptions{Options: o})
		}},
		{"scaffold --update", ".github/workflows/ci.yml", func(t *testing.T, w *os.File, dir string) error {
			root, err := os.OpenRoot(dir)
			if err != nil {
				return err
			}
			defer root.Close()
			s, err := adopt.ReadScaffold(root)
			if err == nil {
				delete(s.Files, ".github/workflows/ci.yml")
				err = adopt.WriteScaffold(root, s)
			}
			return errors.Join(err, runUpdate(t.Context(), w, updateOptions{Dir: dir}))
		}},
		{"schema", "plugin.schema.json", func(_ *testing.T, w *os.File, dir string) error {
			return runSchema(w, schemaOptions{Dir: dir})
		}},
		{"build", "dist/img/logo.svg", func(t *testing.T, w *os.File, dir string) error {
			testkit.WriteFile(t, filepath.Join(dir, "src", "img", "logo.svg"), "<svg></svg>")
			_, err := Build(t.Context(), w, BuildOptions{Dir: dir})
			return err
		}},
		{"dev", "dist/img/logo.svg", func(t *testing.T, w *os.File, dir string) error {
			testkit.WriteFile(t, filepath.Join(dir, "src", "img", "logo.svg"), "<svg></svg>")
			repo, err := bundle.OpenRepo(dir)
			if err == nil {
				_, err = UpdateBuild(t.Context(), w, repo, BuildOptions{})
			}
			return err
		}},
		{"files that a build keeps", ".slipway/kept/x", func(t *testing.T, w *os.File, dir string) error {
			testkit.WriteFile(t, filepath.Join(dir, "dist", "mine"), "mine")
			_, err := Build(t.Context(), w, BuildOptions{Dir: dir})
			return err
		}},
		{"a build that was killed", ".slipway-build-1-previous-next", func(t *testing.T, w *os.File, dir string) error {
			testkit.WriteFile(t, filepath.Join(dir, ".slipway-build-1-previous", "plugin.json"), "{}")
			_, err := Build(t.Context(), w, BuildOptions{Dir: dir})
			return err
		}},
		{"package", "release/acme-x-panel-0.1.0.zip", func(t *testing.T, w *os.File, dir string) error {
			return runPackage(t.Context(), w, packageOptions{Dir: dir})
		}},
		{"package --out", "checks/release/x", func(t *testing.T, w *os.File, dir string) error {
			return runPackage(t.Context(), w, packageOptions{Dir: dir, Out: filepath.Join(dir, "checks", "release")})
		}},
		{"gosums", "dist/go_plugin_build_manifest", func(_ *testing.T, w *os.File, dir string) error { return runGoSums(w, dir) }},
		{"test --coverage", "coverage/backend.out", func(t *testing.T, w *os.File, dir string) error {
			return runTest(t.Context(), w, testOptions{Dir: dir, Coverage: true})
		}},
		{"format", "pkg/x/x.go", func(_ *testing.T, w *os.File, dir string) error { return runFormat(w, dir) }},
		{"data of a host", ".slipway/data/.gitignore", func(_ *testing.T, _ *os.File, dir string) error {
			return gitignore.MakeFor(filepath.Join(dir, ".slipway", "data"), 0o700, "secret.key")
		}},
	} {
		for at := c.path; at != "."; at = path.Dir(at) {
			for _, way := range []string{"git", "out"} {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, strings.ReplaceAll(at, "/", " "), way), func(t *testing.T) {
					t.Parallel()
					parent := t.TempDir()
					dir := filepath.Join(parent, "repo")
					testkit.OK(t, os.CopyFS(dir, os.DirFS(base)))
					around := filepath.Join(parent, "elsewhere")
					if way == "git" {
						around = filepath.Join(dir, ".git")
					}
					plant(t, filepath.Join(dir, filepath.FromSlash(at)), filepath.Join(around, "target"), at != c.path)
					before := contents(t, around)
					w, printed := captured(t)
					err := c.run(t, w, dir)
					if diff := cmp.Diff(before, contents(t, around)); diff != "" {
						t.Errorf("wrote through %s (-before +after):\n%s", at, diff)
					}
					text := printed() + errorText(err)
					if err != nil && !strings.Contains(text, "symbolic link") && !strings.Contains(text, "not a regular file") {
						t.Errorf("the error does not name the link:\n%s", text)
					}
				})
			}
		}
	}
}

// planned is a plan of init that creates one file.
func planned(name, dir string) *adopt.Plan {
	return &adopt.Plan{Root: dir, Dir: dir, Files: []adopt.File{{Path: name, After: []byte("package x\n")}}}
}

// plant moves a file or directory to the target, or creates it there, and makes a link to it in its place.
func plant(t *testing.T, link, target string, isDir bool) {
	t.Helper()
	testkit.OK(t, os.MkdirAll(filepath.Dir(target), 0o755))
	err := os.Rename(link, target)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isDir:
		err = os.Mkdir(target, 0o755)
	case errors.Is(err, fs.ErrNotExist):
		err = os.WriteFile(target, []byte("mine"), 0o600)
	}
	to, relErr := filepath.Rel(filepath.Dir(link), target)
	testkit.OK(t, err, relErr, os.MkdirAll(filepath.Dir(link), 0o755))
	if err := os.Symlink(to, link); err != nil {
		t.Skipf("cannot make symbolic links: %v", err)
	}
}

// contents returns the modes and contents of the files of a directory, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	testkit.OK(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := testkit.Must(d.Info())(t).Mode()
		files[name] = mode.String()
		if mode.IsRegular() {
			files[name] += " " + testkit.ReadFile(t, name)
		}
		return nil
	}))
	return files
}
