package frontend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const loadsThemes = "import { loadPluginCss } from 'grafana/app/plugins/sdk'; loadPluginCss({ dark: 'plugins/acme-x-panel/styles/dark.css', light: 'plugins/acme-x-panel/styles/light.css' });"

// The style sheets that loadPluginCss loads are files of their own, whatever other bundler the repository has.
func TestThemes(t *testing.T) {
	t.Parallel()
	r := mustBundle(t, map[string]string{
		"node_modules/sass/index.js":   fakeSass,
		".config/bundler/externals.ts": "",
		"src/module.ts":                "import './theme'; import './panel.css'; export const plugin = 1;",
		"src/theme.ts":                 loadsThemes,
		"src/panel.css":                ".panel { background: url(/public/img/dot.png) }", // of the host
		"src/styles/dark.css":          "@import './both.css'; .dark { background: url(../img/dot.png) }",
		"src/styles/light.scss":        `@use "./part"; .light { background: url(../img/dot.png) }`,
		"src/styles/both.css":          ".both { color: red }",
		"src/styles/_part.scss":        ".part { color: red }",
		"src/img/dot.png":              "dot",
	})
	var names []string
	for _, f := range r.Files {
		names = append(names, f.Path)
	}
	if want := []string{names[0], "module.js", "module.js.map", "styles/dark.css", "styles/light.css"}; !slices.Equal(names, want) || !strings.HasPrefix(names[0], "dot-") {
		t.Fatalf("files are %q", names)
	}
	if got, want := file(t, r, "styles/dark.css"), ".both{color:red}.dark{background:url(\"../"+names[0]+"\")}\n"; got != want {
		t.Errorf("dark.css is %q, want %q", got, want)
	}
	if got := file(t, r, "styles/light.css"); !strings.Contains(got, ".part{color:red}") || !strings.Contains(got, "url(\"../"+names[0]+"\")") {
		t.Errorf("light.css is %q", got)
	}
	if code := file(t, r, "module.js"); !strings.Contains(code, "url(/public/img/dot.png)") || strings.Contains(code, ".dark") || strings.Contains(code, ".light") {
		t.Errorf("module.js is %q", code)
	}
	want := []string{".config/bundler/externals.ts", "src/img/dot.png", "src/module.ts", "src/panel.css", "src/styles/_part.scss", "src/styles/both.css", "src/styles/dark.css", "src/styles/light.scss", "src/theme.ts"}
	if diff := cmp.Diff(want, r.Read); diff != "" {
		t.Error(diff)
	}
}

// Other files with these names are not style sheets of a theme.
func TestNoThemes(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"nothing loads them":   {"src/module.ts": "export const plugin = 1;"},
		"another object":       {"src/module.ts": "// like loadPluginCss\nexport const plugin = { dark: '#000', light: 1 };"},
		"only in node_modules": {"src/module.ts": "import 'a';", "node_modules/a/index.js": "exports.loadPluginCss({ dark: 'plugins/acme-x-panel/a.css' })"},
	} {
		files["src/styles/dark.css"] = ".dark { color: red }"
		r := mustBundle(t, files)
		if len(r.Files) != 2 || slices.Contains(r.Read, "src/styles/dark.css") {
			t.Errorf("%s: %d files, of %q", name, len(r.Files), r.Read)
		}
	}
}

// An error is at the style sheet, since nothing imports it.
func TestThemeErrors(t *testing.T) {
	t.Parallel()
	for want, files := range map[string]map[string]string{
		`src/styles/dark.css:1:13: cannot find "./dot.png"`:                             {"src/styles/dark.css": ".a { color: url(./dot.png) }"},
		`src/styles/dark.scss:1:1: cannot compile Sass: cannot find the package "sass"`: {"src/styles/dark.scss": ".a { color: red }"},
		"src/styles/dark.scss:2:3: unexpected BAD":                                      {"src/styles/dark.scss": ".a {}\n.bBAD {}", "node_modules/sass/index.js": fakeSass},
	} {
		files["src/module.ts"], files["src/styles/light.css"] = loadsThemes, ""
		if _, err := bundle(t, files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A session follows the style sheets as they come, change and go.
func TestSessionThemes(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{"src/module.ts": "export const plugin = 1;", "src/styles/dark.css": ".dark { color: red }", "src/styles/light.css": ".light { color: lime }"})
	s := NewSession(Options{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel", Dev: true})
	defer s.Close()
	for _, step := range []struct {
		name, text string // a file and its new text, "" to delete it
		want       string // what dist/styles has
	}{
		{"module.ts", loadsThemes, "dark.css: red, light.css: lime"},
		{"styles/dark.css", ".dark { color: blue }", "dark.css: blue, light.css: lime"},
		{"styles/light.css", "", "error"},
		{"styles/light.css", ".light { color: pink }", "dark.css: blue, light.css: pink"},
		{"styles/light.css", "@import './gone.css';", "error"},
		{"module.ts", "export const plugin = 2;", ""},
	} {
		name := filepath.Join(root, "src", filepath.FromSlash(step.name))
		err := os.Remove(name)
		if step.text != "" {
			err = os.WriteFile(name, []byte(step.text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Bundle(t.Context())
		if (err != nil) != (step.want == "error") {
			t.Fatalf("%s %q: %v", step.name, step.text, err)
		}
		if err != nil {
			continue
		}
		var got []string
		for _, f := range r.Files {
			if name, ok := strings.CutPrefix(f.Path, "styles/"); ok {
				_, color, _ := strings.Cut(string(f.Contents), "color: ")
				color, _, _ = strings.Cut(color, ";")
				got = append(got, name+": "+color)
			}
		}
		if got := strings.Join(got, ", "); got != step.want {
			t.Errorf("%s %q: styles are %q, want %q", step.name, step.text, got, step.want)
		}
	}
}

// A URL is read as JavaScript would, and refers to a file of a plugin in the repository.
func TestThemeURLs(t *testing.T) {
	t.Parallel()
	cannotTell := func(at string) string {
		return "src/panel/module.ts:" + at + ": cannot tell which style sheets of the plugin this loads, so dist has styles/dark.css and light.css at most\n" +
			"  help: write their paths as strings, such as 'plugins/acme-x-panel/styles/dark.css'; styles/light.css"
	}
	for code, want := range map[string]string{
		"loadPluginCss({ dark: 'plugins/acme-x-panel/css/x.dark.css' })":                                               "css/x.dark.css",
		"loadPluginCss({ 'dark': \"/public/plugins/acme-x-panel/dark.css\" })":                                         "dark.css",
		"const id = 'acme-x-panel';\nconst name = 'x';\nloadPluginCss({ dark: `plugins/${id}/css/${name}.dark.css` })": "css/x.dark.css",
		"const css = { dark: `plugins/${json.id}/dark.css`, light: base + 'css/x.dark.css' };\nloadPluginCss(css)":     "css/x.dark.css dark.css",
		"loadPluginCss({ dark: 'plugins/' + meta.id + '/dark.css', light: `${base}/dark.css` })":                       "dark.css",
		"loadPluginCss({ dark: 'plugins/acme-root-app/styles/root.css' })":                                             "../styles/root.css",
		"loadPluginCss({ dark: `plugins/acme-x-panel/${theme}.css` })":                                                 cannotTell("1:23"),
		"import { css } from './css';\nloadPluginCss(css)":                                                             cannotTell("2:1"),
		"loadPluginCss({\n  dark: 'plugins/acme-x-panel/a/gone.css' })": "src/panel/module.ts:2:9: dist would lack a/gone.css, which this loads\n" +
			"  help: add src/panel/a/gone.css or .scss, of which a build makes it",
		"loadPluginCss({ dark: 'plugins/acme-y-panel/dark.css' })": cannotTell("1:23"),
	} {
		r, err := bundle(t, map[string]string{
			"src/styles/root.css": ".root { background: url(../dot.png) }", "src/dot.png": "dot",
			"src/panel/module.ts": code, "src/panel/css.ts": "export const css = 1", "src/panel/styles/light.css": "",
			"src/panel/dark.css": ".dark {}", "src/panel/css/x.dark.scss": ".dark {}", "node_modules/sass/index.js": fakeSass,
		}, func(o *Options) {
			o.MapDir, o.MapID, o.Source = o.Source, "acme-root-app", filepath.Join(o.Source, "panel")
		})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			if r.Warnings != nil {
				got = (&Error{Messages: r.Warnings}).Error() + ";"
			}
			for _, f := range r.Files {
				if strings.HasSuffix(f.Path, ".css") {
					got = strings.TrimPrefix(got+" "+f.Path, " ")
				}
				if f.Path == "../styles/root.css" && !strings.Contains(string(f.Contents), "url(\"../panel/dot-") {
					t.Errorf("%s is %s", f.Path, f.Contents)
				}
			}
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", code, got, want)
		}
	}
}
