package config

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func known() []string {
	return []string{"path-missing", "unknown-field", "id-format", "unused-suppression"}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const text = "# ours\nprofile: grafana\nstrict: true\nrules:\n  preset: catalog\n  id-format: off\n  path-missing: \"warning\"\n" +
		"suppress:\n  - rule: unknown-field\n    file: ./src/**/plugin.json\n    pointer: /info/*\n    reason: \" theirs \"\n" +
		"preview:\n  expected:\n    - {view: \"x: *\", text: refused, reason: no server}\n"
	c := testkit.Must(Parse("up/slipway.yaml", []byte(text), known()))(t)
	want := &Config{
		Name: "up/slipway.yaml", Data: []byte(text), Profile: "grafana", IsStrict: true, IsCatalog: true,
		Severities: map[string]string{"id-format": "off", "path-missing": "warning"},
		Suppressions: []Suppression{{
			Rule: "unknown-field", File: "src/**/plugin.json", Pointer: "/info/*", Reason: "theirs", Line: 9, Column: 11, EndColumn: 24,
		}},
		Expected: []ExpectedProblem{{View: "x: *", Text: "refused", Reason: "no server"}},
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "null\n", "rules:\nsuppress:\nprofile:\nstrict:\n"} {
		c, err := Parse("slipway.yaml", []byte(empty), known())
		if err != nil {
			t.Fatalf("%q: %v", empty, err)
		}
		if c.Profile != "" || len(c.Suppressions) > 0 {
			t.Errorf("%q: got %+v, want an empty configuration", empty, c)
		}
	}
}

func TestParseBuild(t *testing.T) {
	t.Parallel()
	const text = "backend:\n  main: ./server/\n  tags: [a, b]\n  ldflags: -X main.v=1\n  env: {GOAMD64: v3, A: 1, CC: zig cc}\n  cgo: true\n  check: false\n" +
		"  platforms: [linux/s390x, host, linux/s390x]\nfrontend:\n  command: npm run build\n  dir: out/plugin/\n"
	c := testkit.Must(Parse("c", []byte(text), known()))(t)
	want := Backend{
		Main: map[string]string{"": "server"}, Tags: []string{"a", "b"}, LDFlags: "-X main.v=1", Env: []string{"A=1", "CC=zig cc", "GOAMD64=v3"},
		Cgo: true, SkipCheck: true, Platforms: []bundle.Platform{{OS: "linux", Arch: "s390x"}, bundle.Host()},
	}
	if bundle.Host() == want.Platforms[0] {
		want.Platforms = want.Platforms[:1]
	}
	if d := cmp.Diff(want, c.Backend); d != "" {
		t.Errorf("backend (-want +got):\n%s", d)
	}
	if d := cmp.Diff(Frontend{Command: "npm run build", Dir: "out/plugin"}, c.Frontend); d != "" {
		t.Errorf("frontend (-want +got):\n%s", d)
	}
	c = testkit.Must(Parse("c", []byte("backend:\n  main: {acme-x-app: ../a, acme-y-panel: b}\n  platforms: all\n"), known()))(t)
	want = Backend{Main: map[string]string{"acme-x-app": "../a", "acme-y-panel": "b"}, Platforms: bundle.AllPlatforms()}
	if d := cmp.Diff(want, c.Backend); d != "" {
		t.Errorf("backend (-want +got):\n%s", d)
	}
}

func TestParseSubstitutions(t *testing.T) {
	t.Parallel()
	const text = "frontend:\n  alias: {'@img': ./src/img, old: new, fs: false}\n  define: {DEBUG: false, process.env.V: '%VERSION%', n: 1.5, x: }\n" +
		"  inject: {Buffer: [buffer, Buffer], $: jquery}\n  loader: {.hdr: file, .vert: text}\n"
	c := testkit.Must(Parse("c", []byte(text), known()))(t)
	want := Frontend{Substitutions: Substitutions{
		Alias:  map[string]string{"@img": "./src/img", "old": "new", "fs": ""},
		Define: map[string]string{"DEBUG": "false", "process.env.V": `"%VERSION%"`, "n": "1.5", "x": "null"},
		Inject: map[string]Export{"Buffer": {"buffer", "Buffer"}, "$": {"jquery", "default"}},
		Loader: map[string]string{".hdr": "file", ".vert": "text"},
	}}
	if d := cmp.Diff(want, c.Frontend); d != "" {
		t.Errorf("frontend (-want +got):\n%s", d)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"profil: service\n":                       `c:1:1: unknown key "profil" in slipway.yaml: did you mean "profile"?`,
		"x: 1\nprofile: 3\nstrict: yes please\n":  "c:1:1: unknown key \"x\" in slipway.yaml: use one of profile, strict, rules, suppress, generate, backend, frontend, preview\nc:2:10: \"profile\" must be a string, found a number\nc:3:9: \"strict\" must be a boolean, found a string",
		"profile: grafna\n":                       `c:1:10: invalid value "grafna" for "profile": did you mean "grafana"?`,
		"rules:\n  path-mising: off\n":            `c:2:3: unknown key "path-mising" in "rules": did you mean "path-missing"?`,
		"rules:\n  path-missing: warn\n":          `c:2:17: invalid value "warn" for "path-missing": use one of error, warning, info, off`,
		"rules: {preset: strict}\n":               `c:1:17: invalid value "strict" for "preset": use one of catalog`,
		"rules:\n  path-missing: false\n":         `c:2:17: "path-missing" must be a string, found a boolean`,
		"rules: [a]\n":                            `c:1:8: "rules" must be an object, found an array`,
		"- a\n":                                   "c:1:1: slipway.yaml must be an object, found an array",
		"strict: true\nstrict: false\n":           `c:2:1: duplicate key "strict": delete one`,
		"suppress: {}\n":                          `c:1:11: "suppress" must be an array of objects with a rule and a reason, found an object`,
		"suppress:\n  - rule: id-format\n":        `c:2:5: the suppression must have a "reason" for keeping the finding`,
		"suppress:\n  - reason: x\n":              `c:2:5: the suppression must have a "rule"`,
		"suppress:\n  - rule: i\n    reason: ' '": "c:2:11: invalid value \"i\" for \"rule\": use one of path-missing, unknown-field, id-format, unused-suppression\nc:3:13: \"reason\" must not be empty",
		"suppress:\n  - {rule: id-format, reason: x, pointer: info, file: '/a', line: 3}": "c:2:43: \"pointer\" must start with a slash, such as /info/version or /info/*\n" +
			"c:2:55: \"file\" must be a slash-separated path relative to slipway.yaml, such as src/plugin.json or **/plugin.json\n" +
			"c:2:61: unknown key \"line\" in the suppression: use one of rule, file, pointer, reason",
		"a: &x 1\nprofile: *x\n":  "c:1:1: unknown key \"a\" in slipway.yaml: use one of profile, strict, rules, suppress, generate, backend, frontend, preview\nc:2:10: \"profile\" must be a string, found an alias, which is not supported",
		"strict: true\n---\n{}":   "c:2:1: the file has a second YAML document: delete one",
		"strict: [\n":             "c:1:1: invalid YAML: did not find expected node content",
		"backend:\n\tmain: a\n":   "c:2:1: invalid YAML: a tab; indent with spaces",
		"backend:\n  \tmain: a\n": "c:2:3: invalid YAML: a tab; indent with spaces",
		"\xff":                    "c:1:1: invalid UTF-8: save the file as UTF-8",
		"? [a]\n: 1\n":            "c:1:3: keys must be strings, found an array",

		"preview: {expected: x}\n":                     `c:1:21: "expected" must be an array of objects with a view, a text and a reason, found a string`,
		"preview: {expected: [{view: x}]}\n":           `c:1:22: the expected problem must have a "text" that it contains, and a "reason" for accepting it`,
		"backend:\n  man: x\n  cgo: 1\n":               "c:2:3: unknown key \"man\" in \"backend\": did you mean \"main\"?\nc:3:8: \"cgo\" must be a boolean, found a number",
		"backend: [x]\n":                               `c:1:10: "backend" must be an object, found an array`,
		"backend: {main: /srv}\n":                      `c:1:17: "main" must be a slash-separated relative path`,
		"backend: {main: [x]}\n":                       `c:1:17: "main" must be a directory, or an object that maps plugin ids to directories, found an array`,
		"backend: {main: {a: 1}}\n":                    `c:1:21: "a" must be a string, found a number`,
		"backend: {tags: [a b, 2]}\n":                  "c:1:18: invalid build tag \"a b\": use letters, digits, underscores and dots\nc:1:23: \"tags\" must contain strings only, found a number",
		"backend: {tags: a}\n":                         `c:1:17: "tags" must be an array of strings, found a string`,
		"backend: {platforms: [linux/amd64, linux]}\n": `c:1:36: invalid platform "linux": write os/arch, such as linux/amd64, or use all or host`,
		"backend: {platforms: [plan9/amd64]}\n":        `c:1:23: invalid platform "plan9/amd64": the operating system must be one of linux, darwin, windows, freebsd, netbsd, openbsd`,
		"backend: {platforms: []}\n":                   `c:1:22: "platforms" must not be empty`,
		"backend: {platforms: ['']}\n":                 `c:1:23: "platforms" must not contain an empty string`,
		"backend:\n  env: {GOOS: x, goflags: y, A-B: z, C: [hunter2], D: }\n": "c:2:9: \"GOOS\" must not be in \"env\": the build sets it for each of \"platforms\"\n" +
			"c:2:18: \"goflags\" must not be in \"env\": set \"tags\" and \"ldflags\" instead\n" +
			"c:2:30: invalid name \"A-B\" of an environment variable: use letters, digits and underscores\n" +
			"c:2:41: \"C\" must be a string, found an array\nc:2:55: \"D\" must be a string, found null",
		"frontend: {}\n": `c:1:11: "frontend" must have a "command", such as npm run build`,
		"frontend: {command: x, alias: {a: b}}\n": `c:1:11: "alias", "define", "inject" and "loader" are for Slipway's bundler: delete them, or "command"`,
		"frontend: {alias: {a: b}, dir: y}\n":     `c:1:11: "frontend" must have a "command", such as npm run build`,
		"frontend: {alias: {a: true}}\n":          `c:1:23: "a" must be a string, found a boolean`,
		"frontend: {define: {a-b: 1, c: [1]}}\n":  "c:1:21: invalid name \"a-b\" in \"define\": use a name such as DEBUG or process.env.MODE\nc:1:32: \"c\" must be a string, a number, a boolean or null, found an array",
		"frontend: {inject: {a.b: c, d: [e]}}\n":  "c:1:21: invalid name \"a.b\" in \"inject\": use a name such as Buffer\nc:1:32: \"d\" must be a module, or an array of a module and the name of an export",
		"frontend: {loader: {hdr: file, .a: fil, .b: binary}}\n": "c:1:21: invalid extension \"hdr\" in \"loader\": use one such as .hdr, in lower case\n" +
			"c:1:36: invalid value \"fil\" for \".a\": did you mean \"file\"?\nc:1:45: invalid value \"binary\" for \".b\": use one of file, text, dataurl, json, empty, js, ts, tsx, css",
		"frontend: {command: x, dir: ../y}\n":    `c:1:29: "dir" must be a directory in the plugin repository, such as build`,
		"frontend: {command: x, dir: ./}\n":      `c:1:29: "dir" must be a directory in the plugin repository, such as build`,
		"frontend: {command: x, dir: '..\\y'}\n": `c:1:29: "dir" must be a slash-separated relative path`,
		"frontend: {comand: x}\n":                `c:1:12: unknown key "comand" in "frontend": did you mean "command"?`,
	} {
		_, err := Parse("c", []byte(text), known())
		if err == nil || err.Error() != want {
			t.Errorf("%q gave\n%v\nwant\n%s", text, err, want)
		}
	}
	if _, err := Parse("c", make([]byte, maxBytes+1), known()); err == nil || !strings.Contains(err.Error(), "larger than 256 KiB") {
		t.Error(err)
	}
}

// TestSchema requires that the schema and the parser have the same keys.
func TestSchema(t *testing.T) {
	t.Parallel()
	type node struct {
		Description          string
		Properties           map[string]node
		Items                *node
		Enum                 []any
		AdditionalProperties any
		PropertyNames        struct{ Not struct{ Enum []string } }
	}
	var root node
	testkit.OK(t, json.Unmarshal(Schema(), &root))
	same := func(where string, got, want []string) {
		t.Helper()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %q, the parser %q", where, got, want)
		}
	}
	names := func(list []any) (names []string) {
		for _, v := range list {
			if s, ok := v.(string); ok {
				names = append(names, s)
			}
		}
		return names
	}
	items := root.Properties["suppress"].Items
	same("top", slices.Collect(maps.Keys(root.Properties)), topKeys())
	same("backend", slices.Collect(maps.Keys(root.Properties["backend"].Properties)), backendKeys())
	same("frontend", slices.Collect(maps.Keys(root.Properties["frontend"].Properties)), frontendKeys())
	same("env", root.Properties["backend"].Properties["env"].PropertyNames.Not.Enum, slices.Collect(maps.Keys(refusedVariables())))
	same("expected", slices.Collect(maps.Keys(root.Properties["preview"].Properties["expected"].Items.Properties)), expectedKeys())
	same("suppress", slices.Collect(maps.Keys(items.Properties)), suppressionKeys())
	same("profile", names(root.Properties["profile"].Enum), profiles())
	same("severity", names(root.Properties["rules"].AdditionalProperties.(map[string]any)["enum"].([]any)), severities())
	for name, n := range root.Properties {
		if n.Description == "" {
			t.Errorf("%s has no description", name)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for _, d := range []string{"repo/.git", "repo/src/deep", "repo/own/dist", "loose/in", "yml"} {
		testkit.OK(t, os.MkdirAll(dir(d), 0o755))
	}
	for _, f := range []string{"slipway.yaml", "repo/slipway.yaml", "repo/own/slipway.yaml", "loose/slipway.yaml", "yml/slipway.yml"} {
		testkit.OK(t, os.WriteFile(dir(f), nil, 0o644))
	}
	for _, c := range []struct{ dir, cwd, want string }{
		{"repo/src/deep", "repo/src", "repo/slipway.yaml"},
		{"repo/own/dist", "repo", "repo/own/slipway.yaml"},
		{"repo/src", "loose", "repo/slipway.yaml"},
		{"loose/in", "loose", "loose/slipway.yaml"},
		{"loose/in", "loose/in", ""},
		{"loose/in", "repo", ""},
		{"loose", "repo", "loose/slipway.yaml"},
	} {
		want := c.want
		if want != "" {
			want = dir(want)
		}
		if got, err := Find(dir(c.dir), dir(c.cwd)); err != nil || got != want {
			t.Errorf("%s in %s: %q, %v", c.dir, c.cwd, got, err)
		}
	}
	if _, err := Find(dir("yml"), dir("yml")); err == nil || !strings.Contains(err.Error(), "rename it to slipway.yaml") {
		t.Error(err)
	}
}
