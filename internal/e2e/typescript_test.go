//go:build e2e && unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
)

// TestTypeScript installs the packages of the scaffolds from their lockfile, once: the lockfile is the same.
// It runs what their workflow runs, with -short only for the data source, and shows that a wrong type and a failing test are noticed.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	dir := t.TempDir()
	slipway := slipwayCommand(t)
	installed := ""
	for _, kind := range templates.Types() {
		for _, backend := range []string{"true", "false"} {
			if !kind.HasFrontend || backend == "false" && kind.Name != string(bundle.TypeApp) { // only its frontend differs
				continue
			}
			if testing.Short() && kind.Name != string(bundle.TypeDatasource) {
				t.Logf("%s, backend %s: left out by -short", kind.Name, backend)
				continue
			}
			id := "acme-typed" + backend + "-" + kind.Name
			repo := filepath.Join(dir, id)
			run(t, 0, dir, slipway, "scaffold", kind.Name, id, "--backend="+backend)
			packages := filepath.Join(repo, "node_modules")
			if installed == "" {
				cmd := exec.CommandContext(t.Context(), "npm", "ci", "--silent", "--no-audit", "--no-fund")
				cmd.Dir = repo
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Skipf("npm ci, perhaps offline: %v\n%s", err, out)
				}
			} else if err := os.Rename(installed, packages); err != nil {
				t.Fatal(err)
			}
			installed = packages
			if out := run(t, 0, repo, slipway, "test"); !strings.Contains(out, "running npm run typecheck\n") || strings.Contains(out, "did not run") {
				t.Errorf("%s:\n%s", id, out)
			}
			run(t, 0, repo, slipway, "lint")
		}
	}
	repo := filepath.Dir(installed)
	for file, c := range map[string]struct{ text, want string }{
		"src/wrong.tsx":     {"export const wrong: number = 'text';\n", "src/wrong.tsx(1,14): error TS2322"},
		"src/fail.test.tsx": {"test('fails', () => expect(1).toBe(2));\n", "FAIL"},
		"src/lint.ts":       {"export var old = 1 == (2 as number);\n", "no-var"},
	} {
		testkit.WriteFile(t, filepath.Join(repo, filepath.FromSlash(file)), c.text)
		target := "test"
		if c.want == "no-var" {
			target = "lint"
		}
		if out := run(t, 1, repo, "go", "tool", "mage", target); !strings.Contains(out, c.want) {
			t.Errorf("%s: the output of %s lacks %q:\n%s", file, target, c.want, out)
		}
		testkit.OK(t, os.Remove(filepath.Join(repo, filepath.FromSlash(file))))
	}
}

// TestTypes checks the types of a scaffold on a machine that has Go and no Node.js.
func TestTypes(t *testing.T) {
	t.Parallel()
	dir, bin, slipway := t.TempDir(), t.TempDir(), slipwayCommand(t)
	repo := filepath.Join(dir, "acme-typed-panel")
	run(t, 0, dir, slipway, "scaffold", "panel", "acme-typed-panel")
	testkit.OK(t, os.Symlink(testkit.Must(exec.LookPath("go"))(t), filepath.Join(bin, "go")))
	do := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), slipway, args...)
		cmd.Dir, cmd.Env = repo, append(os.Environ(), "PATH="+bin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := do("test"); err != nil || !strings.Contains(out, "run npm ci first, or slipway deps --types, which needs no Node.js\n") {
		t.Errorf("before deps: %v\n%s", err, out)
	}
	if out, err := do("deps", "--types"); err != nil {
		t.Skipf("deps, perhaps offline: %v\n%s", err, out)
	}
	if out, err := do("test"); err != nil || !strings.Contains(out, "\nchecked types with TypeScript 7") {
		t.Errorf("%v\n%s", err, out)
	}
	testkit.WriteFile(t, filepath.Join(repo, "src", "wrong.tsx"), "import { Button } from '@grafana/ui';\nexport const wrong = Button({ size: 1 });\n")
	if out, err := do("lint"); err == nil || !strings.Contains(out, "\nsrc/wrong.tsx(2,31): error TS2322: Type 'number' is not assignable to type 'ComponentSize | undefined'.\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
