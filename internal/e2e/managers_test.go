//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// managers are package managers of the registry, with the files that run them and their commands.
var managers = []struct{ spec, program, command string }{
	{"npm@6", "npm/bin/npm-cli.js", "install --ignore-scripts --no-audit"},
	{"npm@7", "npm/bin/npm-cli.js", "install --ignore-scripts --no-audit"},
	{"npm@8", "npm/bin/npm-cli.js", "install --ignore-scripts --no-audit"},
	{"npm@9", "npm/bin/npm-cli.js", "install --ignore-scripts --no-audit"},
	{"npm@10", "npm/bin/npm-cli.js", "install --ignore-scripts --no-audit"},
	{"npm@11", "npm/bin/npm-cli.js", "install --ignore-scripts --no-audit"},
	{"yarn@1", "yarn/bin/yarn.js", "install --ignore-scripts -W"},
	{"@yarnpkg/cli-dist@2", "@yarnpkg/cli-dist/bin/yarn.js", "install"},
	{"@yarnpkg/cli-dist@3", "@yarnpkg/cli-dist/bin/yarn.js", "install"},
	{"@yarnpkg/cli-dist@4", "@yarnpkg/cli-dist/bin/yarn.js", "install"},
	{"pnpm@6", "pnpm/bin/pnpm.cjs", "install --ignore-scripts"},
	{"pnpm@7", "pnpm/bin/pnpm.cjs", "install --ignore-scripts"},
	{"pnpm@8", "pnpm/bin/pnpm.cjs", "install --ignore-scripts"},
	{"pnpm@9", "pnpm/bin/pnpm.cjs", "install --ignore-scripts"},
	{"pnpm@10", "pnpm/bin/pnpm.cjs", "install --ignore-scripts"},
	{"pnpm@11", "pnpm/bin/pnpm.mjs", "install --ignore-scripts"},
	{"pnpm@12", "pnpm/bin/pnpm.mjs", "install --ignore-scripts"},
}

const msPatch = "diff --git a/index.js b/index.js\n--- a/index.js\n+++ b/index.js\n@@ -1,3 +1,3 @@\n /**\n- * Helpers.\n+ * Patched.\n  */\n"

// features are what repositories do about versions, in the ways of all package managers, and the imports that show it:
// a directory, and names that each one imports the next.
var features = []struct {
	name    string
	files   map[string]string
	imports []string
}{
	{"range", map[string]string{"package.json": `"dependencies": {"ms": "^2.0.0"}`}, []string{". ms"}},
	{"conflict", map[string]string{"package.json": `"dependencies": {"ms": "1.0.0", "debug": "4.3.4"}`}, []string{". ms", ". debug ms"}},
	{"override", map[string]string{
		"package.json": `"dependencies": {"ms": "^2.0.0", "debug": "4.3.4"}, "resolutions": {"debug/ms": "2.1.1"},
			"overrides": {"debug": {"ms": "2.1.1"}}, "pnpm": {"overrides": {"debug>ms": "2.1.1"}}`,
		"pnpm-workspace.yaml": "packages: []\noverrides: {'debug>ms': 2.1.1}\n",
	}, []string{". ms", ". debug ms"}},
	{"alias", map[string]string{"package.json": `"dependencies": {"ms2": "npm:ms@2.0.0", "ms": "2.1.3"}`}, []string{". ms2", ". ms"}},
	{"workspace", map[string]string{
		"package.json": `"workspaces": ["packages/*"], "dependencies": {"ms": "2.0.0"}`, "pnpm-workspace.yaml": "packages: ['packages/*']\n",
		"packages/b/package.json": `"dependencies": {"ms": "1.0.0", "debug": "4.3.4"}`,
	}, []string{". ms", "packages/b ms", "packages/b debug ms"}},
	{"catalog", map[string]string{
		"package.json": `"dependencies": {"ms": "catalog:", "debug": "catalog:old"}`,
		".yarnrc.yml":  "catalog: {ms: ^1.0.0}\ncatalogs: {old: {debug: ^2.0.0}}\n", "pnpm-workspace.yaml": "packages: []\ncatalog: {ms: ^1.0.0}\ncatalogs: {old: {debug: ^2.0.0}}\n",
	}, []string{". ms", ". debug", ". debug ms"}},
	{"pnpm's patch", map[string]string{
		"package.json": `"dependencies": {"ms": "2.1.3"}, "pnpm": {"patchedDependencies": {"ms@2.1.3": "ms.patch"}}`, "ms.patch": msPatch,
		"pnpm-workspace.yaml": "packages: []\npatchedDependencies: {ms@2.1.3: ms.patch}\n",
	}, []string{". ms"}},
	{"Yarn's patch", map[string]string{"package.json": `"dependencies": {"ms": "patch:ms@npm%3A2.1.3#./ms.patch"}`, "ms.patch": msPatch}, []string{". ms"}},
	{"peer and optional", map[string]string{
		"package.json": `"dependencies": {"ajv": "6.12.6", "ajv-keywords": "3.5.2"}, "optionalDependencies": {"ms": "2.0.0"}`,
	}, []string{". ajv", ". ajv-keywords ajv", ". ms"}},
	{"packageExtensions", map[string]string{
		"package.json": `"dependencies": {"ms": "2.0.0", "is-number": "6.0.0"},
			"pnpm": {"packageExtensions": {"is-number@6": {"dependencies": {"ms": "1.0.0"}}}}`,
		"pnpm-workspace.yaml": "packages: []\npackageExtensions: {is-number@6: {dependencies: {ms: 1.0.0}}}\n",
		".yarnrc.yml":         "packageExtensions: {is-number@6: {dependencies: {ms: 1.0.0}}}\n",
	}, []string{". ms", ". is-number ms"}},
	{"scope", map[string]string{
		"package.json": `"dependencies": {"@sindresorhus/is": "^4.0.0"}`, ".npmrc": "@sindresorhus:registry=https://registry.npmjs.org/\n",
		".yarnrc.yml": "npmScopes: {sindresorhus: {npmRegistryServer: 'https://registry.npmjs.org'}}\n",
	}, []string{". @sindresorhus/is"}},
}

// TestPackageManagers requires that imports get the versions that each package manager installs, or a refusal.
func TestPackageManagers(t *testing.T) {
	if testing.Short() {
		t.Skip("17 package managers install 11 repositories each: the nightly run has them")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed: the test needs it for the package managers of its registry")
	}
	for _, m := range managers {
		t.Run(m.spec, func(t *testing.T) {
			tools := t.TempDir()
			if err := npmInstall(t, tools, m.spec); err != nil {
				t.Skip(err)
			}
			for _, f := range features {
				isPNPM := strings.HasPrefix(m.spec, "pnpm")
				if isPNPM && f.name == "Yarn's patch" {
					continue // which pnpm takes for a path
				}
				t.Run(f.name, func(t *testing.T) {
					root := t.TempDir()
					for name, text := range f.files {
						if filepath.Base(name) == "package.json" {
							text = `{"name": "` + filepath.Base(filepath.Dir("case/"+name)) + `", "version": "1.0.0", "private": true, ` + text + "}"
						}
						if isPNPM {
							text = strings.Replace(text, `"resolutions"`, `"unread"`, 1) // of another form
						} else if name == "pnpm-workspace.yaml" {
							continue
						}
						testkit.WriteFile(t, filepath.Join(root, name), text)
					}
					testkit.WriteFile(t, filepath.Join(root, ".yarnrc.yml"), f.files[".yarnrc.yml"]+"nodeLinker: node-modules\nenableGlobalCache: false\n")
					testkit.WriteFile(t, filepath.Join(root, ".git", "HEAD"), "")
					cmd := exec.Command("node", append([]string{filepath.Join(tools, "node_modules", m.program)}, strings.Fields(m.command)...)...)
					cmd.Dir, cmd.Env = root, append(os.Environ(), "CI=1", "YARN_ENABLE_IMMUTABLE_INSTALLS=0", "YARN_ENABLE_TELEMETRY=0", "npm_config_frozen_lockfile=false", "npm_config_fetch_retries=0")
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Skipf("%s does not install this: %v\n%s", m.spec, err, out)
					}
					store := testkit.Must(packages.Open(packages.Options{Root: root, CacheDir: t.TempDir(), Environ: os.Environ()}))(t)
					for _, imported := range f.imports {
						compareImport(t, store, root, strings.Fields(imported))
					}
				})
			}
		})
	}
}

// compareImport follows imports from a directory, in the packages of a store and in node_modules.
func compareImport(t *testing.T, store *packages.Store, root string, path []string) {
	t.Helper()
	ours, installed := filepath.Join(root, path[0], "module.js"), filepath.Join(root, path[0])
	for _, name := range path[1:] {
		dir, ok, err := store.Dir(t.Context(), ours, name)
		if refused, isRefused := errors.AsType[*packages.RefusedError](err); isRefused {
			t.Logf("%v: refused: %s", path, refused.Text)
			return
		} else if err != nil || !ok {
			t.Errorf("%v: %t, %v", path, ok, err)
			return
		}
		ours = filepath.Join(dir, "node_modules", name, "package.json")
		for ; ; installed = filepath.Dir(installed) {
			if real, err := filepath.EvalSymlinks(filepath.Join(installed, "node_modules", name)); err == nil {
				installed = real
				break
			} else if installed == filepath.Dir(installed) {
				t.Errorf("%v: %s is not installed", path, name)
				return
			}
		}
		if got, want := versionIn(t, ours), versionIn(t, filepath.Join(installed, "package.json")); got != want {
			t.Errorf("%v: %s, but %s is installed", path, got, want)
		} else {
			t.Logf("%v: %s", path, got)
		}
	}
}

func versionIn(t *testing.T, file string) string {
	t.Helper()
	var p struct{ Name, Version string }
	text, err := os.ReadFile(file)
	testkit.OK(t, err, json.Unmarshal(text, &p))
	return p.Name + "@" + p.Version
}
