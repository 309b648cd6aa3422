package bundler

import (
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// A package is downloaded only if that is allowed, and is then found in the cache, including
// for development. An error in development only is not an error of deps.
func TestPackages(t *testing.T) {
	t.Parallel()
	text := packed(t, map[string]string{"index.js": "exports.answer = 'from the package'"})
	sum := sha512.Sum512(text)
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) }))
	t.Cleanup(registry.Close)
	root := t.TempDir()
	testkit.WriteFiles(t, root, map[string]string{
		"src/module.ts": "export { answer } from 'dep'; if (process.env.NODE_ENV !== 'production') require('devonly')",
		"package.json":  `{"dependencies": {"dep": "1"}}`,
		".npmrc":        "registry=" + registry.URL,
		".git/HEAD":     "",
		"package-lock.json": fmt.Sprintf(`{"packages": {"node_modules/dep": {"version": "1.0.0", "integrity": "sha512-%[1]s"},
			"node_modules/devonly": {"version": "1.0.0", "integrity": "sha512-%[1]s"},
			"node_modules/other": {"version": "1.0.0", "integrity": "sha512-%[1]s"},
			"node_modules/broken": {"version": "1.0.0", "integrity": "sha512-AAAA"}}}`, base64.StdEncoding.EncodeToString(sum[:])),
	})
	b := Bundler{CacheDir: t.TempDir(), Environ: []string{}}
	f := build.Frontend{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel"}
	if _, err := b.Bundle(t.Context(), f); !errors.Is(err, build.ErrNotDownloaded) || !strings.Contains(err.Error(), "src/module.ts:1:24: dep@1.0.0") {
		t.Errorf("not downloaded: %v", err)
	}
	config := filepath.Join(root, "tsconfig.json") // if it is broken, it is the only error
	testkit.WriteFile(t, config, "{")
	if _, err := b.Bundle(t.Context(), f); err == nil || errors.Is(err, build.ErrNotDownloaded) || !strings.HasPrefix(err.Error(), "tsconfig.json:1:2: ") {
		t.Errorf("tsconfig.json is broken: %v", err)
	}
	testkit.OK(t, os.Remove(config))
	s := NewSession(b)
	defer s.Close()
	if _, err := s.Bundle(t.Context(), f); !errors.Is(err, build.ErrNotDownloaded) {
		t.Errorf("not downloaded, in a session: %v", err)
	}
	f.Download = true
	for _, packages := range []int64{2, 0} {
		got := testkit.Must(b.Bundle(t.Context(), f))(t)
		if got.Packages != packages || !f.Download && !strings.Contains(string(got.Files["module.js"]), "from the package") {
			t.Errorf("downloaded %d packages, want %d; %s", got.Packages, packages, got.Files["module.js"])
		}
		f.Download = false
	}
	if got, err := s.Bundle(t.Context(), f); err != nil || len(got.Warnings) > 0 {
		t.Errorf("downloaded since: %v, %v", got, err)
	}
	testkit.WriteFile(t, filepath.Join(root, "yarn.lock"), "")
	if got, err := b.Bundle(t.Context(), f); err != nil || !strings.Contains(fmt.Sprint(got.Warnings), "those of package-lock.json; not read: yarn.lock") {
		t.Errorf("two lockfiles: %v, %v", got, err)
	}
	testkit.OK(t, os.Remove(filepath.Join(root, "yarn.lock")))
	dev := NewSession(b)
	dev.Dev = true
	defer dev.Close()
	if _, err := dev.Bundle(t.Context(), f); err != nil {
		t.Errorf("for development: %v", err)
	}
	other := build.Frontend{Root: root, Source: filepath.Join(root, "src", "panel"), PluginID: "acme-y-panel"}
	testkit.WriteFile(t, filepath.Join(other.Source, "module.ts"), "export { answer } from 'other'")
	f.Download, other.Download = true, true
	if got, err := build.Download(t.Context(), b, []build.Frontend{f, other}); err != nil || got.Packages != 1 {
		t.Errorf("with another frontend: %+v, %v", got, err)
	}
	testkit.WriteFile(t, filepath.Join(f.Source, "module.ts"), "if (process.env.NODE_ENV !== 'production') require('broken')")
	if got, err := b.Bundle(t.Context(), f); err != nil || !strings.Contains(got.Development, "broken@1.0.0") {
		t.Errorf("broken for development: %+v, %v", got, err)
	}
}

// A missing package that the bundle turns out not to need is not an error.
func TestUnneededPackage(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testkit.WriteFiles(t, root, map[string]string{
		"node_modules/sass/index.js": "exports.Logger = {}; exports.compileString = (css, o) => { o.importer.canonicalize('theme/a'); return { css }; };",
		"src/module.ts":              "import './style.scss'; export const plugin = 1;",
		"src/style.scss":             ".a{color:red}",
		".git/HEAD":                  "",
		"package.json":               "{}",
		"package-lock.json":          `{"packages": {"node_modules/theme": {"version": "1.0.0", "integrity": "sha512-AAAA"}}}`,
	})
	f := build.Frontend{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel"}
	if _, err := (Bundler{CacheDir: t.TempDir(), Environ: []string{}}).Bundle(t.Context(), f); err != nil {
		t.Error(err)
	}
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testkit.WriteFile(t, filepath.Join(root, "src", "module.ts"), `import { AppPlugin } from '@grafana/data';
export const plugin = new AppPlugin().addLink({ targets: ['grafana/a', 'grafana/b'], title: 'T', description: 'D', path: '/x' });`)
	f := build.Frontend{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-app", Type: bundle.TypeApp}
	b := testkit.Must(Bundler{CacheDir: t.TempDir()}.Bundle(t.Context(), f))(t)
	if diff := cmp.Diff([]string{"module.js", "module.js.map"}, slices.Sorted(maps.Keys(b.Files))); diff != "" {
		t.Error(diff)
	}
	want := `[{"extensionPointId":"grafana/a","type":"link","title":"T","description":"D"},{"extensionPointId":"grafana/b","type":"link","title":"T","description":"D"}]`
	if diff := cmp.Diff(want, string(b.Extensions)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(b.Declared), `"targets":["grafana/a","grafana/b"]`) {
		t.Errorf("declared %s", b.Declared)
	}
	testkit.WriteFile(t, filepath.Join(root, "src", "module.ts"), "export const = 1")
	if _, err := (Bundler{CacheDir: t.TempDir()}).Bundle(t.Context(), f); err == nil || !strings.Contains(err.Error(), "src/module.ts:1:14: ") {
		t.Error(err)
	}
}

// A host loads no data source or panel whose module does not export it, and shows an app without pages.
func TestExports(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testkit.WriteFile(t, filepath.Join(root, "src", "part.js"), "exports.plugin = 1")
	f := build.Frontend{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x"}
	for _, tc := range []struct {
		kind          bundle.Type
		code          string
		want, warning string // beginnings
	}{
		{bundle.TypePanel, "export const plugin = 1", "", ""},
		{bundle.TypePanel, "exports.plugin = 1", "", ""}, // nobody knows
		{bundle.TypeDatasource, "export class Datasource {}; await 0", "", ""},
		{bundle.TypePanel, "export const a = 1, b = 2", "src/module.ts:1:1: the frontend does not export the plugin to hosts; it exports a, b\n" +
			"  help: write export const plugin = new PanelPlugin(...)", ""},
		{bundle.TypeDatasource, "export * from './part'; await 0", "src/module.ts:1:1: the frontend does not export the plugin to hosts\n" +
			"  help: write export const plugin = new DataSourcePlugin(...), or export { plugin } from", ""},
		{bundle.TypeApp, "export const a = 1", "", "src/module.ts:1:1: the frontend does not export the plugin to hosts, which show an app without pages; it exports a"},
		{bundle.TypePanel, "export default 1", "src/module.ts:1:1: the frontend does not export the plugin to hosts; it exports default\n", ""},
		{bundle.TypePanel, "export class Datasource {}", "src/module.ts:1:1: the frontend does not export", ""}, // of another type
		{"", "export const a = 1", "", ""},
	} {
		testkit.WriteFile(t, filepath.Join(root, "src", "module.ts"), tc.code)
		f.Type = tc.kind
		b, err := Bundler{CacheDir: t.TempDir()}.Bundle(t.Context(), f)
		if err != nil {
			if tc.want == "" || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s %q: %v", tc.kind, tc.code, err)
			}
			continue
		}
		if got := strings.Join(b.Warnings, "\n"); tc.want != "" || (got == "") != (tc.warning == "") || !strings.HasPrefix(got, tc.warning) {
			t.Errorf("%s %q: %s", tc.kind, tc.code, got)
		}
	}
}
