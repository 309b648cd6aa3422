package packages

import (
	"path/filepath"
	"strings"
	"testing"
)

// What the repository says is in the lockfile, or the package is refused, as npm ci and frozen lockfiles refuse it.
func TestStale(t *testing.T) {
	t.Parallel()
	const (
		npmLock   = `{"packages": {"": {"dependencies": {"a": "^1.0.0"}}, "node_modules/a": {"version": "1.2.0"}}}`
		yarn1     = "# yarn lockfile v1\n\na@^1.0.0:\n  version \"1.2.0\"\n"
		pnpm      = "importers: {.: {dependencies: {a: {specifier: ^1.0.0, version: 1.2.0}}}}\npackages: {a@1.2.0: {}}\n"
		cataloged = "importers: {.: {dependencies: {a: {specifier: 'catalog:', version: 1.2.0}}}}\npackages: {a@1.2.0: {}}\n" +
			"catalogs: {default: {a: {specifier: ^1.0.0, version: 1.2.0}}}"
		twice      = `{"dependencies": {"a": "^1.0.0"}, "devDependencies": {"a": "^2.0.0"}}`
		extensions = "packageExtensions: {a: {dependencies: {b: '1'}}}"
	)
	for name, c := range map[string]struct{ file, lock, manifest, more, want string }{
		"npm":                {"package-lock.json", npmLock, `{"dependencies": {"a": "^1.0.0"}}`, "", ""},
		"npm, satisfied":     {"package-lock.json", npmLock, `{"dependencies": {"a": "^1.2.0"}}`, "", ""},
		"npm, other range":   {"package-lock.json", npmLock, `{"dependencies": {"a": "^2.0.0"}}`, "", "package-lock.json is older than package.json, which requires a@^2.0.0; run npm install"},
		"npm, other package": {"package-lock.json", npmLock, `{"dependencies": {"a": "npm:b@^1.0.0"}}`, "", "requires a@npm:b@^1.0.0"},
		"npm, not there":     {"package-lock.json", `{"packages": {}}`, `{"devDependencies": {"a": "1"}}`, "", "requires a@1"},
		"npm, optional":      {"package-lock.json", `{"packages": {}}`, `{"optionalDependencies": {"a": "1"}}`, "", "not found"},
		"npm, twice": {"package-lock.json", `{"packages": {"": ` + twice + `, "node_modules/a": {"version": "2.0.0"}}}`,
			`{"optionalDependencies": {"a": "1"}, ` + twice[1:], "", ""},
		"Yarn 1, twice":      {"yarn.lock", yarn1, twice, "", ""},
		"Yarn 2, twice":      {"yarn.lock", "\n__metadata:\n  version: 8\n\n\"a@npm:^2.0.0\":\n  version: 2.0.0\n  resolution: \"a@npm:2.0.0\"\n", twice, "", ""},
		"pnpm, twice":        {"pnpm-lock.yaml", pnpm, twice, "", ""},
		"npm 6":              {"package-lock.json", `{"dependencies": {"a": {"version": "1.2.0"}}}`, `{"dependencies": {"a": "~1.1.0"}}`, "", "requires a@~1.1.0"},
		"Yarn 1":             {"yarn.lock", yarn1, `{"dependencies": {"a": "^1.1.0"}}`, "", "yarn.lock has no entry for a@^1.1.0, which package.json requires; run yarn install"},
		"Yarn 1, resolved":   {"yarn.lock", yarn1, `{"dependencies": {"a": "^1.0.0"}, "resolutions": {"**/a": "1.2.0"}}`, "", ""},
		"Yarn 1, resolution": {"yarn.lock", yarn1, `{"dependencies": {"a": "^1.0.0"}, "resolutions": {"a": "1.1.0"}}`, "", "has version 1.2.0, but package.json resolves it to 1.1.0"},
		"pnpm, other range":  {"pnpm-lock.yaml", pnpm, `{"dependencies": {"a": "^1.2.0"}}`, "", "pnpm-lock.yaml is older than package.json, which requires a@^1.2.0; run pnpm install"},
		"pnpm, overridden": {"pnpm-lock.yaml", pnpm + "overrides: {a: ^1.0.0}",
			`{"dependencies": {"a": "1"}, "pnpm": {"overrides": {"a": "^1.0.0"}}}`, "", ""},
		"pnpm, override":      {"pnpm-lock.yaml", pnpm, `{"dependencies": {"a": "^1.0.0"}, "pnpm": {"overrides": {"b>a@1": "1.1.0"}}}`, "", "is older than the override of b>a@1"},
		"pnpm, override of a": {"pnpm-lock.yaml", pnpm, "", "overrides: {a: 1.1.0}", "is older than the override of a"},
		"pnpm, no longer":     {"pnpm-lock.yaml", pnpm + "overrides: {a: 1.2.0}", "", "", "overrides a, which the repository no longer does"},
		"pnpm, catalog":       {"pnpm-lock.yaml", cataloged, `{"dependencies": {"a": "catalog:"}}`, "catalog: {a: ^1.0.0}", ""},
		"pnpm, other catalog": {"pnpm-lock.yaml", cataloged, `{"dependencies": {"a": "catalog:"}}`, "catalog: {a: ^1.1.0}", "is older than the catalogs"},
		"pnpm, extended":      {"pnpm-lock.yaml", pnpm + "packageExtensionsChecksum: x", "", extensions, ""},
		"pnpm, extensions":    {"pnpm-lock.yaml", pnpm, "", extensions, "is older than packageExtensions"},
		"pnpm, patch":         {"pnpm-lock.yaml", pnpm, "", "patchedDependencies: {a@1.2.0: patches/a.patch}", "the repository patches packages"},
		"pnpm, other patch":   {"pnpm-lock.yaml", pnpm, "", "patchedDependencies: {a@1.1.0: patches/a.patch}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustOpen(t, repo(t, newRegistry(t), map[string]string{c.file: c.lock, "package.json": c.manifest, "pnpm-workspace.yaml": c.more}))
			importer, got := filepath.Join(s.options.Root, "src", "module.ts"), ""
			if p := s.find(importer, "a"); p == nil {
				got = "not found"
			} else if refused := s.refusal(importer, p); refused != nil {
				got = refused.Text + "; " + refused.Help
			}
			if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A key of the resolutions of Yarn 1 is a name, or a pattern of paths from the repository.
func TestResolutionPaths(t *testing.T) {
	t.Parallel()
	const lockfile = "# yarn lockfile v1\n\na@1:\n  version \"1.2.0\"\nb@1:\n  version \"1.0.0\"\n  dependencies:\n    \"@c/d\" \"1\"\n" +
		"\"@c/d@1\":\n  version \"1.0.0\"\n  dependencies:\n    a \"1\"\n    b \"1\"\n"
	for key, want := range map[string]bool{
		"a": true, "**/a": true, "b/**/a": true, "b/@c/d/a": true, "b/@c/?/a": true, "**/@c/d/a": true, "@c/d/a": false, "b/a": false, "**/b/a": false, "x/**/a": false,
		"b/@c/d/b/@c/d/a": true,
	} {
		s := mustOpen(t, repo(t, newRegistry(t), map[string]string{"yarn.lock": lockfile, "package.json": `{"dependencies": {"b": "1"}, "resolutions": {"` + key + `": "1.1.0"}}`}))
		if a := s.lock.above(".").find("b").requires()["@c/d"].requires()["a"]; (a.refused != nil) != want {
			t.Errorf("%s: got %v, want %v", key, a.refused, want)
		}
	}
}

// packageExtensions of Yarn 2 and later add to what a package requires.
func TestExtensions(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, repo(t, newRegistry(t), map[string]string{
		".yarnrc.yml": "packageExtensions: {a@1: {dependencies: {b: ^1.0.0}}, a@2: {dependencies: {b: ^2.0.0}}}",
		"yarn.lock":   yarnLock("a@npm:^1.0.0 > a@npm:1.0.0\nb@npm:^1.0.0 > b@npm:1.5.0\nb@npm:2, b@npm:^2.0.0 > b@npm:2.5.0"),
	}))
	if b := s.lock.above(".").find("a").requires()["b"]; b == nil || b.Version != "1.5.0" {
		t.Errorf("a requires %+v, want b@1.5.0", b)
	}
}
