package frontend

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestOutside bundles a repository, or a package of it, that asks for a file of the machine.
func TestOutside(t *testing.T) {
	t.Parallel()
	machine := write(t, map[string]string{"secret.json": `"secret"`, "secret.txt": "secret", "secret.ts": "export default 'secret'", "secret.css": "a{}"})
	const outside = "a bundle contains only files of the repository and of its packages"
	imported := func(name string) string {
		return "import x from '" + filepath.ToSlash(filepath.Join(machine, name)) + "'; export const plugin = x;"
	}
	relative := "import x from '../../../.env?raw'; export default x;"
	for name, files := range map[string]map[string]string{
		"code":                {"src/module.ts": imported("secret.ts")},
		"JSON":                {"src/module.ts": imported("secret.json")},
		"text":                {"src/module.ts": imported("secret.txt?raw")},
		"an address":          {"src/module.ts": imported("secret.txt?url")},
		"new URL":             {"src/module.ts": "export const plugin = new URL('../../" + filepath.Base(machine) + "/secret.txt', import.meta.url)"},
		"styles":              {"src/module.ts": "import './a.css'", "src/a.css": "@import '" + filepath.ToSlash(machine) + "/secret.css';"},
		"tsconfig.json":       {"src/module.ts": "import x from 'x'; export const plugin = x;", "tsconfig.json": `{"compilerOptions": {"paths": {"x": ["` + filepath.ToSlash(machine) + `/secret.ts"]}}}`},
		"a package, absolute": {"src/module.ts": "import x from 'p'; export const plugin = x;", "node_modules/p/index.js": imported("secret.json")},
		"a package, relative": {"src/module.ts": "import x from 'p'; export const plugin = x;", "node_modules/p/index.js": relative, ".env": "secret"},
		"what a package says": {"src/module.ts": "import x from 'p'; export const plugin = x;", "node_modules/p/package.json": `{"main": "../../../` + filepath.Base(machine) + `/secret.json"}`},
	} {
		r, err := bundle(t, files)
		if err == nil && strings.Contains(file(t, r, "module.js"), "secret") {
			t.Errorf("%s: the bundle contains a file of the machine", name)
		}
		if err == nil || !strings.Contains(err.Error(), outside) && name != "what a package says" {
			t.Errorf("%s: got the error %v", name, err)
		}
	}
}

// A home directory in Git, as some users have it, does not make its files part of the plugin.
func TestHomeInGit(t *testing.T) {
	home := write(t, map[string]string{
		".git/HEAD": "", ".aws/credentials": "secret",
		"plugin/src/module.ts": "import x from '../../.aws/credentials?raw'; export const plugin = x;",
	})
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	root := filepath.Join(home, "plugin")
	_, err := Bundle(t.Context(), Options{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel"})
	if err == nil || !strings.Contains(err.Error(), "is outside of the repository") {
		t.Errorf("got the error %v", err)
	}
}

// A bundle may contain a package that the user has linked into node_modules, and files of another
// directory of the same Git repository.
func TestBeside(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	linked := write(t, map[string]string{"index.js": "export default 'linked'"})
	monorepo := write(t, map[string]string{
		".git/HEAD": "", "shared/a.ts": "export default 'shared'",
		"plugin/src/module.ts": "import p from 'p'; import a from '../../shared/a'; export const plugin = p + a;",
	})
	root := filepath.Join(monorepo, "plugin")
	testkit.OK(t, os.Mkdir(filepath.Join(root, "node_modules"), 0o755))
	testkit.OK(t, os.Symlink(linked, filepath.Join(root, "node_modules", "p")))
	r := testkit.Must(Bundle(t.Context(), Options{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel"}))(t)
	if js := file(t, r, "module.js"); !strings.Contains(js, "linked") || !strings.Contains(js, "shared") {
		t.Errorf("module.js lacks a file: %s", js)
	}
}
