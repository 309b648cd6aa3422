package templates

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite go.mod, go.sum and package-lock.json of the templates; needs the module proxy and npm")

func options(t *testing.T, pluginType string) Options {
	t.Helper()
	checkout := testkit.Must(filepath.Abs(".."))(t)
	return Options{
		Type: pluginType, ID: "acme-hello-world-" + pluginType, Dir: filepath.Join(t.TempDir(), "new"),
		Slipway: Module{Checkout: checkout}, Today: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
	}
}

func scaffold(t *testing.T, o Options) *Result {
	t.Helper()
	return testkit.Must(Scaffold(o))(t)
}

// plugin is a part of plugin.json.
type plugin struct {
	ID, Name, Type, Executable string
	Info                       struct {
		Description, Updated string
		Author               struct{ Name string }
	}
}

func readPlugin(t *testing.T, dir string) (p plugin) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "src", "plugin.json"))
	testkit.OK(t, err, json.Unmarshal(data, &p))
	return p
}

func TestScaffold(t *testing.T) {
	t.Parallel()
	for _, pluginType := range TypeNames() {
		t.Run(pluginType, func(t *testing.T) {
			t.Parallel()
			o := options(t, pluginType)
			o.Description = `says "hello" & <more>`
			r := scaffold(t, o)
			p := readPlugin(t, r.Dir)
			if p.ID != o.ID || p.Name != "Hello World" || p.Type != pluginType || p.Info.Author.Name != "acme" ||
				p.Info.Description != o.Description || p.Info.Updated != "2026-01-02" {
				t.Errorf("%+v", p)
			}
			if pluginType == "datasource" && p.Executable != "gpx_hello_world" {
				t.Errorf("executable %q", p.Executable)
			}
			for _, f := range r.Created {
				text := testkit.Must(os.ReadFile(filepath.Join(r.Dir, f)))(t)
				if bytes.Contains(text, []byte("[[")) && f != "go.mod" || bytes.Contains(text, []byte("<no value>")) {
					t.Errorf("%s contains unrendered parts", f)
				}
			}
		})
	}
}

func TestScaffoldKeepsExistingFiles(t *testing.T) {
	t.Parallel()
	o := options(t, "panel")
	r := scaffold(t, o)
	if _, err := Scaffold(o); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("a second scaffold: %v", err)
	}
	readme := filepath.Join(r.Dir, "README.md")
	testkit.OK(t, os.WriteFile(readme, []byte("mine"), 0o644), os.Remove(filepath.Join(r.Dir, "LICENSE")))
	o.Force = true
	again := scaffold(t, o)
	if !slices.Equal(again.Overwritten, []string{"README.md"}) || !slices.Equal(again.Created, []string{"LICENSE"}) || len(again.Unchanged) != len(r.Created)-2 {
		t.Errorf("%+v", again)
	}
}

func TestScaffoldChecksBeforeItWrites(t *testing.T) {
	t.Parallel()
	o := options(t, "panel")
	o.Force = true
	testkit.OK(t, os.MkdirAll(filepath.Join(o.Dir, "src", "module.ts"), 0o755))
	var request *RequestError
	if _, err := Scaffold(o); err == nil || errors.As(err, &request) || !strings.Contains(err.Error(), "cannot write src/module.ts: not a regular file; nothing was written") {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 1 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
	o.Dir = filepath.Join(t.TempDir(), "file")
	testkit.OK(t, os.WriteFile(o.Dir, nil, 0o644))
	if _, err := Scaffold(o); !errors.As(err, &request) || !errors.Is(err, ErrNotDirectory) {
		t.Errorf("error %v", err)
	}
}

func TestScaffoldIntoAGitRepository(t *testing.T) {
	t.Parallel()
	o := options(t, "panel")
	testkit.OK(t, os.MkdirAll(filepath.Join(o.Dir, ".git"), 0o755))
	scaffold(t, o)
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		`unknown plugin type "nope"; use one of app, datasource, panel, renderer, secretsmanager`: func(o *Options) { o.Type = "nope" },
		`unknown plugin type "datasorce"; did you mean "datasource"?`:                             func(o *Options) { o.Type = "datasorce" },
		`unknown profile "grafna"; did you mean "grafana"?`:                                       func(o *Options) { o.Profile = "grafna" },
		"a plugin of type renderer always has a backend": func(o *Options) {
			o.Type, o.ID, o.Backend = "renderer", "acme-x-renderer", new(false)
		},
	} {
		o := options(t, "panel")
		change(&o)
		checkRefused(t, o, name)
	}
}

// checkRefused checks that the options are an invalid request, and that nothing is written.
func checkRefused(t *testing.T, o Options, want string) {
	t.Helper()
	_, err := Scaffold(o)
	if _, isRequest := errors.AsType[*RequestError](err); !isRequest || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		t.Errorf("%s: something was written", want)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	long := "acme-" + strings.Repeat("x", maxID-len("acme--panel")) + "-panel"
	for _, id := range []string{
		"acme-x-panel", "a-b-panel", "a1-2-panel", "acme-round-gauge-2-panel", "acme-panel-panel",
		"con-aux-panel", "func-type-panel", "acme-linux-amd64-panel", long,
	} {
		o := options(t, "panel")
		o.ID, o.Backend = id, new(true)
		r := scaffold(t, o)
		p := readPlugin(t, r.Dir)
		if p.ID != id || p.Name == "" || p.Name == id || !strings.HasPrefix(p.Executable, "gpx_") {
			t.Errorf("%s: %+v", id, p)
		}
		if mod := readModFile(t, r.Dir); !strings.HasSuffix(mod.Module.Path, "/"+id) {
			t.Errorf("%s: module %s", id, mod.Module.Path)
		}
	}
	const any = "hello"
	for id, name := range map[string]string{
		"": any, "hello": "hello", "acme-panel": "acme", "acme-hello-datasource": "hello", "acme-hello-Panel": "hello", "Gauge Panel": "gauge",
		"Acme-hello-panel": "hello", "1acme-hello-panel": any, "acme hello-x-panel": "hello-x", "acme--x-panel": "x",
		"-acme-x-panel": "x", "acme-x-panel-": "x", "acmé-x-panel": any, "acme-日本-panel": any, "..": any,
		"../x-y-panel": "", "acme-../x-panel": "x", "acme-x.y-panel": "x-y", "acme-x_y-panel": "x-y", "con": "con",
		"nul.x-y-panel": "", "acme-x-panel\n": any, "acme-x-panel\x00": any, `acme-x\y-panel`: any,
	} {
		want := "use <org>-<name>-panel in lowercase letters and digits, such as "
		if name != "" {
			want += "acme-" + name + "-panel"
		}
		o := options(t, "panel")
		o.ID = id
		checkRefused(t, o, want)
	}
	o := options(t, "panel")
	o.ID = "x" + long
	checkRefused(t, o, "the plugin id has 129 characters; use at most 128")
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"X", "Round gauge", "日本語のパネル", "Ünïcode 👩‍🚀", "..", "con", "func", "1st", "a.b", `"quoted" \ <b>&amp;`, "[[.ID]] {{.}} $(x) `y`",
		"--- # | *", strings.Repeat("é", maxText/2),
	} {
		o := options(t, "panel")
		o.Name, o.Org, o.Description = name, name, name
		r := scaffold(t, o)
		if p := readPlugin(t, r.Dir); p.Name != name || p.Info.Author.Name != name || p.Info.Description != name {
			t.Errorf("%q: %+v", name, p)
		}
	}
	for name, want := range map[string]string{
		" ":                            "the name must not be blank",
		"a\nb":                         "the name must be a single line without control characters",
		"\x1b[31mred":                  "the name must be a single line without control characters",
		"a\u2028b":                     "the name must be a single line without control characters",
		"a\u202eb":                     "the name must be a single line without control characters",
		"a\xff":                        "the name must be valid UTF-8",
		strings.Repeat("x", maxText+1): "the name has 1025 bytes; use at most 1024",
		"acme-hello-world-panel":       `the name must not be the id "acme-hello-world-panel"; users see the name`,
	} {
		o := options(t, "panel")
		o.Name = name
		checkRefused(t, o, want)
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, profile := range Profiles() {
		for _, kind := range Types() {
			o := options(t, kind.Name)
			o.Profile, o.Schema = profile.Name, []byte("{}")
			files := testkit.Must(Render(o))(t)
			var ours []string
			for _, f := range files {
				if f.Owned {
					ours = append(ours, f.Path)
				}
				if len(f.Data) == 0 || !bytes.HasSuffix(f.Data, []byte("}")) && !bytes.HasSuffix(f.Data, []byte("\n")) {
					t.Errorf("%s of %s does not end with a line break", f.Path, kind.Name)
				}
			}
			want := slices.Clone(owned())
			if !kind.HasFrontend {
				want = slices.DeleteFunc(want, func(name string) bool { return name == "tsconfig.json" || name == "docker-compose.yaml" })
			}
			slices.Sort(ours)
			if !slices.Equal(ours, want) {
				t.Errorf("%s: owned files %v, want %v", kind.Name, ours, want)
			}
		}
	}
}

// moduleOptions returns the scaffolds that differ in the packages they import.
func moduleOptions(t *testing.T) map[string]Options {
	t.Helper()
	list := map[string]Options{}
	for _, kind := range Types() {
		list[kind.Name] = options(t, kind.Name)
		if kind.BackendOptional {
			o := options(t, kind.Name)
			o.Backend = new(!kind.HasBackend)
			list[fmt.Sprintf("%s backend %t", kind.Name, !kind.HasBackend)] = o
		}
	}
	return list
}

// TestModules checks that go.mod and go.sum of the scaffolds are complete and require
// the same versions as this module.
func TestModules(t *testing.T) {
	t.Parallel()
	if *update { // each set serves several types, so that the last one must suffice for all
		for _, pluginType := range []string{"datasource", "panel"} {
			syncModules(t, map[string]string{"datasource": "backend", "panel": "tools"}[pluginType], scaffold(t, options(t, pluginType)).Dir)
		}
		t.Skip("go.mod and go.sum are rewritten; the next run embeds and checks them")
	}
	for name, o := range moduleOptions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			released := o
			released.Dir, released.Slipway = t.TempDir(), Module{Version: "v1.99.0"}
			for _, r := range readModFile(t, scaffold(t, released).Dir).Require {
				if strings.Contains(r.Version, "v1.99.0") != strings.HasPrefix(r.Path, slipway) {
					t.Errorf("with a released version, the scaffold requires %s %s", r.Path, r.Version)
				}
			}
			r := scaffold(t, o)
			checkVersions(t, r.Dir)
			// The end-to-end tests compile all of this.
			env := append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly "+os.Getenv("GOFLAGS"))
			goCommand(t, r.Dir, append(os.Environ(), "GOPROXY=off"), "mod", "tidy", "-diff")
			goCommand(t, r.Dir, env,
				"list", "-deps", "-test", "-tags=mage", "./...", "github.com/magefile/mage", targets+"/cmd/slipway")
		})
	}
}

// modFile is the output of go mod edit -json.
type modFile struct {
	Module  struct{ Path string }
	Go      string
	Require []struct {
		Path, Version string
		Indirect      bool
	}
}

func readModFile(t *testing.T, dir string) modFile {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	cmd.Dir = dir
	out := testkit.Must(cmd.Output())(t)
	var m modFile
	testkit.OK(t, json.Unmarshal(out, &m))
	return m
}

const (
	slipway = "github.com/slipway-dev/slipway"
	targets = slipway + "/targets"
)

// syncModules rewrites the templates from the result of go mod tidy. It starts from
// the versions of this module, which tidy keeps.
func syncModules(t *testing.T, set, dir string) {
	t.Helper()
	own := readModFile(t, "..")
	edit := []string{"mod", "edit", "-go=" + own.Go}
	for _, r := range readModFile(t, dir).Require {
		if r.Path != slipway && r.Path != targets {
			edit = append(edit, "-droprequire="+r.Path)
		}
	}
	goCommand(t, dir, os.Environ(), edit...)
	edit = []string{"mod", "edit"}
	for _, r := range own.Require {
		edit = append(edit, "-require="+r.Path+"@"+r.Version)
	}
	goCommand(t, dir, os.Environ(), edit...)
	goCommand(t, dir, append(os.Environ(), "GOFLAGS=-mod=mod"), "mod", "tidy")

	read := func(name string) string {
		text := testkit.Must(os.ReadFile(filepath.Join(dir, name)))(t)
		return string(text)
	}
	mod, _, _ := strings.Cut(read("go.mod"), "\nreplace ")
	_, mod, _ = strings.Cut(mod, "\n")
	mod = "module [[.GoModule]]\n" + strings.ReplaceAll(strings.TrimRight(mod, "\n")+"\n", " v0.0.0\n", " [[with .Slipway.Version]][[.]][[else]]v0.0.0[[end]]\n") +
		"[[- with .Slipway.Checkout]]\n"
	var before, after strings.Builder // lines of go.sum, which are sorted
	for line := range strings.Lines(read("go.sum")) {
		if line < slipway {
			before.WriteString(line)
		} else {
			after.WriteString(line)
		}
	}
	sums := before.String()
	if strings.Contains(mod, slipway+" ") {
		mod += "\nreplace " + slipway + " => [[modpath .]]\n"
		sums += "[[range .Slipway.Sums]][[.]]\n[[end]]"
	}
	mod += "\nreplace " + targets + " => [[modpath (print . \"/targets\")]]\n[[- end]]\n"
	sums += "[[range .Slipway.TargetSums]][[.]]\n[[end]]" + after.String()
	for name, text := range map[string]string{"go.mod": mod, "go.sum": sums} {
		testkit.OK(t, os.WriteFile(filepath.Join("files", "modules", set, name+suffix), []byte(text), 0o644))
	}
}

// checkVersions compares the requirements of a scaffold with those of this module.
func checkVersions(t *testing.T, dir string) {
	t.Helper()
	want := map[string]string{}
	for _, r := range readModFile(t, "..").Require {
		want[r.Path] = r.Version
	}
	for _, r := range readModFile(t, dir).Require {
		if v, shared := want[r.Path]; shared && v != r.Version {
			t.Errorf("the scaffold requires %s %s, this module requires %s; run go tool mage templates", r.Path, r.Version, v)
		}
	}
}

func goCommand(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
