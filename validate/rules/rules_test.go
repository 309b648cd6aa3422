package rules

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/shared"
)

var update = flag.Bool("update", false, "write the findings into the examples")

func TestRulesAreComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range All() {
		if seen[r.ID] {
			t.Errorf("duplicate rule %s", r.ID)
		}
		seen[r.ID] = true
		if slices.Contains([]string{string(r.Severity), r.Summary, r.Why, r.Help}, "") || r.Check == nil {
			t.Errorf("%s lacks documentation or Check: %+v", r.ID, r)
		}
	}
	for id, part := range map[string]string{"react-runtime-bundled": shared.JSXRuntime, "manifest-signature": signature.Invalid, "go-sdk": grafanaSDK} {
		if help := only(id)[0].Help; !strings.Contains(help, part) {
			t.Errorf("the help of %s, %q, does not contain %q", id, help, part)
		}
	}
	files := testkit.Must(os.ReadDir("."))(t)
	for _, f := range files {
		name, ext, _ := strings.Cut(f.Name(), ".")
		isRule := ext == "txtar" && name != "base" || ext == "go" && name != "rules" && name != "policy" && name != "doc" && !strings.HasSuffix(name, "_test")
		if isRule && !seen[strings.ReplaceAll(name, "_", "-")] {
			t.Errorf("%s: no such rule", f.Name())
		}
	}
}

// TestPolicy requires rules of every kind, and that no other file decides how serious something is.
func TestPolicy(t *testing.T) {
	t.Parallel()
	policy := string(testkit.Must(os.ReadFile("policy.go"))(t))
	table, _, _ := strings.Cut(policy, "type kind string")
	form := regexp.MustCompile(`^[ewi.=]{4}(/[ewi.=]{4})?( |$)`)
	for _, k := range regexp.MustCompile("(?m)^\t(\\w+) +kind = [\"`](.*)[\"`]").FindAllStringSubmatch(policy, -1) {
		isOfRule := regexp.MustCompile(`\b` + k[1] + `\b`).MatchString(table)
		if !form.MatchString(k[2]) || !isOfRule && kind(k[2]) != ordinary {
			t.Errorf("kind %s: %s", k[1], k[2])
		}
	}
	files := testkit.Must(filepath.Glob("[a-z]*.go"))(t)
	decides := regexp.MustCompile(`validate\.(Error|Warning|Off)\b|IsCatalog|Profile\.Name`)
	for _, file := range files {
		data := testkit.Must(os.ReadFile(file))(t)
		if m := decides.Find(data); m != nil && file != "policy.go" && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s: %s belongs in policy.go", file, m)
		}
	}
}

// TestSrcAlone validates src without the repository around it. README.md and the like
// may be there, so their rules skip.
func TestSrcAlone(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Source)
	dropFile("README.md", "CHANGELOG.md", "LICENSE")(p)
	report := runWith(t, p.files, validate.Options{Rules: All(), RootName: "src"})
	if got := lines(report); got != "" {
		t.Errorf("findings:\n%s", got)
	}
	if len(report.Skips) != 3 || report.ExitCode() != validate.ExitClean {
		t.Errorf("exit status %d, skips %+v", report.ExitCode(), report.Skips)
	}
}

// TestTwoPluginJSON requires that src/plugin.json, which builds use, is validated alone, and that the other one is named.
func TestTwoPluginJSON(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Source)
	tree := p.in("src")
	tree["plugin.json"] = &fstest.MapFile{Data: []byte(completePanel)}
	report := runWith(t, tree, validate.Options{Rules: All(), Profile: "service"})
	isNamed := func(s validate.Skip) bool {
		return s.File == "plugin.json" && strings.Contains(s.Reason, "two plugin.json")
	}
	if got := lines(report); got != "" || report.Plugins != 3 || !slices.ContainsFunc(report.Skips, isNamed) {
		t.Errorf("%d plugins, %v:\n%s", report.Plugins, report.Skips, got)
	}
}

// TestGrafanaRoles accepts what apps for Grafana use: "grants", and the action that opens
// the pages of an app.
func TestGrafanaRoles(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Dist)
	addFile(goManifestFile, "")(p)
	renameIn("plugin.json", "/roles/0/grant", "grants")(p)
	replaceText("plugin.json", "Service Admin", "Grafana Admin")(p)
	set("/roles/0/role/permissions/0/action", "plugins.app:access")(p)
	for _, file := range []string{"plugin.json", datasourceFile, panelFile} {
		replaceText(file, "serviceDependency", "grafanaDependency")(p)
		replaceText(file, "serviceVersion", "grafanaVersion")(p)
		replaceText(file, ">=10.3.0", ">=10.4.0")(p)
	}
	report := runWith(t, p.files, validate.Options{Rules: All(), Where: validate.Dist})
	if got := lines(report); got != "" {
		t.Error(got)
	}
}

// TestOtherExecutables requires that a finding lists all executables that have another name.
func TestOtherExecutables(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Dist)
	set("/executable", "gpx_moon")(p)
	p.files["gpx_ebb_linux_amd64"] = p.files["gpx_tide_linux_amd64"]
	const want = `"executable" is "gpx_moon", but the executables here are named gpx_ebb, gpx_tide`
	if got := lines(p.run(t, All())); !strings.Contains(got, want+"\n") {
		t.Errorf("no finding %s:\n%s", want, got)
	}
}

// TestModuleOfGroup requires no module.js of an app that only groups plugins, except in the preset catalog.
func TestModuleOfGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pages     bool
		isCatalog bool
		want      bool
	}{{true, false, true}, {false, false, false}, {false, true, true}} {
		p := completePlugin(t, validate.Dist)
		dropFile("module.js")(p)
		if !c.pages {
			removeIn("plugin.json", "/includes/0")(p)
			set("/preload", false)(p)
		}
		report := runWith(t, p.files, validate.Options{Rules: All(), Where: validate.Dist, IsCatalog: c.isCatalog})
		if got := strings.Contains(lines(report), "module-js-missing"); got != c.want {
			t.Errorf("pages %t, catalog %t: a finding of module-js-missing: %t\n%s", c.pages, c.isCatalog, got, lines(report))
		}
	}
}

// TestOfCatalogAlone requires an error of the preset catalog for what existing hosts accept and the catalog refuses.
func TestOfCatalogAlone(t *testing.T) {
	t.Parallel()
	setRange := func(text string) func(*plugin) { return setIn("plugin.json", "/dependencies/grafanaDependency", text) }
	for _, c := range []struct {
		name, rule        string
		mutate            func(*plugin)
		byDefault, preset validate.Severity
	}{
		{"version beyond 64 bits", "dependency-range-invalid", setRange(">=9999999999999999999999.0.0"), validate.Warning, validate.Error},
		{"zeros that its parser accepts", "dependency-range-invalid", setRange(">=010.3.0"), validate.Warning, validate.Warning},
		{"checksum of an executable", "binary-mode", addFile("gpx_tide_linux_amd64.sha256", "00"), "", validate.Error},
	} {
		for isCatalog, want := range map[bool]validate.Severity{false: c.byDefault, true: c.preset} {
			p := completePlugin(t, validate.Dist)
			c.mutate(p)
			report := runWith(t, p.files, validate.Options{Rules: All(), Where: validate.Dist, Profile: "grafana", IsCatalog: isCatalog})
			got := validate.Severity("")
			for _, f := range report.Findings {
				if f.Rule == c.rule && f.File != datasourceFile && f.File != panelFile {
					got = f.Severity
				}
			}
			if got != want {
				t.Errorf("%s, catalog %t: %q, want %q\n%s", c.name, isCatalog, got, want, lines(report))
			}
		}
	}
}

// TestNestedRequirements checks what is reported of the keys that a nested plugin lacks: everything in the
// profile service, and in the profile grafana one finding for all that it does not inherit.
func TestNestedRequirements(t *testing.T) {
	t.Parallel()
	service := map[string]validate.Severity{
		"/name": validate.Error, "/info/version": validate.Info, "/info/updated": validate.Info, "/info/keywords": validate.Error, "/info/logos": validate.Error,
		"/dependencies/serviceDependency": validate.Error,
	}
	grafana := map[string]validate.Severity{"/name": validate.Error, "/info": validate.Info}
	catalog := map[string]validate.Severity{"/name": validate.Error, "/info": validate.Info, "/info/logos": validate.Error}
	for _, c := range []struct {
		profile   string
		isCatalog bool
		want      map[string]validate.Severity
	}{{"service", false, service}, {"grafana", false, grafana}, {"grafana", true, catalog}} {
		p := completePlugin(t, validate.Dist)
		for pointer := range service {
			removeIn(panelFile, pointer)(p)
		}
		report := runWith(t, p.files, validate.Options{Rules: All(), Where: validate.Dist, Profile: c.profile, IsCatalog: c.isCatalog})
		got := map[string]validate.Severity{}
		for _, f := range report.Findings {
			if f.Rule == "required-field" && f.File == panelFile {
				got[f.Pointer] = f.Severity
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, catalog %t: severities by pointer (-want +got):\n%s", c.profile, c.isCatalog, diff)
		}
	}
}
