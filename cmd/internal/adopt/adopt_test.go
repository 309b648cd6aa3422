package adopt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/internal/version"
)

// TestMain keeps the go command from asking a checksum database for modules that are in
// the module cache.
func TestMain(m *testing.M) {
	if err := os.Setenv("GONOSUMDB", "*"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// repository writes the files of a txtar archive to a directory that looks like the top
// of a Git repository.
func repository(t *testing.T, archive string) string {
	t.Helper()
	dir := testkit.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	testkit.OK(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	testkit.OK(t, txtar.Write(txtar.Parse([]byte(archive)), dir))
	return dir
}

// state returns the content and mode of everything in a directory.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	testkit.OK(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		mode := testkit.Must(d.Info())(t).Mode()
		all[name] = mode.String()
		if mode.IsRegular() {
			all[name] += " " + testkit.ReadFile(t, filepath.Join(dir, name))
		}
		return nil
	}))
	return all
}

// compare requires the state of a directory.
func compare(t *testing.T, dir string, want map[string]string, when string) {
	t.Helper()
	if diff := cmp.Diff(want, state(t, dir)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func checkout(t *testing.T) version.Origin {
	t.Helper()
	from, err := version.Find()
	if err != nil {
		t.Skipf("the tests run without a checkout: %v", err)
	}
	return from
}

func makePlan(t *testing.T, dir string) *Plan {
	t.Helper()
	return testkit.Must(MakePlan(t.Context(), Options{Dir: dir, Slipway: checkout(t)}))(t)
}

func paths(p *Plan) (list []string) {
	for _, f := range p.Files {
		list = append(list, f.Path)
	}
	return list
}

// after returns what a plan writes to a file.
func after(p *Plan, name string) string {
	for _, f := range p.Files {
		if f.Path == name {
			return string(f.After)
		}
	}
	return ""
}

const plugin = `
-- src/plugin.json --
{"id": "acme-hello-panel", "type": "panel", "name": "Hello", "info": {"version": "1.0.0"}}
`

// otherTargets are the targets of a package that a magefile imports, as magefiles import
// those of Grafana's SDK.
const otherTargets = plugin + `
-- go.mod --
module example.com/acme

go 1.25
-- build/build.go --
package build

import "fmt"

func BuildAll() { fmt.Println("all") }
func Test() error { return nil }
-- Magefile.go --
//+build mage

package main

import (
	// mage:import
	build "example.com/acme/build"
)

var Default = build.BuildAll
`

func TestPlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		archive   string
		dir       string
		files     []string
		magefile  string // of files, whose imports are checked
		imports   []string
		namespace string
	}{
		"without Go": {plugin, ".",
			[]string{"magefile.go", "go.mod", "go.sum", ".github/workflows/slipway.yml"},
			"magefile.go", []string{Targets, workflows}, ""},
		"plugin.json at the root": {"-- plugin.json --\n{\"id\": \"acme-hello-panel\"}\n", ".",
			[]string{"magefile.go", "go.mod", "go.sum", ".github/workflows/slipway.yml"},
			"magefile.go", []string{Targets, workflows}, ""},
		"other targets": {otherTargets, ".",
			[]string{"magefile_slipway.go", "go.mod", "go.sum", ".github/workflows/slipway.yml"},
			"magefile_slipway.go", []string{Targets}, ""},
		"targets of our names": {otherTargets + "\nfunc Build() {}\n", ".",
			[]string{"magefile_slipway.go", "go.mod", "go.sum", ".github/workflows/slipway.yml"},
			"magefile_slipway.go", []string{Targets}, "slipway"},
		"own targets of other names": {plugin + "-- go.mod --\nmodule example.com/acme\n-- magefile.go --\n//go:build mage\n\npackage main\n\nfunc Hello() {}\n", ".",
			[]string{"magefile_slipway.go", "go.mod", "go.sum", ".github/workflows/slipway.yml"},
			"magefile_slipway.go", []string{Targets, workflows}, ""},
		"directory magefiles": {plugin + "-- go.mod --\nmodule example.com/acme\n-- magefiles/hello.go --\npackage main\n\nfunc Hello() {}\n", ".",
			[]string{"magefiles/magefile_slipway.go", "go.mod", "go.sum", ".github/workflows/slipway.yml"},
			"magefiles/magefile_slipway.go", []string{Targets, workflows}, ""},
		"monorepo": {"-- plugins/a/src/plugin.json --\n{\"id\": \"acme-a-panel\"}\n-- go.mod --\nmodule example.com/acme\n", "plugins/a",
			[]string{"plugins/a/magefile.go", "go.mod", "go.sum", ".github/workflows/slipway-plugins-a.yml"},
			"plugins/a/magefile.go", []string{Targets, workflows}, ""},
		"files that are there": {plugin + "-- .github/workflows/ci.yaml --\n- run: go tool mage validate\n", ".",
			[]string{"magefile.go", "go.mod", "go.sum"},
			"magefile.go", []string{Targets, workflows}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := repository(t, c.archive)
			before := state(t, root)
			p := makePlan(t, filepath.Join(root, filepath.FromSlash(c.dir)))
			compare(t, root, before, "MakePlan changed the repository")
			if diff := cmp.Diff(c.files, paths(p)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if p.Namespace != c.namespace {
				t.Errorf("namespace %q, want %q", p.Namespace, c.namespace)
			}
			text := after(p, c.magefile)
			for _, name := range []string{Targets, workflows} {
				line := strings.TrimSpace("//mage:import "+c.namespace) + "\n\t_ \"" + name + "\"\n"
				if got, want := strings.Contains(text, line), slices.Contains(c.imports, name); got != want {
					t.Errorf("the magefile contains %q: %t, want %t\n%s", line, got, want, text)
				}
			}

			_, hasGo := before["go.mod"]
			isNew := !hasGo && slices.Contains(c.files, "go.mod")
			if got := strings.Contains(text, bundle.GrafanaModule+"/build"); got != isNew { // Grafana's catalog requires it in a repository with a go.mod
				t.Errorf("the magefile names the targets of Grafana's SDK: %t\n%s", got, text)
			}

			testkit.OK(t, p.Apply())
			again := makePlan(t, p.Dir)
			if len(again.Files) > 0 {
				t.Errorf("a second run changes %v", paths(again))
			}
			if again.Namespace != c.namespace {
				t.Errorf("a second run finds the namespace %q, want %q", again.Namespace, c.namespace)
			}
			undone := testkit.Must(Undo(p.Dir))(t)
			var restored []string
			for _, f := range undone.Files {
				restored = append(restored, f.Path)
				if _, existed := before[f.Path]; existed != (f.After != nil) {
					t.Errorf("Undo reports %+v, but the file existed before: %t", f, existed)
				}
			}
			if slices.Sort(restored); !slices.Equal(restored, slices.Sorted(slices.Values(c.files))) {
				t.Errorf("Undo restored %v, want %v", restored, c.files)
			}
			compare(t, root, before, "after Undo")
		})
	}
}

// TestPlanInterrupted requires that an interrupted run says that it changed nothing.
func TestPlanInterrupted(t *testing.T) {
	t.Parallel()
	root := repository(t, plugin)
	before := state(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := MakePlan(ctx, Options{Dir: root, Slipway: checkout(t)})
	if err == nil || err.Error() != "interrupted; nothing was changed" {
		t.Errorf("error %v", err)
	}
	compare(t, root, before, "MakePlan changed the repository")
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ archive, want string }{
		"no plugin":       {"-- a/README.md --\n", "no plugin.json or src/plugin.json"},
		"monorepo":        {"-- a/src/plugin.json --\n{}\n-- b/c/plugin.json --\n{}\n-- node_modules/d/plugin.json --\n{}\n", "choose the directory of one of its plugins: a, b/c"},
		"no module":       {plugin + "-- Magefile.go --\n//go:build mage\n\npackage main\n", "run go mod init first"},
		"vendor":          {plugin + "-- go.mod --\nmodule x\n-- vendor/modules.txt --\n", "vendor directory"},
		"invalid go.mod":  {plugin + "-- go.mod --\nmodul x\n", "unknown directive: modul"},
		"invalid Go":      {plugin + "-- go.mod --\nmodule x\n-- magefile.go --\n//go:build mage\n\npackage\n", "expected 'IDENT'"},
		"broken magefile": {plugin + "-- go.mod --\nmodule x\n-- magefile.go --\n//go:build mage\n\npackage main\n\nimport (\n\t//mage:import\n\t_ \"x/none\"\n)\n", "Mage does not accept the magefiles"},
		"name taken":      {plugin + "-- go.mod --\nmodule x\n-- magefile_slipway.go --\n//go:build mage\n\npackage main\n", "rename it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := repository(t, c.archive)
			before := state(t, root)
			_, err := MakePlan(t.Context(), Options{Dir: root, Slipway: checkout(t)})
			if request := new(RequestError); !errors.As(err, &request) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want a RequestError with %q", err, c.want)
			}
			compare(t, root, before, "MakePlan changed the repository")
		})
	}
}

// TestSettings requires that what a magefile sets for builds of Grafana's SDK is taken over, or said.
func TestSettings(t *testing.T) {
	t.Parallel()
	const sets = `//go:build mage

package main

func init() {
	_ = build.SetBeforeBuildCallback(func(cfg build.Config) (build.Config, error) {
		cfg.EnableCGo = true
		cfg.RootPackagePath = "./server"
		cfg.Env["X"] = "y"
		other.Env = nil
		cfg.OutputBinaryPath = "out"
		return cfg, nil
	})
	mg.Deps(func() error { return b.Custom("linux", "s390x") }, func() error { return b.Custom(system, "arm") })
}
`
	notes := []string{
		"Magefile.go:9 sets Env, which Slipway does not read: write env below backend in slipway.yaml",
		"Magefile.go:11 sets OutputBinaryPath, for which Slipway has no setting: it reads src and writes dist",
		"Magefile.go:14 builds for linux/s390x as well: list it with the others in platforms, below backend in slipway.yaml",
	}
	const keys = "  cgo: true # as EnableCGo in Magefile.go:7\n  main: \"server\" # as RootPackagePath in Magefile.go:8"
	root := repository(t, plugin+"-- Magefile.go --\n"+sets)
	p := &Plan{Root: root, Dir: root}
	if err := p.addSettings(t.Context(), Options{}); err != nil || len(p.Files) != 1 {
		t.Fatal(p.Files, err)
	}
	if got := string(p.Files[0].After); p.Files[0].Path != "slipway.yaml" || got != "backend:\n"+keys+"\n" || !slices.Equal(p.Notes, notes) {
		t.Errorf("%s:\n%s%q", p.Files[0].Path, got, p.Notes)
	}
	testkit.WriteFile(t, filepath.Join(root, "slipway.yaml"), "{}")
	p = &Plan{Root: root, Dir: root}
	if err := p.addSettings(t.Context(), Options{}); err != nil || len(p.Files) != 0 || len(p.Notes) != 4 || !strings.HasSuffix(p.Notes[3], "below backend:\n"+keys) {
		t.Errorf("%v %q %v", p.Files, p.Notes, err)
	}
}

// TestPlanOffline checks that nothing changes if a module cannot be downloaded.
func TestPlanOffline(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	root := repository(t, otherTargets)
	before := state(t, root)
	_, err := MakePlan(t.Context(), Options{Dir: root, Slipway: version.Origin{Version: "v99.0.0"}})
	if err == nil || !strings.Contains(err.Error(), "GOPROXY=off") || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("error %v", err)
	}
	compare(t, root, before, "MakePlan changed the repository")
}

// applied returns a repository after init, and its files before and after.
func applied(t *testing.T) (root string, before, after map[string]string) {
	t.Helper()
	root = repository(t, plugin)
	testkit.WriteFile(t, filepath.Join(root, "go.mod"), "module example.com/acme\r\n\r\ngo 1.25\r\n")
	testkit.OK(t, os.Chmod(filepath.Join(root, "go.mod"), 0o600))
	before = state(t, root)
	testkit.OK(t, makePlan(t, root).Apply())
	return root, before, state(t, root)
}

func TestUndo(t *testing.T) {
	t.Parallel()
	root, before, after := applied(t)
	if mode := after["go.mod"][:10]; runtime.GOOS != "windows" && mode != "-rw-------" {
		t.Errorf("Apply changed the mode of go.mod to %s", mode)
	}

	testkit.Must(Undo(root))(t)
	compare(t, root, before, "after Undo")
	if _, err := Undo(root); !errors.Is(err, ErrNoRecord) {
		t.Errorf("a second Undo returned %v, want %v", err, ErrNoRecord)
	}
}

// TestUndoKeepsEdits checks that Undo restores what has not been edited, and the rest once the
// author has taken the edits back.
func TestUndoKeepsEdits(t *testing.T) {
	t.Parallel()
	root, before, after := applied(t)
	modfile, workflow := filepath.Join(root, "go.mod"), filepath.Join(root, ".github", "workflows", "slipway.yml")
	original := testkit.Must(os.ReadFile(modfile))(t)
	testkit.WriteFile(t, modfile, string(original)+"\nrequire example.com/more v1.0.0\n")
	testkit.OK(t, os.Remove(workflow))
	for range 2 { // the second changes nothing
		u, err := Undo(root)
		if err != nil || !slices.Equal(u.Kept, []string{"go.mod"}) {
			t.Fatalf("Undo returned %+v, %v", u, err)
		}
	}
	want := maps.Clone(before)
	now := state(t, root)
	for _, name := range []string{"go.mod", ".slipway", ".slipway/.gitignore", ".slipway/init.json"} {
		want[name] = now[name]
	}
	for dir := range maps.Keys(after) { // the directory of a file that someone else removed
		if strings.HasPrefix(dir, ".github") && !strings.HasSuffix(dir, ".yml") {
			want[dir] = after[dir]
		}
	}
	if diff := cmp.Diff(want, now); diff != "" || !strings.Contains(now["go.mod"], "example.com/more") {
		t.Errorf("after Undo (-want +got):\n%s", diff)
	}
	testkit.WriteFile(t, modfile, "module example.com/acme\r\n\r\ngo 1.25\r\n") // as before init, by Git
	if u, err := Undo(root); err != nil || len(u.Files)+len(u.Kept) > 0 {
		t.Errorf("Undo returned %+v, %v", u, err)
	}
	if _, err := Undo(root); !errors.Is(err, ErrNoRecord) {
		t.Errorf("a further Undo returned %v, want %v", err, ErrNoRecord)
	}
}

// TestUndoOfTwoRuns checks that Undo restores the state before the first run if a second
// run adds what was removed in between.
func TestUndoOfTwoRuns(t *testing.T) {
	t.Parallel()
	root, before, after := applied(t)
	testkit.OK(t, os.Remove(filepath.Join(root, "magefile.go")))
	p := makePlan(t, root)
	if got := paths(p); !slices.Equal(got, []string{"magefile.go"}) {
		t.Fatalf("the second run changes %v", got)
	}
	testkit.OK(t, p.Apply())
	compare(t, root, after, "after the second run")
	testkit.Must(Undo(root))(t)
	compare(t, root, before, "after Undo")
}

func TestUndoKeepsDataOfHost(t *testing.T) {
	t.Parallel()
	root, _, _ := applied(t)
	data := filepath.Join(root, ".slipway", "data", "slipway.db")
	testkit.WriteFile(t, data, "data")
	u, err := Undo(root)
	if err != nil || !slices.Equal(u.Data, []string{".slipway"}) {
		t.Fatalf("%+v, %v", u, err)
	}
	if _, err := os.Stat(data); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(root, ".slipway", ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("Git does not ignore the data of the host: %q, %v", text, err)
	}
}

// TestApplyRestores checks that Apply leaves nothing behind if it cannot write a file.
func TestApplyRestores(t *testing.T) {
	t.Parallel()
	root := repository(t, otherTargets)
	p := makePlan(t, root)
	testkit.WriteFile(t, filepath.Join(root, ".github"), "not a directory")
	before := state(t, root)
	if err := p.Apply(); err == nil || !strings.Contains(err.Error(), ".github/workflows/slipway.yml") {
		t.Errorf("Apply returned %v", err)
	}
	compare(t, root, before, "after an incomplete Apply")
}

// TestApplyRefusesChangedFiles checks that Apply does not overwrite what changed after
// MakePlan.
func TestApplyRefusesChangedFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"go.mod", "magefile_slipway.go"} {
		root := repository(t, otherTargets)
		p := makePlan(t, root)
		testkit.WriteFile(t, filepath.Join(root, name), "module other\n")
		before := state(t, root)
		if err := p.Apply(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Apply returned %v", err)
		}
		compare(t, root, before, "Apply changed files although it refused")
	}
}

// TestUndoOfForeignRecord checks that a record that someone else wrote cannot change
// files outside of the repository, or the settings of Git.
func TestUndoOfForeignRecord(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../victim", "/etc/passwd", "a/../../victim", ".git/config", ".git", "link/victim", ".GIT/config", "sub/.git/config"} {
		parent := t.TempDir()
		root := filepath.Join(parent, "repo")
		testkit.WriteFile(t, filepath.Join(parent, "victim"), "")
		testkit.WriteFile(t, filepath.Join(root, ".git", "config"), "")
		if err := os.Symlink(parent, filepath.Join(root, "link")); err != nil {
			t.Skipf("cannot make symbolic links: %v", err)
		}
		testkit.WriteFile(t, filepath.Join(root, ".slipway", "init.json"), `{"files": [{"path": "`+name+`", "after": "`+digest(nil)+`", "mode": 420, "exists": true, "before": "aGVsbG8="}]}`)
		before := state(t, parent)
		if restored, err := Undo(root); err == nil {
			t.Errorf("%s: Undo restored %v", name, restored)
		}
		compare(t, parent, before, name)
	}
}

func TestWorkflow(t *testing.T) {
	t.Parallel()
	root := repository(t, otherTargets+"\nfunc Build() {}\n")
	text := after(makePlan(t, root), ".github/workflows/slipway.yml")
	for _, want := range []string{"  push:\n    branches: [main, master] # the default branch\n", "go-version-file: \"go.mod\"", "cache-dependency-path: \"go.sum\"", "go tool mage slipway:validate -format=github\n", "go tool mage slipway:build -platforms=host\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the workflow does not contain %q:\n%s", want, text)
		}
	}
	mono := repository(t, "-- plugins/a/src/plugin.json --\n{\"id\": \"acme-a-panel\"}\n")
	testkit.Git(t, mono, "init", "-q")
	testkit.Git(t, mono, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
	text = after(makePlan(t, filepath.Join(mono, "plugins", "a")), ".github/workflows/slipway-plugins-a.yml")
	for _, want := range []string{"branches: [\"develop\"]", "working-directory: \"plugins/a\"", "go-version-file: \"plugins/a/go.mod\"", "cache-dependency-path: \"plugins/a/go.sum\""} {
		if !strings.Contains(text, want) {
			t.Errorf("the workflow does not contain %q:\n%s", want, text)
		}
	}
}

func TestNoWorkflow(t *testing.T) {
	t.Parallel()
	p := testkit.Must(MakePlan(t.Context(), Options{Dir: repository(t, plugin), Slipway: checkout(t), NoWorkflow: true}))(t)
	if got := paths(p); !slices.Equal(got, []string{"magefile.go", "go.mod", "go.sum"}) {
		t.Errorf("init changes %v", got)
	}
}

// The directory of a repository may look like a pattern.
func TestValidates(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "[work]")
	testkit.WriteFile(t, filepath.Join(dir, "ci.yml"), "      - run: go tool mage validate\n")
	if !validates(dir) {
		t.Errorf("no workflow found in %s", dir)
	}
}

func TestMergeAll(t *testing.T) {
	t.Parallel()
	const lines = "1\n2\n3\n4\n5\n6\n7\n"
	base := map[string]string{
		"same": lines, "edited": lines, "follows": lines, "both": lines, "clash": lines,
		"removed": lines, "obsolete": lines, "gone": lines, "crlf": lines, "equal": lines,
	}
	now := map[string]string{
		"same": lines, "edited": lines, "follows": "0\n" + lines, "both": lines + "8\n", "clash": "1\n2\n3\ntheirs\n5\n6\n7\n",
		"removed": lines + "8\n", "new": "new\n", "taken": "theirs\n", "crlf": lines + "8\n", "equal": lines + "8\n",
	}
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, map[string]string{
		"same": lines, "edited": lines + "mine\n", "follows": lines, "both": "mine\n" + lines, "clash": "1\n2\n3\nmine\n5\n6\n7\n",
		"obsolete": lines, "taken": "mine\n", "crlf": toCRLF("mine\n" + lines), "equal": lines + "8\n",
	})
	root := testkit.Must(os.OpenRoot(dir))(t)
	defer root.Close()
	merges := testkit.Must(MergeAll(t.Context(), root, base, now))(t)
	const markers = "<<<<<<< this repository\nmine\n=======\ntheirs\n>>>>>>> the scaffold now\n"
	type result struct {
		status Status
		text   string // on disk after the merge
	}
	want := map[string]result{
		"same":     {Unchanged, lines},
		"edited":   {Unchanged, lines + "mine\n"},
		"follows":  {Updated, "0\n" + lines},
		"both":     {Merged, "mine\n" + lines + "8\n"},
		"clash":    {Conflicted, "1\n2\n3\n" + markers + "5\n6\n7\n"},
		"removed":  {Removed, ""},
		"obsolete": {Obsolete, lines},
		"gone":     {Removed, ""},
		"new":      {Created, "new\n"},
		"taken":    {Conflicted, markers},
		"crlf":     {Merged, toCRLF("mine\n" + lines + "8\n")},
		"equal":    {Unchanged, lines + "8\n"},
	}
	testkit.OK(t, WriteMerges(root, merges, Scaffold{Options: []byte("{}"), Files: now}))
	got := map[string]result{}
	for _, m := range merges {
		data, err := os.ReadFile(filepath.Join(dir, m.Path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		got[m.Path] = result{m.Status, string(data)}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
		t.Errorf("merges (-want +got):\n%s", diff)
	}

	recorded, err := ReadScaffold(root)
	if err != nil || !maps.Equal(recorded.Files, now) {
		t.Errorf("the record has %v (%v), want %v", recorded.Files, err, now)
	}
	again := testkit.Must(MergeAll(t.Context(), root, recorded.Files, now))(t)
	for _, m := range again {
		if m.After != nil {
			t.Errorf("a second update changes %s: %s", m.Path, m.Status)
		}
	}
}

// TestPlanKeepsVersions checks that init raises no requirement, and that a repository with an older
// Mage gets the tool slipway only.
func TestPlanKeepsVersions(t *testing.T) {
	t.Parallel()
	const mod = "module example.com/acme\n\ngo 1.24.3\n\nrequire github.com/google/go-cmp v0.6.0\n\nrequire (\n\tgithub.com/davecgh/go-spew v1.1.0 // indirect\n%s)\n"
	root := repository(t, otherTargets)
	testkit.WriteFile(t, filepath.Join(root, "go.mod"), fmt.Sprintf(mod, "\tgithub.com/magefile/mage v1.15.0 // indirect\n"))
	p := makePlan(t, root)
	from := checkout(t).Checkout
	want := fmt.Sprintf(mod, "\tgithub.com/magefile/mage v1.15.0 // indirect\n\tgithub.com/slipway-dev/slipway/targets v0.0.0 // indirect\n") +
		"\ntool github.com/slipway-dev/slipway/targets/cmd/slipway\n\nreplace github.com/slipway-dev/slipway/targets => " + from + "/targets\n"
	if diff := cmp.Diff(want, after(p, "go.mod")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"go.mod", ".github/workflows/slipway.yml"}, paths(p)); diff != "" || p.OldMage != "v1.15.0" || p.OldGo != "" {
		t.Errorf("Mage %s, Go %q\n%s", p.OldMage, p.OldGo, diff)
	}
	for _, line := range []string{
		"- run: go tool slipway validate --format=github\n", "- run: go tool slipway build --platforms=host\n",
		"- run: go tool slipway validate --format=github dist\n",
	} {
		if text := after(p, ".github/workflows/slipway.yml"); !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}

	testkit.WriteFile(t, filepath.Join(root, "go.mod"), fmt.Sprintf(mod, "\tgithub.com/magefile/mage v1.17.2 // indirect\n"))
	want = "module example.com/acme\n\ngo 1.24.3\n\nrequire (\n\tgithub.com/google/go-cmp v0.6.0\n\tgithub.com/slipway-dev/slipway/targets v0.0.0\n)\n\n" +
		"require (\n\tgithub.com/davecgh/go-spew v1.1.0 // indirect\n\tgithub.com/magefile/mage v1.17.2 // indirect\n)\n\n" +
		"tool (\n\tgithub.com/magefile/mage\n\tgithub.com/slipway-dev/slipway/targets/cmd/slipway\n)\n\nreplace github.com/slipway-dev/slipway/targets => " + from + "/targets\n"
	if diff := cmp.Diff(want, after(makePlan(t, root), "go.mod")); diff != "" {
		t.Error(diff)
	}
}

// A repository without Mage gets the version that this one uses.
func TestNewMage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil || !strings.Contains(string(text), "\t"+mage+" "+newMage+"\n") {
		t.Errorf("go.mod does not require Mage %s (%v)", newMage, err)
	}
}

func TestSums(t *testing.T) {
	t.Parallel()
	const before, after = "example.com/a v1.9.0/go.mod h1:a=\nexample.com/a v1.10.0/go.mod h1:b=\n", "github.com/stretchr/testify v1.0.0/go.mod h1:c=\n"
	m := &goModule{sumAfter: []byte(before + after)}
	testkit.OK(t, m.addSums(t.Context(), mage, newMage))
	middle, isBefore := strings.CutPrefix(string(m.sumAfter), before)
	middle, isAfter := strings.CutSuffix(middle, after)
	if !isBefore || !isAfter || strings.Count(middle, mage+" "+newMage) != 2 {
		t.Errorf("go.sum is\n%s", m.sumAfter)
	}
}
