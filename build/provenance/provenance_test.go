package provenance

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/zipfs"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// repository returns the files of a source.
func repository() map[string]string {
	return map[string]string{
		"src/plugin.json": `{"$schema": "../schema.json", "id": "acme-x-app", "type": "app", "name": "X of %PLUGIN_ID%", "backend": true, ` +
			`"executable": "gpx_x", "info": {"version": "%VERSION%", "updated": "%TODAY%", "links": [{"name": "a"}]}}`,
		"src/inner/plugin.json":      `{"id": "acme-x-panel", "type": "panel", "info": {"version": "9.0.0"}}`,
		"src/inner/module.ts":        "export const inner = 1;\n",
		"src/module.ts":              "import './styles.scss';\r\nexport const one = 1;\r\n",
		"src/styles.scss":            "b { i { color: red } }",
		"src/img/logo.svg":           "<svg/>",
		"README.md":                  "Version %VERSION%",
		"LICENSE":                    "a license",
		"package.json":               `{"version": "1.2.3"}`,
		"pkg/main.go":                "package main\n",
		"node_modules/font/font.ttf": "a font",
	}
}

// built returns the files of a zip that the repository builds.
func built() map[string]string {
	return map[string]string{
		"plugin.json": `{"id": "acme-x-app", "type": "app", "name": "X of acme-x-app", "backend": true, "executable": "gpx_x", ` +
			`"info": {"version": "1.2.3", "updated": "2026-11-24", "links": [{"name": "a"}], "build": {"hash": "x"}}, "extensions": {}}`,
		"inner/plugin.json":        `{"id": "acme-x-panel", "type": "panel", "info": {"version": "9.0.0", "updated": "2026-11-24"}}`,
		"inner/module.js":          "inner",
		"inner/module.js.map":      sourceMap("webpack://acme-x-panel/./inner/module.ts", "export const inner = 1;\n"),
		"module.js":                `load("12.js"); url("font-ABC.ttf")`,
		"module.js.map":            sourceMap("webpack://acme-x-app/./module.ts?1", "import './styles.scss';\nexport const one = 1;\n", "webpack://acme-x-app/../node_modules/m/i.js", "other", "webpack://acme-x-app/webpack/bootstrap.js", "", "webpack://acme-x-app/./styles.scss", "b i{}"),
		"12.js":                    "chunk",
		"12.js.map":                sourceMap("../src/module.ts", "import './styles.scss';\nexport const one = 1;\n"),
		"12.js.LICENSE.txt":        "MIT",
		"styles.css":               "b i{color:red}",
		"font-ABC.ttf":             "a font",
		"img/logo.svg":             "<svg/>",
		"README.md":                "Version 1.2.3",
		"LICENSE":                  "a license",
		"gpx_x_linux_amd64":        "elf",
		"gpx_x_windows_amd64.exe":  "pe",
		"MANIFEST.txt":             "signed",
		"go_plugin_build_manifest": "compared by another rule",
	}
}

// sourceMap returns a source map with sources and their texts.
func sourceMap(pairs ...string) string {
	var m struct {
		Sources        []string `json:"sources"`
		SourcesContent []string `json:"sourcesContent"`
	}
	for i := 0; i < len(pairs); i += 2 {
		m.Sources, m.SourcesContent = append(m.Sources, pairs[i]), append(m.SourcesContent, pairs[i+1])
	}
	data, _ := json.Marshal(m) // which has only strings
	return string(data)
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, files)
	return dir
}

func pack(t *testing.T, files map[string]string, root string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w := testkit.Must(z.Create(root + name))(t)
		testkit.Must(io.WriteString(w, files[name]))(t)
	}
	testkit.OK(t, z.Close())
	return b.Bytes()
}

// compared returns the findings of a zip as "severity file: message", and the skips.
func compared(t *testing.T, s *Source, files map[string]string) (list []string) {
	t.Helper()
	data := pack(t, files, "acme-x-app/")
	a := testkit.Must(zipfs.New(bytes.NewReader(data), int64(len(data)), zipfs.Limits{}))(t)
	r := testkit.Must(validate.Run(t.Context(), a, validate.Options{Rules: []validate.Rule{Rule(s)}}))(t)
	for _, f := range r.Findings {
		list = append(list, fmt.Sprintf("%s %s: %s", f.Severity, strings.TrimPrefix(f.File, "acme-x-app/"), f.Message))
	}
	for _, skip := range r.Skips {
		list = append(list, "skip: "+skip.Reason)
	}
	return list
}

func opened(t *testing.T, name string) *Source {
	t.Helper()
	s := testkit.Must(Open(name, nil))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSourceDiffers(t *testing.T) {
	t.Parallel()
	s := opened(t, writeFiles(t, repository()))
	if got := compared(t, s, built()); got != nil {
		t.Fatalf("what the source builds differs: %q", got)
	}
	const remove = "-"
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"an asset", "img/logo.svg", "<svg onload='x'/>", []string{"error img/logo.svg: img/logo.svg differs from src/img/logo.svg of the source"}},
		{"an asset is gone", "img/logo.svg", remove, []string{"warning img/logo.svg: src/img/logo.svg of the source is missing in the zip"}},
		{"the version of a readme", "README.md", "Version 1.2.4", []string{"error README.md: README.md differs from README.md of the source"}},
		{"a file", "img/more.svg", "<svg/>", []string{"error img/more.svg: img/more.svg is neither in the source nor made by a build"}},
		{"a script", "more.js", "x", []string{"error more.js: more.js is neither in the source nor made by a build"}},
		{"a nested plugin", "more/plugin.json", "{}", []string{"error more/plugin.json: more/plugin.json is neither in the source nor made by a build"}},
		{"a nested plugin is gone", "inner/plugin.json", remove, []string{"error inner/plugin.json: src/inner/plugin.json of the source is missing in the zip"}},
		{"an executable", "gpx_y_linux_amd64", "elf", []string{"error gpx_y_linux_amd64: gpx_y_linux_amd64 is neither in the source nor made by a build"}},
		{"an executable elsewhere", "inner/gpx_x_linux_amd64", "elf",
			[]string{"error inner/gpx_x_linux_amd64: inner/gpx_x_linux_amd64 is neither in the source nor made by a build"}},
		{"a code file of the map", "12.js.map", sourceMap("webpack://x/./module.ts", "evil()"),
			[]string{"error 12.js.map: 12.js.map contains another text of src/module.ts than the source"}},
		{"another code file in the map", "12.js.map", sourceMap("webpack://x/./evil.ts", "evil()"),
			[]string{"error 12.js.map: 12.js.map contains ./evil.ts, which is not in the source"}},
		{"a map without texts", "12.js.map", `{"sources": ["../src/module.ts"]}`, []string{"error 12.js.map: 12.js.map does not contain the text of src/module.ts"}},
		{"no map", "12.js.map", "[", []string{"error 12.js.map: 12.js.map is not a source map: unexpected end of JSON input"}},
		{"a map out of the source", "12.js.map", sourceMap("webpack://x/../../../a.ts", "a"), []string{"skip: 12.js.map contains 1 file from outside of the source"}},
		{"module.js without a map", "module.js.map", remove, []string{"skip: module.js has no source map, so what it was bundled from is not known"}},
		{"plugin.json", "plugin.json", `{"id": "acme-x-app", "type": "app", "name": "Y", "backend": true, "info": {"version": "1.2.4", "links": [{"name": "b"}]}, "routes": []}`,
			[]string{
				`error plugin.json: executable of the source is missing`, `error plugin.json: name is "Y", but "X of acme-x-app" in src/plugin.json of the source`,
				`error plugin.json: info.version is "1.2.4", but "1.2.3" in src/plugin.json of the source`,
				`error plugin.json: info.links.0.name is "b", but "a" in src/plugin.json of the source`, `error plugin.json: routes is not in src/plugin.json of the source`}},
		{"a broken plugin.json", "plugin.json", "{", []string{"error plugin.json: plugin.json is not valid JSON, as src/plugin.json of the source is"}},
		{"no plugin.json", "plugin.json", remove, []string{"skip: the zip has no plugin.json to begin with"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := built()
			if files[c.file] = c.text; c.text == remove {
				delete(files, c.file)
			}
			got := compared(t, s, files)
			for i := range got { // the message about a missing key has a value
				if strings.Contains(got[i], `sets executable to "gpx_x", which is missing here`) {
					got[i] = "error plugin.json: executable of the source is missing"
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestZipOfSource opens a repository as code hosts pack it, and requires that nothing is left behind.
func TestZipOfSource(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"", "x-1.2.3/"} {
		name := filepath.Join(t.TempDir(), "source.zip")
		testkit.OK(t, os.WriteFile(name, pack(t, repository(), root), 0o644))
		s, err := Open(name, nil)
		if err != nil {
			t.Fatalf("%q: %v", root, err)
		}
		if got := compared(t, s, built()); got != nil {
			t.Errorf("%q: what the source builds differs: %q", root, got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.temp); s.temp == "" || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: %s is left behind (%v)", root, s.temp, err)
		}
	}
}

func TestSourceOutsideIsNotRead(t *testing.T) {
	t.Parallel()
	files := repository()
	delete(files, "LICENSE")
	dir, secret := writeFiles(t, files), filepath.Join(t.TempDir(), "secret")
	testkit.OK(t, os.WriteFile(secret, []byte("a license"), 0o644))
	if err := os.Symlink(secret, filepath.Join(dir, "LICENSE")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	got := compared(t, opened(t, dir), built())
	if len(got) != 1 || !strings.HasPrefix(got[0], "error LICENSE: LICENSE cannot be compared with LICENSE of the source: ") {
		t.Errorf("got %q", got)
	}
}

func TestNoSource(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"broken.zip": "PK\x03\x04", "empty/x": "", "plugin/src/plugin.json": "{"})
	for name, want := range map[string]string{
		"none": "no such file", "broken.zip": "not a valid zip file", "empty": "no plugin.json or src/plugin.json", "plugin": "plugin.json",
	} {
		if s, err := Open(filepath.Join(dir, name), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// TestWorkspace looks for the sources in a map in the Git repository around the plugin, and no further.
func TestWorkspace(t *testing.T) {
	t.Parallel()
	files := map[string]string{".git/HEAD": "", "packages/shared/index.ts": "shared"}
	for name, text := range repository() {
		files["plugins/x/"+name] = text
	}
	s := opened(t, filepath.Join(writeFiles(t, files), "plugins", "x"))
	for name, want := range map[string][]string{
		"webpack://x/../../../packages/shared/index.ts": nil,
		"../../../packages/shared/index.ts":             nil,
		"webpack://x/../../../packages/other/index.ts":  {"error 12.js.map: 12.js.map contains ../../../packages/other/index.ts, which is not in the source"},
		"webpack://x/../../../../../../../../a.ts":      {"skip: 12.js.map contains 1 file from outside of the source"},
	} {
		zip := built()
		zip["12.js.map"] = sourceMap(name, "shared")
		if diff := cmp.Diff(want, compared(t, s, zip)); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", name, diff)
		}
	}
	zip := built()
	zip["12.js.map"] = sourceMap("webpack://x/../../../packages/shared/index.ts", "changed")
	if got := compared(t, s, zip); len(got) != 1 || !strings.Contains(got[0], "12.js.map contains another text of ../../packages/shared/index.ts") {
		t.Errorf("a changed file: %q", got)
	}
}
