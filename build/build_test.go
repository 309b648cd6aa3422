package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	confined "github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

const metadata = `{
  "type": "datasource", "id": "acme-x-datasource", "name": "X", "backend": true, "executable": "gpx_x",
  "includes": [{"type": "datasource", "name": "a nested one"}],
  "info": {"keywords": ["k"], "logos": {"small": "img/l.svg", "large": "img/l.svg"}, "version": "1.2.3", "updated": "%TODAY%",
    "description": "%PLUGIN_ID% %VERSION%"},
  "dependencies": {"serviceDependency": ">=10.3.0"}
}
`

// nested returns the plugin.json of a plugin in a directory of the source directory.
func nested(executable string) string {
	return strings.NewReplacer(`"gpx_x"`, executable, `"img/`, `"../img/`, "acme-x", "acme-y").Replace(metadata)
}

// repo makes a plugin repository whose backend has no dependencies.
func repo(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	testkit.WriteFiles(t, dir, map[string]string{
		"src/plugin.json":     metadata,
		"src/module.js":       "define([], () => ({}));\n",
		"src/module.test.ts":  "// not an asset\n",
		"src/img/l.svg":       `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"src/.hidden":         "not an asset",
		"README.md":           "# X\n",
		"go.mod":              "module example.com/x\n\ngo 1.26\n",
		"pkg/main.go":         "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n",
		"node_modules/a/x.js": "not an asset",
	})
	return dir
}

func options(dir string, platforms ...bundle.Platform) Options {
	return Options{
		Dir: dir, Platforms: platforms, CacheDir: filepath.Join(filepath.Dir(dir), "cache"),
		Now:     func() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) },
		Backend: config.Backend{SkipCheck: true}, // the backend of repo serves nothing
	}
}

// checked runs the generator and the rules, as callers do before a build.
func checked(t *testing.T, o Options) Options {
	t.Helper()
	testkit.OK(t, Generate(t.Context(), o))
	repo, err := bundle.OpenRepo(o.Dir)
	if err != nil {
		return o // the build reports it
	}
	files := testkit.Must(confined.Open(repo.Root))(t)
	defer files.Close()
	source := testkit.Must(filepath.Rel(repo.Root, repo.Source))(t)
	o.Checked = testkit.Must(validate.Run(t.Context(), files, validate.Options{Path: filepath.ToSlash(source), Rules: rules.All(), Where: validate.Source}))(t)
	return o
}

func mustPlan(t *testing.T, o Options) *Plan {
	t.Helper()
	return testkit.Must(MakePlan(t.Context(), o))(t)
}

func mustBuild(t *testing.T, o Options) *Result {
	t.Helper()
	return testkit.Must(Plugin(t.Context(), o))(t)
}

func TestPlan(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, options(repo(t), bundle.Platform{OS: "linux", Arch: "arm"}, bundle.Platform{OS: "windows", Arch: "amd64"}))
	args := []string{"build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false -d=gcstart=512", "-ldflags=-s -w", "./pkg"}
	want := &Plan{
		Commands: []Command{
			{Platform: bundle.Platform{OS: "linux", Arch: "arm"}, Output: "gpx_x_linux_arm", Args: args, Env: []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm"}},
			{Platform: bundle.Platform{OS: "windows", Arch: "amd64"}, Output: "gpx_x_windows_amd64.exe", Args: args, Env: []string{"CGO_ENABLED=0", "GOOS=windows", "GOARCH=amd64"}},
		},
		Assets: []Asset{
			{From: filepath.Join("src", "img", "l.svg"), To: "img/l.svg"},
			{From: filepath.Join("src", "module.js"), To: "module.js"},
			{From: "README.md", To: "README.md"},
		},
		Info: Info{Version: "1.2.3", Updated: "2026-01-02"},
	}
	ignored := cmp.Options{cmpopts.IgnoreUnexported(Plan{}, Command{}, Info{}), cmpopts.IgnoreFields(Plan{}, "Repo", "Metadata")}
	if diff := cmp.Diff(want, p, ignored); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if len(p.documents) != 1 || p.documents[0].to != bundle.MetadataFile {
		t.Errorf("the plan writes %d plugin.json files, want one", len(p.documents))
	}
}

func TestBuildIsReproducible(t *testing.T) {
	t.Parallel()
	first, second := repo(t), repo(t)
	platforms := []bundle.Platform{bundle.Host(), {OS: "windows", Arch: "amd64"}}
	r := mustBuild(t, options(first, platforms...))
	mustBuild(t, options(second, platforms...))
	if a, b := testkit.Tree(t, filepath.Join(first, "dist")), testkit.Tree(t, filepath.Join(second, "dist")); a != b {
		t.Errorf("the results of two directories differ:\n%s", cmp.Diff(a, b))
	}
	for _, e := range r.Executables {
		f := testkit.Must(os.Open(filepath.Join(r.Dist, e.File)))(t)
		if is, err := bundle.ExecutablePlatform(f); err != nil || is != e.Platform {
			t.Errorf("%s is for %s, want %s (%v)", e.File, is, e.Platform, err)
		}
		if data, err := os.ReadFile(f.Name()); err != nil || bytes.Contains(data, []byte(first)) {
			t.Errorf("%s contains the path of the repository (%v)", e.File, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	before := testkit.Tree(t, r.Dist)
	mustBuild(t, options(first, platforms...))
	if after := testkit.Tree(t, r.Dist); after != before {
		t.Errorf("a second build changed dist (-before +after):\n%s", cmp.Diff(before, after))
	}
	for _, entry := range listing(t, first) {
		if strings.HasPrefix(entry, stagingPrefix) {
			t.Errorf("%s was left behind", entry)
		}
	}
}

func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries := testkit.Must(os.ReadDir(dir))(t)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

func TestMetadataOfACommit(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	commit(t, dir)
	testkit.Git(t, dir, "remote", "add", "origin", "https://user:secret@example.com/acme/x.git?token=1")
	o := options(dir, bundle.Host())
	o.Environ = append(os.Environ(), "GITHUB_RUN_NUMBER=17", "GITHUB_REF=refs/pull/42/merge")
	r := mustBuild(t, o)
	data := testkit.Must(os.ReadFile(filepath.Join(r.Dist, bundle.MetadataFile)))(t)
	if bytes.Contains(data, []byte("secret")) || bytes.Contains(data, []byte("%")) {
		t.Errorf("plugin.json contains credentials or placeholders:\n%s", data)
	}
	var m struct {
		Info struct {
			Version, Updated, Description string
			Build                         GitInfo
		}
	}
	testkit.OK(t, json.Unmarshal(data, &m))
	if len(m.Info.Build.Hash) != 40 {
		t.Errorf("hash %q, want 40 digits", m.Info.Build.Hash)
	}
	want := m
	want.Info.Version, want.Info.Updated, want.Info.Description = "1.2.3", "2026-03-04", "acme-x-datasource 1.2.3"
	want.Info.Build = GitInfo{
		Hash: m.Info.Build.Hash, Branch: "trunk", Repo: "https://example.com/acme/x.git", Number: 17, PR: 42,
		Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).Unix(),
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("plugin.json (-want +got):\n%s", diff)
	}
	if at := bytes.Index(data, []byte(`"type"`)); at > bytes.Index(data, []byte(`"id"`)) {
		t.Error("the order of the keys was not kept")
	}
}

func TestFailuresKeepDist(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"does not compile": {func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nfunc main() { undefined() }\n")
		}, "pkg/main.go:3:15: undefined: undefined"},
		"entries missing in go.sum": {func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "go.mod"), "module x\n\ngo 1.26\n\nrequire golang.org/x/text v0.3.0\n")
			testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nimport _ \"golang.org/x/text\"\n\nfunc main() {}\n")
		}, "go mod tidy"},
		"errors in plugin.json": {func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"id": 1}`)
		}, "src/plugin.json:1:8:"},
		"TypeScript only": {func(t *testing.T, dir string) {
			testkit.OK(t, os.Rename(filepath.Join(dir, "src", "module.js"), filepath.Join(dir, "src", "module.ts")))
		}, "has no bundler"},
		"no module.js": {func(t *testing.T, dir string) {
			testkit.OK(t, os.Remove(filepath.Join(dir, "src", "module.js")))
		}, "src has no frontend"},
		"plugin.json above its frontend": {func(t *testing.T, dir string) {
			for _, name := range []string{"plugin.json", "img"} {
				testkit.OK(t, os.Rename(filepath.Join(dir, "src", name), filepath.Join(dir, name)))
			}
		}, "move plugin.json to src, next to module.js"},
		"a symbolic link to a file elsewhere": {func(t *testing.T, dir string) {
			testkit.OK(t, os.Symlink("../../README.md", filepath.Join(dir, "src", "img", "x.md")))
		}, "src/img/x.md is a symbolic link, which must point to a file in src"},
		"a nested backend without a main package": {func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "src", "nested", "plugin.json"), nested(`"gpx_y"`))
		}, "main:\n      acme-y-datasource: path/to/directory"},
		"an executable outside of the plugin": {func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "src", "nested", "plugin.json"), nested(`"../../gpx_y"`))
		}, `nested/plugin.json`},
		"an error of git": {func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, ".git"), "gitdir: nowhere")
		}, "read commit with git"},
		"two sources of one output": {func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "src", bundle.Host().Executable("gpx_x")), "not it")
		}, "rename one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			o := options(dir, bundle.Host())
			r := mustBuild(t, o)
			before := testkit.Tree(t, r.Dist)
			tc.change(t, dir)
			if _, err := Plugin(t.Context(), checked(t, o)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one containing %q", err, tc.want)
			}
			if after := testkit.Tree(t, r.Dist); after != before {
				t.Errorf("dist changed (-before +after):\n%s", cmp.Diff(before, after))
			}
		})
	}
}

func TestCancelKeepsDist(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "dist", "mine"), "x")
	p := mustPlan(t, options(dir, bundle.Host()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, p); err == nil {
		t.Error("a canceled build has no error")
	}
	if got := strings.Join(listing(t, filepath.Join(dir, "dist")), " "); got != "mine" {
		t.Errorf("dist contains %s, want mine", got)
	}
}

func TestNestedLinksAndRootLayout(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "src", "nested", "plugin.json"), nested(`"../gpx_x"`))
	testkit.WriteFile(t, filepath.Join(dir, "src", "nested", "module.js"), "")
	testkit.OK(t, os.Symlink("l.svg", filepath.Join(dir, "src", "img", "big.svg")))
	r := mustBuild(t, options(dir, bundle.Host()))
	got := testkit.Tree(t, r.Dist)
	if strings.Count(got, fmt.Sprintf("%x", sha256.Sum256([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)))) != 2 {
		t.Errorf("the linked logo was not copied:\n%s", got)
	}
	data, err := os.ReadFile(filepath.Join(r.Dist, "nested", "plugin.json"))
	if err != nil || !bytes.Contains(data, []byte("acme-y-datasource 1.2.3")) || bytes.Contains(data, []byte("%")) {
		t.Errorf("nested plugin.json, %v:\n%s", err, data)
	}

	dir = repo(t)
	for _, name := range []string{"plugin.json", "module.js", "img"} {
		testkit.OK(t, os.Rename(filepath.Join(dir, "src", name), filepath.Join(dir, name)))
	}
	testkit.WriteFile(t, filepath.Join(dir, "credentials.json"), "{}")
	testkit.WriteFile(t, filepath.Join(dir, "docs", "x.md"), "")
	r = mustBuild(t, options(dir, bundle.Host()))
	want := []string{"README.md", bundle.Host().Executable("gpx_x"), "img", "module.js", "plugin.json"}
	if got := listing(t, r.Dist); !slices.Equal(got, want) {
		t.Errorf("dist contains %q, want %q", got, want)
	}
}

func TestKilledBuild(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	o := options(dir, bundle.Host())
	r := mustBuild(t, o)
	want := testkit.Tree(t, r.Dist)
	previous := filepath.Join(dir, stagingPrefix+"1"+previousSuffix)
	testkit.OK(t, os.Rename(r.Dist, previous))
	testkit.OK(t, os.Chtimes(previous, time.Time{}, time.Now().Add(-2*time.Hour)))
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "broken")
	if _, err := Plugin(t.Context(), o); err == nil {
		t.Error("no error")
	}
	if got := testkit.Tree(t, r.Dist); got != want {
		t.Errorf("dist was not restored (-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestRemotes(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"https://user:pw@host/a/b.git": "https://host/a/b.git",
		"https://token@host/a?x=y#z":   "https://host/a",
		"git@github.com:acme/x.git":    "https://github.com/acme/x.git",
		"ssh://git@host:22/a/b":        "https://host/a/b",
		"git://host/a.git":             "https://host/a.git",
		"http://u:p@host:3000/a":       "http://host:3000/a",
		"ssh://git@[::1]:22/a":         "https://[::1]/a",
		"/home/me/repo":                "",
		"../repo":                      "",
		"file://server/home/me/repo":   "",
		"https://host/a@b":             "https://host/a@b",
		"user:p@ss/word@host:a/b":      "",
	} {
		if got := publicURL(remote); got != want {
			t.Errorf("%s: got %q, want %q", remote, got, want)
		}
	}
}

func TestPlaceholderRemains(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), strings.Replace(metadata, "1.2.3", "1.2.3-%TODAY%", 1))
	if _, err := MakePlan(t.Context(), options(dir, bundle.Host())); err == nil || !strings.Contains(err.Error(), "plugin.json: placeholder %TODAY% remains at /info/version") {
		t.Errorf("error %v", err)
	}
}

// A range that is not true is one warning, not a reason to refuse the build.
func TestUntrueRange(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "src", "module.js"), "define(['./code'], () => ({}));\n")
	testkit.WriteFile(t, filepath.Join(dir, "src", "code.ts"), "import { Combobox, MultiCombobox } from '@grafana/ui';\nf(Combobox, MultiCombobox);\n")
	r := mustBuild(t, checked(t, options(dir, bundle.Host())))
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "src/code.ts:1:10: the range of versions is not true: @grafana/ui exports Combobox in 11.5 and later") ||
		!strings.Contains(r.Warnings[0], "and 1 more") {
		t.Errorf("warnings: %q", r.Warnings)
	}
}
