package rules

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// TestFilesOfTheBuild checks path-missing for files that the build of a repository creates or copies.
func TestFilesOfTheBuild(t *testing.T) {
	t.Parallel()
	const finding = "path-missing /info/screenshots/0/path"
	for _, c := range []struct {
		name, file, data string
		want             validate.Severity
	}{
		{"nothing", "other.txt", "", validate.Error},
		{"build script", "package.json", `{"version": "1.2.3", "scripts": {"build": "webpack"}}`, validate.Warning},
		{"no build script", "package.json", `{"version": "1.2.3", "scripts": {"test": "jest"}}`, validate.Error},
		{"malformed package.json", "package.json", `{"version": "1.2.3", "scripts": ["build"]}`, validate.Error},
		{"Makefile", "Makefile", "", validate.Warning},
		{"next to src", "img/shot.png", "\x89PNG\r\n\x1a\n", validate.Warning},
		{"in an old dist", "dist/img/shot.png", "\x89PNG\r\n\x1a\n", validate.Error},
	} {
		p := completePlugin(t, validate.Source)
		set("/info/screenshots/0/path", "img/shot.png")(p)
		tree := p.in("repo/src")
		tree["repo/"+c.file] = &fstest.MapFile{Data: []byte(c.data)}
		report := runWith(t, tree, validate.Options{Rules: All(), Path: "repo/src"})
		var got validate.Severity
		for _, f := range report.Findings {
			if f.Rule+" "+f.Pointer == finding {
				got = f.Severity
			}
		}
		if got != c.want {
			t.Errorf("%s: severity %q, want %q\n%s", c.name, got, c.want, lines(report))
		}
	}
}

// TestLicenseAbove accepts the license of a Git repository of several plugins, but none from
// outside the repository, which is that of the plugin if there is no other.
func TestLicenseAbove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, git string
		want      bool
	}{
		{"above a plugin that is in no repository", "", true},
		{"in the repository", "plugins/.git/HEAD", false},
		{"outside the repository", "plugins/tide/.git/HEAD", true},
	} {
		p := completePlugin(t, validate.Source)
		dropFile("LICENSE")(p)
		tree := p.in("plugins/tide/src")
		tree["plugins/LICENSE"] = &fstest.MapFile{Data: []byte("Do with it what you like.\n")}
		if c.git != "" {
			tree[c.git] = &fstest.MapFile{}
		}
		report := runWith(t, tree, validate.Options{Rules: All()})
		if got := strings.Contains(lines(report), "license-missing"); got != c.want {
			t.Errorf("%s: reported %t, want %t\n%s", c.name, got, c.want, lines(report))
		}
	}
}

// TestLicenseOfDist requires that the help for a dist without a license also suits a repository that
// has one: old builds do not copy it, and the rules see no files outside of dist.
func TestLicenseOfDist(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Dist)
	dropFile("LICENSE")(p)
	report := runWith(t, p.files, validate.Options{Rules: All(), Where: validate.Dist})
	const want = "create LICENSE in the source of the plugin if it is missing there, and let the build copy it"
	isHelp := func(f validate.Finding) bool { return f.Rule == "license-missing" && f.Help == want }
	if !slices.ContainsFunc(report.Findings, isHelp) {
		t.Errorf("no help %q:\n%s", want, lines(report))
	}
}

// TestVersionOfPackage requires that a version in package.json that differs is a warning in the profile
// grafana, where releases are often named after plugin.json.
func TestVersionOfPackage(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]validate.Severity{"grafana": validate.Warning, "service": validate.Error} {
		p := completePlugin(t, validate.Source)
		p.write("package.json", `{"version": "0.0.1"}`)
		report := runWith(t, p.files, validate.Options{Rules: All(), Where: validate.Source, Profile: profile})
		if found := of("package-version-mismatch", report); len(found) != 1 || found[0].Severity != want {
			t.Errorf("%s: %+v, want one finding, %s", profile, found, want)
		}
	}
}

// TestPlaceholders requires that rules judge what a build will write for a placeholder.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	const noVersion = `the version %s in package.json, which a build writes for %%VERSION%%, is not a semantic version`
	for _, c := range []struct{ name, pointer, text, pkg, want string }{
		{"version", "/info/version", "%VERSION%", `{"version": "1.2.3-beta.1"}`, ""},
		{"version with a v", "/info/version", "%VERSION%", `{"version": "v1.2.3"}`, fmt.Sprintf(noVersion, `"v1.2.3"`)},
		{"version with a zero", "/info/version", "%VERSION%", `{"version": "01.2.3"}`, fmt.Sprintf(noVersion, `"01.2.3"`)},
		{"version of two numbers", "/info/version", "%VERSION%", `{"version": "1.2"}`, fmt.Sprintf(noVersion, `"1.2"`)},
		{"version that is a number", "/info/version", "%VERSION%", `{"version": 1}`, fmt.Sprintf(noVersion, `""`)},
		{"no version, but perhaps a tag", "/info/version", "%VERSION%", `{}`, ""},
		{"no package.json", "/info/version", "%VERSION%", "", ""},
		{"package.json with a comment", "/info/version", "%VERSION%", "// x\n{\"version\": \"1.2.3\"}", ""},
		{"package.json that is no JSON", "/info/version", "%VERSION%", `{"version" "1.2.3"}`,
			"plugin.json takes its version from package.json, which is not valid JSON: expected a colon after the key"},
		{"own version and broken package.json", "/info/version", "1.2.3", `{"version" "1.2.3"}`, ""},
		{"v before the placeholder", "/info/version", "v%VERSION%", `{"version": "1.2.3"}`, `"v%VERSION%" is not a semantic version`},
		{"day", "/info/updated", "%TODAY%", "", ""},
		{"day and more", "/info/updated", "%TODAY%T00", "", `"2026-01-31T00" is not a date in the form YYYY-MM-DD`},
		{"URL", "/info/links/0/url", "https://example.org/%PLUGIN_ID%", "", ""},
		{"not a URL", "/info/links/0/url", "x y%PLUGIN_ID%", "", `"info.links[0].url" must be a full URL, found "x y%PLUGIN_ID%"`},
		{"action", "/roles/0/role/permissions/0/action", "%PLUGIN_ID%:read", "", ""},
		{"path", "/info/logos/small", "img/%PLUGIN_ID%.svg", "", ""},
		{"other path", "/info/logos/small", "img/%PLUGIN_ID%2.svg", "", `path "img/acme-tide-app2.svg" does not exist`},
	} {
		p := completePlugin(t, validate.Source)
		set(c.pointer, c.text)(p)
		p.files["img/acme-tide-app.svg"] = p.files["img/logo.svg"]
		if c.pkg != "" {
			addFile("../package.json", c.pkg)(p)
		}
		report := runWith(t, p.in(p.dir), validate.Options{Rules: All(), Profile: "grafana"})
		var said []string
		for _, f := range report.Findings {
			if f.File == "package.json" || f.Pointer == c.pointer && f.File == "src/plugin.json" {
				said = append(said, f.Message)
			}
		}
		if got := strings.Join(said, "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCaseOfKeys requires an error for a key that hosts take for another one, at every depth.
func TestCaseOfKeys(t *testing.T) {
	t.Parallel()
	const last = ", and the last one takes precedence"
	for _, c := range []struct{ pointer, want string }{
		{"/ID", `key "ID" differs only in case from "id": hosts read it as "id"` + last},
		{"/Executable", `key "Executable" differs only in case from "executable": hosts read it as "executable"` + last},
		{"/category", ""},
		{"/Category", `key "Category" differs only in case from "category": hosts read it as "category"`},
		{"/info/VERSION", `key "VERSION" differs only in case from "version": hosts read it as "version"` + last},
		{"/info/logos/Small", `key "Small" differs only in case from "small": hosts read it as "small"` + last},
		{"/includes/0/Path", `key "Path" differs only in case from "path": hosts read it as "path"` + last},
		{"/dependencies/ServiceDependency", `key "ServiceDependency" differs only in case from "serviceDependency": hosts read it as "serviceDependency"` + last},
		{"/\u017ftate", "key \"\u017ftate\" differs only in case from \"state\": hosts read it as \"state\"" + last},
	} {
		p := completePlugin(t, validate.Source)
		set(c.pointer, "iot")(p)
		got := ""
		for _, f := range p.run(t, All()).Findings {
			if f.Pointer == c.pointer && f.Rule == "unknown-field" {
				got = f.Message
			}
			if got != "" && f.Pointer == c.pointer && f.Severity != validate.Error {
				t.Errorf("%s: %s", c.pointer, f.Severity)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.pointer, got, c.want)
		}
	}
}

// TestBuildTime requires an error for numbers that existing hosts cannot decode.
func TestBuildTime(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]bool{
		"1769817600000": true, "-1": true, "1.5": false, "1e3": false, "1.0": false, "99999999999999999999": false,
	} {
		p := completePlugin(t, validate.Dist)
		set("/info/build/time", raw(literal))(p)
		if got := lines(p.run(t, All())); (got == "") != want || !want && !strings.Contains(got, "existing hosts do not load plugin.json") {
			t.Errorf("%s: %s", literal, got)
		}
	}
}

// TestDashboardWithoutUID requires advice that works in the hosts of the profile: existing ones
// do not read the uid of the entry in "includes" when they import the dashboard.
func TestDashboardWithoutUID(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]string{"grafana": `set "uid" in the dashboard`, "service": `set "uid" in the dashboard, or in its entry in "includes"`} {
		for model, what := range map[string]string{`{"title": "Tides"}`: `has no "uid":`, `{"title": "Tides", "uid": null}`: `has a "uid" that is null:`} {
			p := completePlugin(t, validate.Source)
			p.write("dashboards/tides.json", model)
			report := runWith(t, p.files, validate.Options{Rules: All(), Where: validate.Source, Profile: profile})
			found := of("dashboard-invalid", report)
			if len(found) != 1 || found[0].Help != want || !strings.Contains(found[0].Message, what) {
				t.Errorf("%s: no finding with %q and help %q in:\n%s", profile, what, want, lines(report))
			}
		}
	}
}

// TestNestedUndeclared requires that nested plugins that "includes" does not list are warnings in the
// profile grafana, whose hosts load them nevertheless, and that fixtures of tests are not plugins.
func TestNestedUndeclared(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]validate.Severity{"grafana": validate.Warning, "service": validate.Error} {
		p := completePlugin(t, validate.Source)
		set("/includes", raw(`[{ "type": "datasource", "name": "Tide data", "path": "no/plugin.json" }]`))(p)
		p.write("pages/__tests__/fixtures/plugin.json", `{}`)
		report := runWith(t, p.files, validate.Options{Rules: All(), Where: validate.Source, Profile: profile})
		found := of("nested-declared", report)
		if len(found) != 2 || found[0].Severity != want || found[1].Severity != want || report.Plugins != 3 {
			t.Errorf("%s: %+v in %d plugins, want two findings, %s", profile, found, report.Plugins, want)
		}
	}
}

// TestSourcesOfWorkspace looks for the sources in a map in the Git repository around the plugin, and no further.
func TestSourcesOfWorkspace(t *testing.T) {
	t.Parallel()
	const name, text = "../../../packages/shared/src/index.ts", "export const a = 1;\n"
	for _, c := range []struct{ git, found, want string }{
		{".git/HEAD", text, ""},
		{".git/HEAD", strings.ReplaceAll(text, "\n", "\r\n"), ""},
		{".git/HEAD", "changed", "sourcemap-stale - the repository lacks sources in the map, or has another text: \"" + name + "\""},
		{".git/HEAD", "", "sourcemap-stale - the repository lacks"},
		{"plugins/clock/.git/HEAD", text, "skip: module.js.map contains sources from outside of the repository, which were not compared: \"" + name + "\""},
		{"none", text, "skip: "},
	} {
		root := t.TempDir()
		for file, data := range map[string]string{
			c.git: "", "packages/shared/src/index.ts": c.found, "plugins/clock/src/plugin.json": `{"id": "x"}`, "plugins/clock/package.json": "{}",
			"plugins/clock/dist/plugin.json": `{"id": "x"}`, "plugins/clock/dist/module.js": "x",
			"plugins/clock/dist/module.js.map": fmt.Sprintf(`{"version": 3, "sources": ["webpack://x/%s", "webpack://x/../../../node_modules/m/i.js"], "sourcesContent": [%q, ""]}`, name, text),
		} {
			file = filepath.Join(root, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err == nil && data != "" || filepath.Base(file) == "HEAD" {
				testkit.OK(t, os.WriteFile(file, []byte(data), 0o644))
			}
		}
		fsys, options, err := validate.Open(filepath.Join(root, "plugins", "clock"), ".")
		if err != nil {
			t.Fatal(err)
		}
		options.Rules, options.NoDist = []validate.Rule{only("sourcemap-stale")[0].TurnedOn()}, true
		r := runWith(t, fsys, options)
		got := lines(r)
		for _, s := range r.Skips {
			got += "skip: " + s.Reason
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, %q: %q, want %q", c.git, c.found, got, c.want)
		}
		if err := fsys.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
}
