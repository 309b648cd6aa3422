package packages

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// yarnLock writes a yarn.lock from lines "keys > resolution > dependency, dependency".
func yarnLock(entries string) string {
	var b strings.Builder
	b.WriteString("\n__metadata:\n  version: 8\n")
	for line := range strings.FieldsFuncSeq(entries, func(r rune) bool { return r == '\n' }) {
		part := strings.Split(strings.TrimSpace(line), " > ")
		if len(part) < 2 {
			continue
		}
		version := part[1][strings.LastIndexAny(part[1], ":@=")+1:]
		b.WriteString("\n\"" + part[0] + "\":\n  version: " + version + "\n  resolution: \"" + part[1] + "\"\n  dependencies:\n")
		for _, dependency := range part[2:] {
			name, wanted, _ := strings.Cut(dependency, " ")
			b.WriteString("    \"" + name + "\": \"" + wanted + "\"\n")
		}
	}
	return b.String()
}

// The versions are those that Yarn 4.18 installs with this package.json.
func TestYarnResolutions(t *testing.T) {
	t.Parallel()
	o := repo(t, newRegistry(t), map[string]string{
		"package.json": `{
			"name": "case",
			"workspaces": ["packages/*"],
			"dependencies": {"debug": "catalog:", "debug2": "npm:debug@2.6.9", "@babel/code-frame": "7.22.5", "b": "workspace:^", "ms": "catalog:old"},
			"resolutions": {"debug/ms": "2.1.1", "debug2@npm:debug@2.6.9": "npm:debug@2.6.8", "@babel/code-frame/@babel/highlight": "7.22.5",
				"chalk@npm:^2.4.2": "2.4.1", "b/ms": "0.7.1", "debug@npm:2.6.8/ms": "0.7.0"}}`,
		"packages/b/package.json": `{"name": "b", "dependencies": {"ms": "^2.0.0"}}`,
		".yarnrc.yml":             "catalog: {debug: 4.3.4}\ncatalogs: {old: {ms: 1.0.0}}",
		"yarn.lock": yarnLock(`
			@babel/code-frame@npm:7.22.5 > @babel/code-frame@npm:7.22.5 > @babel/highlight npm:^7.22.5
			@babel/highlight@npm:7.22.5 > @babel/highlight@npm:7.22.5 > chalk npm:^2.0.0
			b@workspace:^, b@workspace:packages/b > b@workspace:packages/b > ms npm:^2.0.0
			chalk@npm:^2.0.0 > chalk@npm:2.4.2
			debug2@npm:debug@2.6.8 > debug@npm:2.6.8 > ms npm:2.0.0
			debug@npm:4.3.4 > debug@npm:4.3.4 > ms npm:2.1.2 > lost npm:1.0.0
			ms@npm:0.7.1 > ms@npm:0.7.1
			ms@npm:1.0.0 > ms@npm:1.0.0
			ms@npm:2.1.1 > ms@npm:2.1.1`),
	})
	s := mustOpen(t, o)
	got := map[string]string{}
	for _, path := range []string{"ms", "debug", "debug ms", "debug2", "debug2 ms", "@babel/code-frame @babel/highlight chalk", "b ms", "debug lost"} {
		at := "src"
		if strings.HasPrefix(path, "b ") {
			at, path = "packages/b/src", strings.TrimPrefix(path, "b ")
		}
		in := s.lock.above(at)
		for name := range strings.FieldsSeq(path) {
			p := in.find(name)
			if p == nil {
				t.Fatalf("%s: no %s", path, name)
			}
			in, got[at+": "+path] = p.scope, p.Version
			if p.refused != nil {
				got[at+": "+path] = p.refused.Error()
			}
		}
	}
	want := map[string]string{
		"src: ms": "1.0.0", "src: debug": "4.3.4", "src: debug ms": "2.1.1", "src: debug2": "2.6.8", "src: debug2 ms": "2.1.1",
		"src: @babel/code-frame @babel/highlight chalk": "2.4.2", "packages/b/src: ms": "0.7.1",
		"src: debug lost": "yarn.lock has no entry for lost@npm:1.0.0, which debug requires",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is not downloaded is refused with the command that installs it. What no package.json lists is just not found.
func TestManagersRefused(t *testing.T) {
	t.Parallel()
	npmLock := func(url string) string {
		return `{"packages": {"node_modules/a": {"version": "1.0.0", "resolved": "` + url + `"}}}`
	}
	for name, c := range map[string]struct{ file, text, importer, want, help string }{
		"bun":      {"bun.lock", "{}", "src/m.ts", "a: the lockfile of Bun is not read", "bun install"},
		"old bun":  {"bun.lockb", "\x00", "src/m.ts", "a: the lockfile of Bun is not read", "bun install"},
		"old pnpm": {"pnpm-lock.yaml", "lockfileVersion: 5.4\ndependencies: {a: 1.0.0}", "src/m.ts", "a: pnpm-lock.yaml is of pnpm 7 or older", "pnpm install"},
		"git":      {"package-lock.json", npmLock("git+ssh://git@example.com/a.git#12"), "src/m.ts", "not the address of a registry", "run npm install"},
		"tarball":  {"package-lock.json", npmLock("https://codeload.github.com/b/a/tar.gz/12"), "src/m.ts", "packages from codeload.github.com are", "used as they are"},
		"registry": {"package-lock.json", npmLock("https://example.com/a/-/a-1.0.0.tgz"), "src/m.ts", "packages from example.com are", "as the registry in .npmrc"},
		"pnpm, git": {"pnpm-lock.yaml", "importers: {.: {dependencies: {a: {version: 'https://codeload.github.com/b/a/tar.gz/12'}}}}\n" +
			"packages: {'a@https://codeload.github.com/b/a/tar.gz/12': {resolution: {tarball: 'https://codeload.github.com/b/a/tar.gz/12'}, version: 1.0.0}}",
			"src/m.ts", "packages from codeload.github.com are", "pnpm install"},
		"Yarn, git": {"yarn.lock", yarnLock("a@b/a#1, a@npm:^1.0.0 > a@https://github.com/b/a.git#commit=1"), "src/m.ts", "packages from github.com are", "nodeLinker"},
		"Yarn 1, git": {"yarn.lock", "# yarn lockfile v1\n\na@^1.0.0:\n  version \"1.0.0\"\n  resolved \"git+https://github.com/b/a.git#1\"\n",
			"src/m.ts", "not the address of a registry", "run yarn install:"},
		"Plug'n'Play": {"yarn.lock", yarnLock("a@npm:^1.0.0 > a@npm:1.0.0"), ".yarn/cache/b-npm-1.0.0-12.zip/node_modules/b/i.js", "Plug'n'Play are not read", "nodeLinker"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustOpen(t, repo(t, newRegistry(t), map[string]string{c.file: c.text}))
			importer := filepath.Join(s.options.Root, filepath.FromSlash(c.importer))
			_, ok, err := s.Dir(t.Context(), importer, "a")
			refused, _ := errors.AsType[*RefusedError](err)
			if !ok || refused == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(refused.Help, c.help) {
				t.Errorf("%t, %v, %+v", ok, err, refused)
			}
			if _, ok, err := s.Dir(t.Context(), filepath.Join(s.options.Root, "src", "m.ts"), "unlisted"); ok || err != nil {
				t.Errorf("an unlisted package: %t, %v", ok, err)
			}
		})
	}
}

// A package that the repository patches is refused, however the patch is written down, unless the patch is one of
// those that Yarn brings for tools.
func TestPatched(t *testing.T) {
	t.Parallel()
	const help = ": packages in node_modules are used as they are"
	for name, c := range map[string]struct {
		files     map[string]string
		isPatched bool
		help      string
	}{
		"Yarn, in dependencies": {map[string]string{
			"package.json": `{"dependencies": {"a": "patch:a@npm%3A1.0.0#~/.yarn/patches/a.patch"}}`,
			"yarn.lock":    yarnLock("a@npm:1.0.0 > a@npm:1.0.0\na@patch:a@npm%3A1.0.0#~/.yarn/patches/a.patch > a@patch:a@npm%3A1.0.0#~/.yarn/patches/a.patch::hash=12&version=1.0.0"),
		}, true, "yarn install, with nodeLinker: node-modules in .yarnrc.yml" + help},
		"Yarn, in resolutions": {map[string]string{
			"package.json": `{"dependencies": {"a": "^1.0.0"}, "resolutions": {"a@npm:^1.0.0": "patch:a@npm%3A1.0.0#~/.yarn/patches/a.patch"}}`,
			"yarn.lock":    yarnLock("a@npm:1.0.0, a@npm:^1.0.0 > a@npm:1.0.0\na@patch:a@npm%3A1.0.0#~/.yarn/patches/a.patch > a@patch:a@npm%3A1.0.0#~/.yarn/patches/a.patch::hash=12&version=1.0.0"),
		}, true, "yarn install, with"},
		"Yarn, not required": {map[string]string{
			"package.json": `{"resolutions": {"a": "patch:a@npm%3A1.0.0#./a.patch"}}`,
			"yarn.lock":    yarnLock("a@npm:1.0.0, a@npm:1 > a@npm:1.0.0\na@patch:a@npm%3A1.0.0#./a.patch > a@patch:a@npm%3A1.0.0#./a.patch::hash=12&version=1.0.0"),
		}, true, "yarn install, with"},
		"Yarn, its own": {map[string]string{
			"yarn.lock": yarnLock("a@patch:a@npm%3A^1.0.0#optional!builtin<compat/a>, a@npm:^1.0.0 > a@patch:a@npm%3A1.0.0#optional!builtin<compat/a>::version=1.0.0"),
		}, false, ""},
		"pnpm": {map[string]string{
			"pnpm-lock.yaml": `
lockfileVersion: '9.0'
patchedDependencies: {a@1.0.0: {hash: 12, path: patches/a@1.0.0.patch}}
importers: {.: {dependencies: {a: {specifier: ^1.0.0, version: 1.0.0(patch_hash=12)(react@18.0.0)}}}}
packages: {a@1.0.0: {resolution: {integrity: sha512-AA==}}}
snapshots: {a@1.0.0(patch_hash=12)(react@18.0.0): {}}`,
		}, true, "pnpm install" + help},
		"patch-package": {map[string]string{
			"package.json":             `{"dependencies": {"a": "^1.0.0"}, "devDependencies": {"patch-package": "8.0.0"}}`,
			"patches/b++a+1.0.0.patch": "", "package-lock.json": `{"packages": {"node_modules/a": {"version": "1.0.0"}}}`,
		}, true, "npm install" + help},
		"patch-package, another": {map[string]string{
			"package.json":             `{"dependencies": {"a": "^1.0.0"}, "devDependencies": {"patch-package": "8.0.0"}}`,
			"patches/@s+a+1.0.0.patch": "", "package-lock.json": `{"packages": {"node_modules/a": {"version": "1.0.0"}}}`,
		}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRegistry(t)
			r.add(t, "a", "1.0.0")
			s := mustOpen(t, repo(t, r, c.files))
			_, ok, err := s.Dir(t.Context(), filepath.Join(s.options.Root, "src", "module.ts"), "a")
			refused, isRefused := errors.AsType[*RefusedError](err)
			if !ok || isRefused != c.isPatched || !isRefused && err != nil {
				t.Fatalf("%t, %v", ok, err)
			}
			if isRefused && !strings.Contains(refused.Help, c.help) {
				t.Errorf("the help is %q", refused.Help)
			}
		})
	}
}
