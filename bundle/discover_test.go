package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// writeTree writes files below a new directory. A name "a -> b" is a symbolic link; the
// contents of a plugin.json may be just its id.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		link, target, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(root, filepath.FromSlash(link))
		switch {
		case isLink:
			testkit.OK(t, os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(filepath.FromSlash(target), path))
		case strings.HasSuffix(name, "/"):
			testkit.OK(t, os.MkdirAll(path, 0o755))
		case filepath.Base(name) == MetadataFile && !strings.HasPrefix(content, "{"):
			testkit.WriteFile(t, path, fmt.Sprintf(`{"id":%q,"type":"panel"}`, content))
		default:
			testkit.WriteFile(t, path, content)
		}
	}
	return root
}

// A nested plugin without a version has that of its parent, with which it is released; it lacks neither keywords nor dependencies.
func TestVersionOfNested(t *testing.T) {
	t.Parallel()
	info := func(id, version string) string {
		return fmt.Sprintf(`{"id":%q,"type":"panel","info":{"version":%q}}`, id, version)
	}
	root := writeTree(t, map[string]string{"a/plugin.json": info("a", "1.2.0"), "a/x/plugin.json": info("x", ""), "a/x/y/plugin.json": "y", "a/z/plugin.json": info("z", "3.0.0")})
	plugins, faults := Discover(root)
	got := map[string]string{}
	for _, p := range plugins {
		got[p.Metadata.ID] = p.Metadata.Info.Version
		if slices.Contains(p.Metadata.Missing, "info.version") {
			t.Errorf("%s lacks a version", p.Metadata.ID)
		}
		for _, key := range []string{"info.keywords", "dependencies"} {
			if p.Metadata.ID != "y" && slices.Contains(p.Metadata.Missing, key) != (p.Parent == "") { // y lacks info
				t.Errorf("%s lacks %v", p.Metadata.ID, p.Metadata.Missing)
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "1.2.0", "x": "1.2.0", "y": "1.2.0", "z": "3.0.0"}, got); diff != "" || len(faults) != 0 {
		t.Errorf("%v (-want +got):\n%s", faults, diff)
	}
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string // "directory id parent"
		fault []string // "code path"
	}{
		"a directory with plugin.json": {map[string]string{"a/plugin.json": "a", "b/deep/plugin.json": "b"}, []string{"a a ", "b/deep b "}, nil},
		"its dist instead":             {map[string]string{"a/plugin.json": "a", "a/dist/plugin.json": "a"}, []string{"a/dist a "}, nil},
		"a repository with src":        {map[string]string{"a/src/plugin.json": "a", "a/dist/plugin.json": "a"}, []string{"a/dist a "}, nil},
		"an unbuilt repository":        {map[string]string{"a/src/plugin.json": "a"}, []string{"a/src a "}, nil},
		"an empty dist":                {map[string]string{"a/plugin.json": "a", "a/dist/": ""}, nil, []string{"unbuilt-dist a/dist"}},
		"the root itself":              {map[string]string{"plugin.json": "a", "dist/plugin.json": "a"}, []string{"dist a "}, nil},
		"a plugin called dist":         {map[string]string{"dist/plugin.json": "a", "b/plugin.json": "b"}, []string{"b b ", "dist a "}, nil},
		"a linked dist":                {map[string]string{"a/plugin.json": "a", "out/plugin.json": "a", "a/dist -> ../out": ""}, []string{"a/dist a "}, nil},
		"children":                     {map[string]string{"a/plugin.json": "a", "a/x/plugin.json": "x", "a/x/y/plugin.json": "y"}, []string{"a a ", "a/x x a", "a/x/y y a"}, nil},
		"node_modules and hidden":      {map[string]string{"node_modules/a/plugin.json": "a", ".git/plugin.json": "b", "c/plugin.json": "c"}, []string{"c c "}, nil},
		"links":                        {map[string]string{"a/plugin.json": "a", "b -> a": "", "loop/x -> ..": "", "gone -> nowhere": "", "self -> self": ""}, []string{"a a "}, []string{"broken-link gone", "broken-link self"}},
		"links out of the root": {map[string]string{
			"in/a/plugin.json": "a", "in/a/f -> ../../out/f": "", "in/b -> ../out/b": "", "in/d/plugin.json": "d", "in/d/dist -> ../../out/e": "", "in/up -> ../out": "",
			"out/b/plugin.json": "b", "out/b/deep/plugin.json": "c", "out/e/plugin.json": "e", "out/f/plugin.json": "f",
		}, []string{"in/a a ", "in/b b ", "in/b/deep c b", "in/d/dist e "}, []string{"link-outside in/a/f"}},
		"a duplicate id": {map[string]string{"b/plugin.json": "x", "a/plugin.json": "x"}, []string{"a x "}, []string{"duplicate-id b"}},
		"invalid plugin.json": {map[string]string{
			"a/plugin.json": "{", "b/plugin.json": `{"type":"panel"}`, "c/plugin.json": `{"id":"c","type":"nope"}`, "d/plugin.json": `{"id":1}`, "e/plugin.json": "e",
		}, []string{"e e "}, []string{"invalid-json a/plugin.json", "missing-id b/plugin.json", "unknown-type c/plugin.json", "invalid-value d/plugin.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := writeTree(t, tc.files)
			search := root
			if info, err := os.Stat(filepath.Join(root, "in")); err == nil && info.IsDir() {
				search = filepath.Join(root, "in")
			}
			plugins, faults := Discover(search)
			var got, wrong []string
			for _, p := range plugins {
				got = append(got, fmt.Sprintf("%s %s %s", below(t, root, p.Dir), p.Metadata.ID, p.Parent))
			}
			for _, f := range faults {
				wrong = append(wrong, fmt.Sprintf("%s %s", f.Code, below(t, root, f.Path)))
				if f.Reason == "" {
					t.Errorf("the fault %+v has no reason", f)
				}
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("the plugins differ (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tc.fault, wrong); d != "" {
				t.Errorf("the faults differ (-want +got):\n%s", d)
			}
		})
	}
}

func below(t *testing.T, root, path string) string {
	t.Helper()
	rel := testkit.Must(filepath.Rel(root, path))(t)
	return filepath.ToSlash(rel)
}

func TestCheckID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"acme-clock-panel", "a", "Acme_Clock.panel", "3d-globe-panel"} {
		if err := CheckID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "../../etc", "*", "errors", "events", "a\x00b", "a/b", `a\b`, "a:b", "a b", "-a", "é", "a\n", strings.Repeat("a", 129)} {
		if CheckID(id) == nil {
			t.Errorf("%q is accepted", id)
		}
	}
}

// A plugin.json that is too large is not read, and one with an invalid id is not mounted.
func TestDiscoverHostile(t *testing.T) {
	t.Parallel()
	root := writeTree(t, map[string]string{"a/plugin.json": `{"id":"../../etc","type":"app"}`, "b/plugin.json": `{"id":"*","type":"app"}`, "c/plugin.json": "c"})
	large := testkit.Must(os.Create(filepath.Join(root, "large.json")))(t)
	testkit.OK(t, large.Truncate(50<<20), large.Close(), os.Mkdir(filepath.Join(root, "d"), 0o755),
		os.Rename(large.Name(), filepath.Join(root, "d", MetadataFile)))
	plugins, faults := Discover(root)
	var codes []string
	for _, f := range faults {
		codes = append(codes, string(f.Code))
	}
	if d := cmp.Diff([]string{"invalid-id", "invalid-id", "too-large"}, codes); d != "" || len(plugins) != 1 || !strings.Contains(faults[2].Reason, "larger than 1 MiB") {
		t.Errorf("mounts %v with the faults %+v", plugins, faults)
	}
}

func TestDiscoverRoots(t *testing.T) {
	t.Parallel()
	one, two := writeTree(t, map[string]string{"z/plugin.json": "x"}), writeTree(t, map[string]string{"a/plugin.json": "x", "b/plugin.json": "y"})
	missing := filepath.Join(one, "missing")
	plugins, faults := Discover(one, missing, two)
	if len(plugins) != 2 || plugins[0].Dir != filepath.Join(one, "z") {
		t.Errorf("got the plugins %+v", plugins)
	}
	var codes []FaultCode
	for _, f := range faults {
		codes = append(codes, f.Code)
	}
	if d := cmp.Diff([]FaultCode{FaultMissingRoot, FaultDuplicateID}, codes); d != "" {
		t.Fatalf("the faults differ (-want +got):\n%s", d)
	}
	if !strings.Contains(faults[1].Reason, one) {
		t.Errorf("the reason %q does not name %s", faults[1].Reason, one)
	}
}

func TestPlatforms(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"":                           "[linux/amd64 linux/arm64 linux/arm darwin/amd64 darwin/arm64 windows/amd64]",
		"host":                       "[" + Host().String() + "]",
		"linux/s390x, windows/arm64": "[linux/s390x windows/arm64]",
		"linux/arm,linux/arm":        "[linux/arm]",
		"host,plan/x":                `invalid platform "plan/x": the operating system must be one of linux, darwin, windows, freebsd, netbsd, openbsd`,
		"freebsd/arm, host,host":     "[freebsd/arm " + Host().String() + "]",
		"linux/x86_64":               `invalid platform "linux/x86_64": the architecture must be one of amd64, arm64, arm, 386, riscv64, s390x, loong64, mips, mipsle, mips64, mips64le, ppc64, ppc64le`,
		"host,windows":               `invalid platform "windows": write os/arch, such as linux/amd64, or use all or host`,
		"linux/arm,all":              `"all" includes every other platform: use it alone`,
	} {
		platforms, err := ParsePlatforms(list)
		got := fmt.Sprint(platforms)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("ParsePlatforms(%q) = %s, want %s", list, got, want)
		}
	}
	for _, bad := range []string{"linux", "linux/", "/amd64", "linux/amd64,", "Linux/amd64", "linux/amd64/v1", "../x"} {
		if _, err := ParsePlatforms(bad); err == nil {
			t.Errorf("ParsePlatforms(%q) returned no error", bad)
		}
	}
	if got := (Platform{"windows", "amd64"}).Executable("gpx_x"); got != "gpx_x_windows_amd64.exe" {
		t.Errorf("got the file name %q", got)
	}
}

func TestExecutablePlatform(t *testing.T) {
	t.Parallel()
	self := testkit.Must(os.Executable())(t)
	f := testkit.Must(os.Open(self))(t)
	t.Cleanup(func() { _ = f.Close() })
	if got, err := ExecutablePlatform(f); err != nil || got != Host() {
		t.Errorf("ExecutablePlatform returned %s, %v, want %s", got, err, Host())
	}
	for _, text := range []string{"", "#!/bin/sh", "\x7fELF", "MZ", "MZxx", "\xcf\xfa\xed\xfe"} {
		if got, err := ExecutablePlatform(strings.NewReader(text)); err == nil {
			t.Errorf("ExecutablePlatform(%q) = %s, want an error", text, got)
		}
	}
}

func TestExecutablePath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root, dir, executable string
		isInside              bool
	}{
		{"", "/p/a", "gpx", true}, {"", "/p/a", "../gpx", false}, {"", "/p/a", "../a/gpx", true}, {"/p/a", "/p/a/b", "../gpx", true},
		{"/p/a", "/p/a/b/c", "../../bin/gpx", true}, {"/p/a", "/p/a/b", "../../gpx", false}, {"/p/a", "/p/a/b", "../../ab/gpx", false},
	} {
		p := Plugin{Root: filepath.FromSlash(c.root), Dir: filepath.FromSlash(c.dir), Metadata: &Metadata{Executable: c.executable}}
		if path, err := p.ExecutablePath(); (err == nil) != c.isInside {
			t.Errorf("%+v: %s, %v", c, path, err)
		}
	}
}
