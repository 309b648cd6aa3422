package provisioning_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/provisioning"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func read(t *testing.T, files map[string]string) (*provisioning.Config, string, error) {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, files)
	c, err := provisioning.Read(dir, options(map[string]string{"HOST": "db.example", "PASS": "a: b # {c} $HOST", "ORG": "1", "YES": "true"}))
	return c, dir, err
}

// options have environment variables, and refuse the setting BAD.
func options(environ map[string]string) provisioning.Options {
	return provisioning.Options{
		Lookup: func(name string) (value string, ok bool) { value, ok = environ[name]; return value, ok },
		CheckSetting: func(key, _ string) error {
			if key == "BAD" {
				return errors.New("is reserved")
			}
			return nil
		},
	}
}

// Settings of processes have keys in upper case, and values that are expanded.
func TestReadSettings(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: 1\nsettings:\n"
	c, _, err := read(t, map[string]string{
		"secret":         "s3cret\n",
		"plugins/a.yaml": head + "  - type: acme-app\n    values: {region: $HOST, count: 5, key: '$__file{secret}', none: null}\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]string{"acme-app": {"REGION": "db.example", "COUNT": "5", "KEY": "s3cret", "NONE": "null"}}
	if diff := cmp.Diff(want, c.Settings); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"  - {type: a}\n":                                        "plugins/a.yaml:3:5: values is required",
		"  - {values: {a: b}}\n":                                 "plugins/a.yaml:3:5: type is required",
		"  - {type: a, values: s3cret}\n":                        "plugins/a.yaml:3:23: values must be a mapping",
		"  - {type: a, values: {k: [s3cret]}}\n":                 "plugins/a.yaml:3:27: values.k must be a string",
		"  - {type: a, values: {bad: s3cret}}\n":                 "plugins/a.yaml:3:24: values.bad is reserved",
		"  - {type: a, values: {}}\n  - {type: a, values: {}}\n": `plugins/a.yaml:4:5: another entry has the settings of the processes of "a"`,
	} {
		_, _, err := read(t, map[string]string{"plugins/a.yaml": head + text})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Mappings that are merged count like members that are written out, and what an entry has itself wins.
func TestReadMerged(t *testing.T) {
	t.Parallel()
	c, _, err := read(t, map[string]string{"datasources/a.yaml": `
apiVersion: 1
x-common: &common {type: acme, url: 'http://$HOST', editable: true, jsonData: {a: 1}, secureJsonData: {key: common}}
x-secrets: &secrets {key: own, other: $HOST}
datasources:
  - {<<: *common, name: A, uid: a}
  - {<<: [{url: 'http://first'}, *common], name: B, uid: b, type: own, jsonData: {b: 2}, secureJsonData: {<<: *secrets, other: x}}
`})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range c.DataSources {
		got = append(got, fmt.Sprint(d.Name, " ", d.Type, " ", d.URL, " ", d.IsReadOnly, " ", string(d.JSON), " ", d.Secrets))
	}
	want := []string{`A acme http://db.example false {"a":1} map[key:common]`, `B own http://first false {"b":2} map[key:own other:x]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadDataSources(t *testing.T) {
	t.Parallel()
	c, _, err := read(t, map[string]string{
		"secret.txt": "s3cret\n",
		"datasources/a.yaml": `
apiVersion: 1
deleteDatasources:
  - name: Old
prune: true
x-shared: &shared
  nested: [1, "$HOST"]
datasources:
  - name: Prometheus
    type: prometheus
    access: direct
    orgId: $ORG
    editable: ${YES}
    url: http://${HOST}/$$1/$unset
    basicAuth: true
    basicAuthUser: $__env{HOST}
    jsonData: *shared
    secureJsonData:
      password: $PASS
      file: $__file{secret.txt}
      none:
  - {name: B, uid: b, type: x, orgId: 2}
`,
		"datasources/empty.yml": "# nothing\n", "datasources/.gitkeep": "", "datasources/README.md": "text",
		"plugins/apps.yaml": "apiVersion: 1\napps:\n  - type: myorg-basic-app\n    org_id: 1\n    disabled: false\n    jsonData: {apiUrl: 'http://x'}\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.DataSources) != 1 || len(c.Apps) != 1 || strings.Join(c.Delete, ",") != "Old" {
		t.Fatalf("config: %+v", c)
	}
	d := c.DataSources[0]
	if d.UID != "PBFA97CFB590B2093" || d.HasUID || d.IsReadOnly || !d.IsPruned || !d.BasicAuth || d.BasicAuthUser != "db.example" {
		t.Errorf("data source: %+v", d)
	}
	if d.URL != "http://db.example/$1/" {
		t.Errorf("url: %s", d.URL)
	}
	if string(d.JSON) != `{"nested":[1,"db.example"]}` {
		t.Errorf("jsonData: %s", d.JSON)
	}
	if got, _ := json.Marshal(d.Secrets); string(got) != `{"file":"s3cret","password":"a: b # {c} $HOST"}` {
		t.Errorf("secrets: %s", got)
	}
	var warnings []string
	for _, w := range c.Warnings {
		warnings = append(warnings, w.Error())
	}
	want := []string{"datasources/a.yaml:14:10: the environment variable unset is not set", "datasources/a.yaml:22:39: entry skipped", "datasources/a.yaml:11:13: treated as access: proxy, because"}
	for i, w := range want {
		if i >= len(warnings) || !strings.HasPrefix(warnings[i], w) {
			t.Errorf("warnings: %q, want prefixes %q", warnings, want)
		}
	}
	if a := c.Apps[0]; a.PluginID != "myorg-basic-app" || !a.IsEnabled || string(a.JSON) != `{"apiUrl":"http://x"}` {
		t.Errorf("app: %+v", a)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: 1\ndatasources:\n"
	for text, want := range map[string]string{
		"apiVersion: 1\ndatasources:\n  - name: [\n": "datasources/a.yaml:3:",
		"a:\n\tb: 1\n":         "datasources/a.yaml:2:1: ",
		"apiVersion: 2\n":      `datasources/a.yaml:1:13: apiVersion must be 1, found "2"`,
		"- a\n":                "datasources/a.yaml:1:1: must be a mapping",
		"datasources: a\n":     "datasources/a.yaml:1:14: datasources must be a list",
		"datasources: [a]\n":   "datasources/a.yaml:1:15: an entry of datasources must be a mapping",
		head + "  - name: A\n": "datasources/a.yaml:3:5: type is required",
		head + "  - {name: A, type: x, uid: a/b}\n":                                                 "datasources/a.yaml:3:29: uid: ",
		head + "  - {name: A, type: x, url: 'http://u:p@h'}\n":                                      "datasources/a.yaml:3:29: url: must not contain credentials",
		head + "  - {name: A, type: x, editable: maybe}\n":                                          "datasources/a.yaml:3:34: editable must be true or false",
		head + "  - {name: A, type: x, jsonData: text}\n":                                           "datasources/a.yaml:3:34: jsonData must be a mapping",
		head + "  - {name: A, type: x, jsonData: {a: .nan}}\n":                                      "datasources/a.yaml:3:34: jsonData: ",
		head + "  - {name: A, type: x, secureJsonData: {a: [b]}}\n":                                 "datasources/a.yaml:3:44: secureJsonData.a must be a string",
		head + "  - {name: A, type: x, url: '$__file{../x}'}\n":                                     `datasources/a.yaml:3:29: "../x" leads out of the provisioning directory`,
		head + "  - {name: A, type: x, url: '$__file{missing}'}\n":                                  "datasources/a.yaml:3:29: open ",
		head + "  - {name: A, type: x, url: '$__file{datasources}'}\n":                              "datasources/a.yaml:3:29: ",
		head + "  - {name: A, type: x}\n  - {name: A, type: y}\n":                                   `datasources/a.yaml:4:5: another data source has the name "A"`,
		head + "  - {name: A, type: x, isDefault: true}\n  - {name: B, type: y, isDefault: true}\n": "datasources/a.yaml:4:35: only one data source can be the default",
		head + "  - &a {<<: *a, type: x}\n":                                                         "datasources/a.yaml:3:",
		head + "  - &a {name: A, type: x, jsonData: {b: *a}}\n":                                     "datasources/a.yaml:3:",
	} {
		_, dir, err := read(t, map[string]string{"datasources/a.yaml": text})
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), want) {
			t.Errorf("%s\nerror: %v\nwant:  %s", text, err, want)
		}
	}
	if _, err := provisioning.Read(filepath.Join(t.TempDir(), "missing"), options(nil)); err == nil {
		t.Error("no error for a directory that does not exist")
	}
}

func TestReadDashboards(t *testing.T) {
	t.Parallel()
	c, dir, err := read(t, map[string]string{
		"dashboards/default.yaml": `
apiVersion: 1
providers:
  - name: image
    type: file
    folder: Top
    options: {path: /etc/grafana/provisioning/dashboards, foldersFromFilesStructure: true}
  - name: missing
    options:
      path: /dashboards-that-do-not-exist
`,
		"dashboards/one.json":       `{"id": 7, "uid": "one", "version": 3, "title": "One", "x": "$HOST"}`,
		"dashboards/sub/two.json":   `{"title": "Two"}`,
		"dashboards/sub/again.json": `{"uid": "one", "title": "Again"}`,
		"dashboards/broken.json":    "{\n  \"title\": \"x\",\n}",
		"dashboards/untitled.json":  `{"uid": "u"}`,
		"dashboards/.git/x.json":    `{"title": "hidden"}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Dashboards) != 2 {
		t.Fatalf("dashboards: %+v", c.Dashboards)
	}
	one, two := c.Dashboards[0], c.Dashboards[1]
	if one.UID != "one" || one.ID != 0 || one.Folder != "Top" || !strings.Contains(string(one.Model), "$HOST") {
		t.Errorf("first dashboard: %+v", one)
	}
	if two.Title != "Two" || two.Folder != "sub" || !strings.HasPrefix(two.UID, "p") || two.File != "dashboards/sub/two.json" {
		t.Errorf("second dashboard: %+v", two)
	}
	var text []string
	for _, w := range c.Warnings {
		text = append(text, w.Error())
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{
		"dashboards/broken.json:3:1: ", "dashboards/untitled.json: title", `dashboards/sub/again.json: dashboard skipped: another file has the uid "one"`,
		"dashboards/default.yaml:10:13: provider skipped: ",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in:\n%s", want, all)
		}
	}
	if c.Changes() != "" {
		t.Error("stale without a change")
	}
	testkit.WriteFile(t, filepath.Join(dir, "dashboards", "sub", "three.json"), `{"title": "Three"}`)
	late := time.Now().Add(time.Hour) // file systems may have coarse times
	testkit.OK(t, os.Chtimes(filepath.Join(dir, "dashboards/sub"), late, late))
	if c.Changes() == "" {
		t.Error("not stale after a file was added")
	}
}

// A provider can name a symbolic link to a directory.
func TestReadLinkedDashboards(t *testing.T) {
	t.Parallel()
	boards, dir := t.TempDir(), t.TempDir()
	testkit.WriteFile(t, filepath.Join(boards, "sub", "one.json"), `{"title": "One"}`)
	testkit.WriteFile(t, filepath.Join(dir, "dashboards", "a.yaml"), "apiVersion: 1\nproviders:\n  - {options: {path: linked, foldersFromFilesStructure: true}}\n")
	if err := os.Symlink(boards, filepath.Join(dir, "linked")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	c, err := provisioning.Read(dir, options(nil))
	if err != nil || len(c.Dashboards) != 1 || c.Dashboards[0].Folder != "sub" || c.Dashboards[0].File != "linked/sub/one.json" {
		t.Errorf("%+v, %v", c, err)
	}
}

// A value that a variable contains cannot add keys, and an entity bomb does not expand.
func TestReadHostile(t *testing.T) {
	t.Parallel()
	bomb := "apiVersion: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		ref := "*a" + string(rune('0'+i-1))
		bomb += "a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.Repeat(ref+", ", 9) + ref + "]\n"
	}
	bomb += "datasources:\n  - {name: A, type: x, jsonData: {a: *a8}}\n"
	if _, _, err := read(t, map[string]string{"datasources/a.yaml": bomb}); err == nil || !strings.Contains(err.Error(), "excessive aliasing") {
		t.Errorf("bomb: %v", err)
	}
}

// Aliases cannot multiply a text, and an error shows a value as the file has it: a variable in the
// wrong place may contain a secret.
func TestReadSecrets(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: 1\n"
	for text, want := range map[string]string{
		head + "x: &x " + strings.Repeat("x", 1<<14) + "\ndatasources:\n  - {name: A, type: x, jsonData: {a: [" + strings.Repeat("*x, ", 100) + "]}}\n": "4:34: jsonData: must not be longer than 524288 bytes",
		head + "datasources:\n  - {name: $HOST, type: x}\n  - {name: $HOST, type: x}\n":                                                                 `4:5: another data source has the name "$HOST"`,
		head + "apps:\n  - {type: $HOST}\n  - {type: $HOST}\n":                                                                                          `another entry has the settings of "$HOST"`,
		head + "datasources:\n  - {name: A, type: x, uid: $HOST}\n":                                                                                     `3:29: uid: must be 1 to 40 letters, digits, - and _, found "$HOST"`,
		head + "playlists:\n  - {name: A, interval: $HOST}\n":                                                                                           `3:25: interval: must be a positive integer and a unit (s, m, h, d, w, M), such as 5m, found "$HOST"`,
		head + "playlists:\n  - {name: A, interval: 5m, items: [{type: $HOST, value: '1'}]}\n":                                                          `found "$HOST"`,
		head + "playlists:\n  - {name: A, interval: 5m, items: [{type: dashboard_by_id, value: 'x$HOST'}]}\n":                                           `found "x$HOST"`,
		head + "providers:\n  - {type: $HOST}\n":                                                                                                        `3:12: type must be file, found "$HOST"`,
	} {
		name := "datasources/a.yaml"
		switch {
		case strings.Contains(text, "apps:"):
			name = "plugins/a.yaml"
		case strings.Contains(text, "providers:"):
			name = "dashboards/a.yaml"
		case strings.Contains(text, "playlists:"):
			name = "playlists/a.yaml"
		}
		_, _, err := read(t, map[string]string{name: text})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "db.example") {
			t.Errorf("%.200s\nerror: %v\nwant:  %s", text, err, want)
		}
	}
}

// A provider cannot make the host look through a whole file system, and an error does not
// print all of a file.
func TestReadBounds(t *testing.T) {
	t.Parallel()
	providers := "apiVersion: 1\nproviders:\n" + strings.Repeat("  - {options: {path: tree}}\n", 250)
	files := map[string]string{"dashboards/a.yaml": providers}
	for n := range 100 {
		files[fmt.Sprintf("tree/%d/x", n)] = ""
	}
	c, _, err := read(t, files)
	if err != nil || len(c.Warnings) == 0 || !strings.Contains(c.Warnings[0].Error(), "more than 20000 provisioning files") {
		t.Errorf("25,000 directories: %v, %v", c.Warnings, err)
	}
	c, _, err = read(t, map[string]string{"value": strings.Repeat("x", 1<<16),
		"datasources/a.yaml": "apiVersion: 1\ndatasources:\n  - {name: A, type: x, orgId: '$__file{value}'}\n"})
	if err != nil || len(c.Warnings) != 1 || len(c.Warnings[0].Error()) > 300 {
		t.Errorf("a long value: %v, %.1000v", err, c.Warnings)
	}
}

// A key that misspells another one is ignored with a warning; those of other hosts are not mentioned.
func TestMisspelledKeys(t *testing.T) {
	t.Parallel()
	c, _, err := read(t, map[string]string{
		"datasources/a.yaml": "apiVersion: 1\ndatasources:\n  - {name: A, type: t, isDefalt: true, withCredentials: true, apiVersion: v1}\n",
		"plugins/a.yaml":     "apiVersion: 1\napps:\n  - {type: a-b-app, jsondata: {a: 1}}\n",
	})
	want := []string{
		`datasources/a.yaml:3:24: ignored the unknown key "isDefalt"; did you mean "isDefault"?`,
		`plugins/a.yaml:3:21: ignored the unknown key "jsondata"; did you mean "jsonData"?`,
	}
	if err != nil || fmt.Sprint(c.Warnings) != fmt.Sprint(want) {
		t.Errorf("%v, warnings %v, want %v", err, c.Warnings, want)
	}
}
