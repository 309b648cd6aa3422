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
)

var update = flag.Bool("update", false, "rewrite go.mod and go.sum of the templates; needs the module proxy")

func options(t *testing.T, pluginType string) Options {
	t.Helper()
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Type: pluginType, ID: "acme-hello-world-" + pluginType, Dir: filepath.Join(t.TempDir(), "new"),
		Slipway: Module{Checkout: checkout}, Today: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
	}
}

func scaffold(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Scaffold(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestScaffold(t *testing.T) {
	t.Parallel()
	for _, pluginType := range TypeNames() {
		t.Run(pluginType, func(t *testing.T) {
			t.Parallel()
			o := options(t, pluginType)
			o.Description = `says "hello" & <more>`
			r := scaffold(t, o)
			data, err := os.ReadFile(filepath.Join(r.Dir, "src", "plugin.json"))
			if err != nil {
				t.Fatal(err)
			}
			var p struct {
				ID, Name, Type, Executable string
				Info                       struct {
					Description, Updated string
					Author               struct{ Name string }
				}
			}
			if err := json.Unmarshal(data, &p); err != nil {
				t.Fatal(err)
			}
			if p.ID != o.ID || p.Name != "Hello World" || p.Type != pluginType || p.Info.Author.Name != "acme" ||
				p.Info.Description != o.Description || p.Info.Updated != "2026-01-02" {
				t.Errorf("%+v", p)
			}
			if pluginType == "datasource" && p.Executable != "gpx_hello_world" {
				t.Errorf("executable %q", p.Executable)
			}
			for _, f := range r.Created {
				text, err := os.ReadFile(filepath.Join(r.Dir, f))
				if err != nil {
					t.Fatal(err)
				}
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
	if err := errors.Join(os.WriteFile(readme, []byte("mine"), 0o644), os.Remove(filepath.Join(r.Dir, "LICENSE"))); err != nil {
		t.Fatal(err)
	}
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
	if err := os.MkdirAll(filepath.Join(o.Dir, "src", "module.js"), 0o755); err != nil {
		t.Fatal(err)
	}
	var request *RequestError
	if _, err := Scaffold(o); err == nil || errors.As(err, &request) || !strings.Contains(err.Error(), "cannot write src/module.js: not a regular file; nothing was written") {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 1 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
	o.Dir = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(o.Dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Scaffold(o); !errors.As(err, &request) || !errors.Is(err, ErrNotDirectory) {
		t.Errorf("error %v", err)
	}
}

// TestWorkflowArchive runs the line of the workflow that archives dist.
func TestWorkflowArchive(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "tar", "--version").Output(); err != nil || !bytes.Contains(out, []byte("GNU")) {
		t.Skip("GNU tar, which CI uses, is not installed")
	}
	r := scaffold(t, options(t, "datasource"))
	workflow, err := os.ReadFile(filepath.Join(r.Dir, ".github", "workflows", "ci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(workflow), "- run: tar ")
	line, _, _ = strings.Cut(line, "\n")
	program := filepath.Join(r.Dir, "dist", "gpx_x_linux_amd64")
	if err := errors.Join(os.Mkdir(filepath.Dir(program), 0o755), os.WriteFile(program, []byte("x"), 0o755)); err != nil {
		t.Fatal(err)
	}
	pack := exec.CommandContext(t.Context(), "sh", "-c", "tar "+line)
	pack.Dir = r.Dir
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const id = "acme-hello-world-datasource"
	list := exec.CommandContext(t.Context(), "tar", "-tvzf", id+".tar.gz")
	list.Dir = r.Dir
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], " "+id+"/") || !strings.HasSuffix(lines[1], " "+id+"/gpx_x_linux_amd64") || !strings.HasPrefix(lines[1], "-rwxr-xr-x") {
		t.Errorf("the archive contains\n%s", out)
	}
	if !strings.Contains(string(workflow), "path: "+id+".tar.gz\n") {
		t.Errorf("the archive is not uploaded:\n%s", workflow)
	}
}

// TestQueryEditor runs the frontend of the data source with a minimal React.
func TestQueryEditor(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	r := scaffold(t, options(t, "datasource"))
	script, err := filepath.Abs(filepath.Join("testdata", "editor.js"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", script, filepath.Join(r.Dir, "src", "module.js"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestScaffoldIntoAGitRepository(t *testing.T) {
	t.Parallel()
	o := options(t, "panel")
	if err := os.MkdirAll(filepath.Join(o.Dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	scaffold(t, o)
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		`unknown plugin type "nope"; use one of datasource, panel`:    func(o *Options) { o.Type = "nope" },
		`unknown plugin type "datasorce"; did you mean "datasource"?`: func(o *Options) { o.Type = "datasorce" },
		`invalid plugin id "hello"; use <org>-<name>-panel`:           func(o *Options) { o.ID = "hello" },
		"such as acme-hello-panel":                                    func(o *Options) { o.ID = "acme-hello-datasource" },
		`"../x-y-panel"`:                                              func(o *Options) { o.ID = "../x-y-panel" },
		"the name must be a single line without control characters":   func(o *Options) { o.Name = "a\nb" },
	} {
		o := options(t, "panel")
		change(&o)
		if _, err := Scaffold(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(o.Dir); err == nil {
			t.Errorf("%s: something was written", name)
		}
	}
}

// TestModules checks that go.mod and go.sum of the scaffolds are complete and require
// the same versions as this module.
func TestModules(t *testing.T) {
	t.Parallel()
	for _, pluginType := range TypeNames() {
		t.Run(pluginType, func(t *testing.T) {
			t.Parallel()
			r := scaffold(t, options(t, pluginType))
			if *update {
				syncModules(t, map[string]string{"panel": "tools", "datasource": "backend"}[pluginType], r.Dir)
			}
			checkVersions(t, r.Dir)
			for _, args := range [][]string{{"vet", "-tags=mage", "."}, {"build", "-o", os.DevNull, "github.com/magefile/mage"}, {"vet", "./..."}} {
				if pluginType == "panel" && args[len(args)-1] == "./..." {
					continue // a panel has no packages without the tag mage
				}
				goCommand(t, r.Dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly"), args...)
			}
		})
	}
}

// modFile is the output of go mod edit -json.
type modFile struct {
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
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var m modFile
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

const slipway = "github.com/slipway-dev/slipway"

// syncModules rewrites the templates from the result of go mod tidy. It starts from
// the versions of this module, which tidy keeps.
func syncModules(t *testing.T, set, dir string) {
	t.Helper()
	own := readModFile(t, "..")
	edit := []string{"mod", "edit", "-go=" + own.Go}
	for _, r := range readModFile(t, dir).Require {
		if r.Path != slipway {
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

	direct, indirect := new(strings.Builder), new(strings.Builder)
	for _, r := range readModFile(t, dir).Require {
		switch {
		case r.Path == slipway:
			fmt.Fprintf(direct, "\t%s [[with .Slipway.Version]][[.]][[else]]v0.0.0[[end]]\n", slipway)
		case r.Indirect:
			fmt.Fprintf(indirect, "\t%s %s // indirect\n", r.Path, r.Version)
		default:
			fmt.Fprintf(direct, "\t%s %s\n", r.Path, r.Version)
		}
	}
	mod := "module [[.GoModule]]\n\ngo " + own.Go + "\n\ntool github.com/magefile/mage\n\n" +
		"require (\n" + direct.String() + ")\n\nrequire (\n" + indirect.String() + ")\n" +
		"[[- with .Slipway.Checkout]]\n\nreplace " + slipway + " => [[modpath .]]\n[[- end]]\n"
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(sums) + "[[range .Slipway.Sums]][[.]]\n[[end]]"} {
		if err := os.WriteFile(filepath.Join("files", "modules", set, name+suffix), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
