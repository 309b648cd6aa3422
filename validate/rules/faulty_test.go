package rules

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

const faulty = `{
  "id": "acme-clock-panel",
  "name": "Clock",
  "type": "panel",
  "backend": "yes",
  "grants": ["Viewer"],
  "info": {
    "description": "Shows the time.", "keywords": ["time"],
    "logos": { "small": "img/logo.svg", "large": "../../x.svg" },
    "updated": "2026-01-31"
  },
  "dependencies": { "serviceDependency": ">=10.3.0" }
}
`

func faultyTree(tb testing.TB) fstest.MapFS {
	tree := fstest.MapFS{"plugin.json": {Data: []byte(faulty)}}
	layBase(tb, tree)
	return tree
}

func TestFourFindingsInOneRun(t *testing.T) {
	t.Parallel()
	report := run(t, faultyTree(t))
	want := `plugin.json:5:14 wrong-type /backend "backend" must be a boolean, found a string
plugin.json:6:3 unknown-field /grants unknown key "grants" in plugin.json; did you mean "grant" in roles[]?
plugin.json:7:3 required-field /info/version "info" is missing the required key "version"
plugin.json:9:50 path-escape /info/logos/large path "../../x.svg" points outside the plugin
`
	if got := lines(report); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if code := report.ExitCode(); code != validate.ExitFindings {
		t.Errorf("exit status %d", code)
	}
	if len(report.Skips) > 0 {
		t.Errorf("skips: %+v", report.Skips)
	}
}

// TestOneMistakeOneFinding breaks one value at a time, in ways that the mutants do not have: one finding each.
func TestOneMistakeOneFinding(t *testing.T) {
	t.Parallel()
	valid := strings.NewReplacer(`"yes"`, "true", `  "grants": ["Viewer"],`, `  "executable": "gpx_clock",`,
		"../../x.svg", "img/logo.svg", `"2026-01-31"`, `"2026-01-31", "version": "1.0.0"`).Replace(faulty)
	for _, c := range []struct{ name, old, new, want string }{
		{"valid", "", "", ""},
		{"missing id", `"id": "acme-clock-panel",`, "", "1:1 required-field /id"},
		{"escaped range", `">=10.3.0"`, `"\u003e=10.3.0, 11"`, "12:42 dependency-range-invalid /dependencies/serviceDependency"},
		{"alerting next to a wrong backend", `"backend": true`, `"alerting": true, "backend": "true"`, "5:32 wrong-type /backend"},
		{"logo above the file system", `"small": "img/logo.svg"`, `"small": "../../../../etc/passwd"`, "9:25 path-escape /info/logos/small"},
		{"logo with NUL", `"small": "img/logo.svg"`, `"small": "a\u0000b"`, "9:25 path-missing /info/logos/small"},
		{"logo that is hidden", `"small": "img/logo.svg"`, `"small": ".logo.svg"`, "9:25 path-missing /info/logos/small"},
		{"empty roles and old hosts", `"backend": true`, `"roles": [], "iam": {}, "backend": true`, ""},
		{"key that earlier hosts do not know", `">=10.3.0"`, `"*"}, "enterpriseFeatures": {"healthDiagnosticsErrors": false`, "12:71 min-version-health-diagnostics /enterpriseFeatures/healthDiagnosticsErrors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(valid, c.old, c.new, 1)
			if c.name == "empty roles and old hosts" {
				text = strings.Replace(text, ">=10.3.0", "*", 1)
			}
			tree := faultyTree(t)
			tree["plugin.json"] = &fstest.MapFile{Data: []byte(text)}
			report := runWith(t, tree, validate.Options{Rules: without(All(), "schema-missing"), Profile: "service"})
			var got []string
			for line := range strings.Lines(lines(report)) {
				fields := strings.Fields(line)
				got = append(got, strings.TrimPrefix(strings.Join(fields[:3], " "), "plugin.json:"))
			}
			if strings.Join(got, "\n") != c.want {
				t.Errorf("got %q, want %q\n%s", got, c.want, lines(report))
			}
		})
	}
}

func BenchmarkRun(b *testing.B) {
	rules := All()
	tree := faultyTree(b)
	for b.Loop() {
		testkit.Must(validate.Run(b.Context(), tree, validate.Options{Rules: rules}))(b)
	}
}

func TestFalseIsAnInfo(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]validate.Severity{"false": validate.Info, "true": validate.Error} {
		tree := faultyTree(t)
		tree["plugin.json"] = &fstest.MapFile{Data: []byte(strings.Replace(faulty, `">=10.3.0" }`, `"*" }, "enterpriseFeatures": {"healthDiagnosticsErrors": `+value+`}`, 1))}
		for _, f := range run(t, tree).Findings {
			if f.Rule == "min-version-health-diagnostics" && (f.Severity != want || !strings.Contains(f.Help, `raise the lower bound of "serviceDependency" to 7.5.5 or later`)) {
				t.Errorf("%s: %s, %s", value, f.Severity, f.Help)
			}
		}
	}
}

// TestHelp requires the help to name what to write.
func TestHelp(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		`"info": {"version": "1.0.0"}`: `add "logos", an object with "small" and "large": `,
		`"metrics": 1`:                 "write true or false",
		`"metrics": "on"`:              "write true without quotes",
	} {
		tree := fstest.MapFS{"plugin.json": {Data: []byte(`{"id": "acme-x-panel", "type": "panel", ` + key + `}`)}}
		isWanted := func(f validate.Finding) bool { return strings.HasPrefix(f.Help, want) }
		if report := run(t, tree); !slices.ContainsFunc(report.Findings, isWanted) {
			t.Errorf("%s: no finding has the help %q", key, want)
		}
	}
}

// TestHelpForAKeyOfAnotherObject requires the help to name the key to use there.
func TestHelpForAKeyOfAnotherObject(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"grants": `move it there as "grant", or delete it`,
		"grant":  "move it there, or delete it",
	} {
		tree := faultyTree(t)
		tree["plugin.json"] = &fstest.MapFile{Data: []byte(strings.Replace(faulty, `"grants"`, `"`+key+`"`, 1))}
		findings := run(t, tree).Findings
		i := slices.IndexFunc(findings, func(f validate.Finding) bool { return f.Rule == "unknown-field" })
		if i < 0 || findings[i].Help != want {
			t.Errorf("%s: got %+v, want the help %q", key, findings, want)
		}
	}
}
