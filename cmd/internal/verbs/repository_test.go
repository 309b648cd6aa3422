package verbs

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
)

// pluginWithGo writes a plugin repository with a Go package that has a test.
func pluginWithGo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, map[string]string{
		"src/plugin.json":               `{"id": "acme-x-panel"}`,
		"go.mod":                        "module example.com/x\n\ngo 1.25\n",
		"pkg/x/x.go":                    "package x\n\nfunc One() int { return 1 }\n",
		"pkg/x/x_test.go":               "package x\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Error(One())\n\t}\n}\n",
		"node_modules/flat/go/flat.go":  "package flat\n\nfunc Broken() int { return \"\" }\n",
		"node_modules/flat/format.go":   "package   flat\n",
		"pkg/x/testdata/unformatted.go": "package   x\n",
	})
	return dir
}

func TestTest(t *testing.T) {
	t.Parallel()
	dir := pluginWithGo(t)
	w, printed := captured(t)
	if err := runTest(t.Context(), w, testOptions{Dir: dir}); err != nil {
		t.Errorf("%v\n%s", err, printed())
	}
	for _, want := range []string{"running go test ./...\n", "ok  \texample.com/x/pkg/x", "TypeScript tests did not run: the repository has no package.json\n"} {
		if !strings.Contains(printed(), want) {
			t.Errorf("Test did not print %q:\n%s", want, printed())
		}
	}

	testkit.WriteFile(t, filepath.Join(dir, "pkg", "x", "x.go"), "package x\n\nfunc One() int { return 2 }\n")
	w, printed = captured(t)
	if err := runTest(t.Context(), w, testOptions{Dir: dir}); code(err) != ExitFindings || !strings.Contains(err.Error(), "go test ./...: exit status 1") {
		t.Errorf("failing tests: %v", err)
	}
	if !strings.Contains(printed(), "TypeScript tests did not run") {
		t.Errorf("Test stopped after the Go tests:\n%s", printed())
	}
}

// An error of the go command says what to do, as in a build.
func TestTestWithOldGo(t *testing.T) {
	t.Setenv("GOTOOLCHAIN", "local")
	dir := pluginWithGo(t)
	testkit.WriteFile(t, filepath.Join(dir, "go.mod"), "module example.com/x\n\ngo 1.999\n")
	w, _ := captured(t)
	if err := runTest(t.Context(), w, testOptions{Dir: dir}); err == nil || !strings.Contains(err.Error(), "help: install that version of Go from go.dev/dl, or lower") {
		t.Error(err)
	}
}

func TestTestWithoutGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), "{}")
	w, printed := captured(t)
	err := runTest(t.Context(), w, testOptions{Dir: dir})
	if want := "no Go tests: the repository has no Go packages\ntypes were not checked: "; err != nil || !strings.HasPrefix(printed(), want) ||
		!strings.HasSuffix(printed(), "no package.json\nno tests ran\n") {
		t.Errorf("%v\n%s", err, printed())
	}
	testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), `{"type": "renderer"}`) // has no frontend
	w, printed = captured(t)
	if err := runTest(t.Context(), w, testOptions{Dir: dir}); err != nil || strings.Contains(printed(), "TypeScript") {
		t.Errorf("%v\n%s", err, printed())
	}
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	dir := pluginWithGo(t)
	w, printed := captured(t)
	if err := runTest(t.Context(), w, testOptions{Dir: dir, Coverage: true}); err != nil {
		t.Fatalf("%v\n%s", err, printed())
	}
	if text := testkit.ReadFile(t, filepath.Join(dir, "coverage", "backend.txt")); !strings.Contains(text, "100.0%") || strings.Contains(text, "node_modules") {
		t.Errorf("coverage/backend.txt contains\n%s", text)
	}
	if page := testkit.ReadFile(t, filepath.Join(dir, "coverage", "backend.html")); !strings.Contains(page, "func One()") {
		t.Error("coverage/backend.html does not show the source")
	}
}

func TestReadFrontend(t *testing.T) {
	t.Parallel()
	const notInstalled = "no package manager has written node_modules; run "
	for name, c := range map[string]struct{ files, manager, missing string }{
		"none":           {"", "npm", "the repository has no package.json"},
		"not installed":  {"package.json={}", "npm", notInstalled + "npm install first"},
		"laid out":       {"package.json={} node_modules/.slipway-lockfile=", "npm", notInstalled + "npm install first"},
		"locked":         {"package.json={} package-lock.json={}", "npm", notInstalled + "npm ci first"},
		"by the field":   {`package.json={"packageManager": "pnpm@10.1.0"} yarn.lock=`, "pnpm", notInstalled + "pnpm install first"},
		"by a lockfile":  {"package.json={} yarn.lock=", "yarn", notInstalled + "yarn install first"},
		"unknown":        {`package.json={"packageManager": "vlt@1"} bun.lock=`, "bun", notInstalled + "bun install first"},
		"in a workspace": {"package.json={} ../pnpm-lock.yaml= ../node_modules/x= ../.git/config=", "pnpm", ""},
		"plug and play":  {"package.json={} .pnp.cjs= yarn.lock=", "yarn", ""},
		"outside":        {"package.json={} ../pnpm-lock.yaml=", "npm", notInstalled + "npm install first"},
	} {
		dir := filepath.Join(t.TempDir(), "plugin")
		testkit.WriteFile(t, filepath.Join(dir, "src", "x.ts"), "")
		for file := range strings.SplitSeq(strings.ReplaceAll(c.files, `": "`, `":"`), " ") {
			if name, text, ok := strings.Cut(file, "="); ok {
				testkit.WriteFile(t, filepath.Join(dir, filepath.FromSlash(name)), text)
			}
		}
		if _, err := exec.LookPath(c.manager); err != nil && c.missing == "" {
			c.missing = c.manager + " is not installed"
		}
		if f := readFrontend(dir); f.manager != c.manager || f.missing != c.missing {
			t.Errorf("%s: %s, %q, want %s, %q", name, f.manager, f.missing, c.manager, c.missing)
		}
	}
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "package.json"), "{")
	if _, err := readFrontend(dir).run(t.Context(), os.Stdout, "types", "typecheck"); err == nil || !strings.HasPrefix(err.Error(), "package.json: ") {
		t.Errorf("an invalid package.json: %v", err)
	}
}

// The scripts of a frontend run, and their failures are those of Test and Lint.
func TestScripts(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	for script, want := range map[string][2]string{
		`"typecheck": "exit 1", "test": "echo tested"`:                {"npm run typecheck: exit status 1", "tested"},
		`"typecheck": "echo checked", "test": "exit 1"`:               {"npm run test: exit status 1", "checked"},
		`"test": "exit 1", "test:ci": "echo once"`:                    {"", "types were not checked: package.json has no script typecheck"},
		`"typecheck": "echo checked", "lint": "exit 1"`:               {"", "TypeScript tests did not run: package.json has no script test"},
		`"typecheck": "echo checked", "test": "echo $CI with CI set"`: {"", "true with CI set"},
	} {
		dir := t.TempDir()
		testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"type": "panel"}`)
		testkit.WriteFile(t, filepath.Join(dir, "package.json"), `{"scripts": {`+script+`}}`)
		testkit.WriteFile(t, filepath.Join(dir, "node_modules", "x", "package.json"), "{}")
		w, printed := captured(t)
		if err := runTest(t.Context(), w, testOptions{Dir: dir}); errorText(err) != want[0] || !strings.Contains(printed(), want[1]) {
			t.Errorf("%s: %v, want %s; printed\n%s", script, err, want, printed())
		}
		if isLast := strings.HasSuffix(printed(), "\nno tests ran\n"); isLast == strings.Contains(script, `"test`) {
			t.Errorf("%s: the last line says %t that no tests ran:\n%s", script, isLast, printed())
		}
		w, printed = captured(t)
		if err := runLint(t.Context(), w, Command, dir); (err != nil) != strings.Contains(script, "lint") {
			t.Errorf("%s: lint: %v\n%s", script, err, printed())
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestLint(t *testing.T) {
	t.Parallel()
	dir := pluginWithGo(t)
	w, printed := captured(t)
	if err := runLint(t.Context(), w, Command, dir); err != nil {
		t.Errorf("%v\n%s", err, printed())
	}
	for _, want := range []string{"running go vet ./...\n", "golangci-lint did not run: go.mod does not list it", "staticcheck did not run: go.mod does not list it"} {
		if !strings.Contains(printed(), want) {
			t.Errorf("Lint did not print %q:\n%s", want, printed())
		}
	}
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "x", "x.go"), "package x\n\nimport \"fmt\"\n\nfunc One() int { fmt.Printf(\"%d\", \"\"); return 1 }\n")
	if err := runLint(t.Context(), w, Command, dir); code(err) != ExitFindings || !strings.Contains(err.Error(), "go vet ./...: exit status 1") {
		t.Errorf("code that vet refuses: %v", err)
	}
}

func TestLinterCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	golangci := linters()[0]
	command, _ := golangci.command(dir, []string{"github.com/golangci/golangci-lint/v2/cmd/golangci-lint"})
	if want := []string{"go", "tool", "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"}; !slices.Equal(command, want) {
		t.Errorf("got %v, want %v", command, want)
	}
	golangci.name = "slipway-no-such-linter"
	testkit.WriteFile(t, filepath.Join(dir, ".golangci.yml"), "")
	if _, why := golangci.command(dir, nil); why != "the repository has .golangci.yml, but slipway-no-such-linter is not installed" {
		t.Errorf("a linter that is not installed: %s", why)
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	dir := pluginWithGo(t)
	file := filepath.Join(dir, "pkg", "x", "x.go")
	testkit.WriteFile(t, file, "package x\nfunc One() int {return 1}\n")
	testkit.OK(t, os.Chmod(file, 0o600))
	outside := filepath.Join(t.TempDir(), "outside.go")
	testkit.WriteFile(t, outside, "package   x\n")
	if err := os.Symlink(outside, filepath.Join(dir, "pkg", "link.go")); err != nil {
		t.Skipf("cannot make symbolic links: %v", err)
	}
	var out strings.Builder
	if err := runFormat(&out, dir); err != nil || out.String() != "formatted pkg/x/x.go\n" {
		t.Errorf("%v\n%s", err, &out)
	}
	if text := testkit.ReadFile(t, file); text != "package x\n\nfunc One() int { return 1 }\n" {
		t.Errorf("the file contains\n%s", text)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("the mode is %v (%v)", info.Mode(), err)
	}
	for _, name := range []string{outside, filepath.Join(dir, "node_modules", "flat", "format.go"), filepath.Join(dir, "pkg", "x", "testdata", "unformatted.go")} {
		if !strings.Contains(testkit.ReadFile(t, name), "package   ") {
			t.Errorf("%s was formatted", name)
		}
	}
	testkit.WriteFile(t, file, "package")
	if err := runFormat(io.Discard, dir); err == nil || !strings.Contains(err.Error(), "format pkg/x/x.go: ") {
		t.Errorf("invalid Go: %v", err)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	dir, outside := pluginWithGo(t), t.TempDir()
	testkit.WriteFile(t, filepath.Join(outside, "file"), "")
	for _, name := range []string{"dist/plugin.json", "coverage/backend.out", "release/x.zip"} {
		testkit.WriteFile(t, filepath.Join(dir, filepath.FromSlash(name)), "")
	}
	if err := os.Symlink(outside, filepath.Join(dir, "dist", "link")); err != nil {
		t.Skipf("cannot make symbolic links: %v", err)
	}
	var out strings.Builder
	if err := runClean(t.Context(), &out, dir); err != nil || out.String() != "removed dist\nremoved coverage\n" {
		t.Errorf("%v\n%s", err, &out)
	}
	for name, want := range map[string]bool{"dist": false, "coverage": false, "release/x.zip": true, "src/plugin.json": true} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); (err == nil) != want {
			t.Errorf("%s exists: %t, want %t", name, err == nil, want)
		}
	}
	testkit.ReadFile(t, filepath.Join(outside, "file"))
	if err := runClean(t.Context(), io.Discard, dir); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

// trackDist lets Git track a dist. It returns the name of a file that a program writes which the configuration of the
// repository names.
func trackDist(t *testing.T, dir string) (monitored string) {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(dir, "dist", "module.js"), "")
	monitored = filepath.Join(t.TempDir(), "monitored")
	for _, args := range [][]string{{"init", "-q"}, {"add", "dist"}, {"config", "core.fsmonitor", "touch '" + filepath.ToSlash(monitored) + "'; false"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git %s: %v\n%s", args[0], err, out)
		}
	}
	return monitored
}

func TestCleanKeepsTrackedFiles(t *testing.T) {
	t.Parallel()
	dir := pluginWithGo(t)
	monitored := trackDist(t, dir)
	var out strings.Builder
	if err := runClean(t.Context(), &out, dir); err != nil || out.String() != "kept dist: Git tracks files in it\n" {
		t.Errorf("%v\n%s", err, &out)
	}
	testkit.ReadFile(t, filepath.Join(dir, "dist", "module.js"))
	if _, err := os.Stat(monitored); err == nil {
		t.Error("git ran a program of the repository")
	}
	testkit.WriteFile(t, filepath.Join(dir, ".git", "index"), "not an index of Git")
	if err := runClean(t.Context(), io.Discard, dir); err == nil || !strings.HasPrefix(err.Error(), "kept dist: git cannot say whether it tracks files in it: ") {
		t.Errorf("in a broken repository: %v", err)
	}
	testkit.ReadFile(t, filepath.Join(dir, "dist", "module.js"))
}

// TestInit runs the targets in a repository that had no Go code.
func TestInit(t *testing.T) {
	t.Setenv("GONOSUMDB", "*") // the modules are in the module cache
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"id": "acme-x-panel", "type": "panel"}`)
	testkit.WriteFile(t, filepath.Join(dir, "src", "module.js"), "define([], function () {});\n")
	w, printed := captured(t)
	testkit.OK(t, runInit(t.Context(), w, initOptions{Dir: dir, DryRun: true}))
	if !strings.Contains(printed(), "diff --git a/magefile.go b/magefile.go\nnew file mode 100644\n--- /dev/null\n+++ b/magefile.go\n") {
		t.Errorf("the diff is\n%s", printed())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Fatalf("the dry run left %v (%v)", entries, err)
	}

	w, printed = captured(t)
	if err := runInit(t.Context(), w, initOptions{Dir: dir}); err != nil {
		t.Fatalf("%v\n%s", err, printed())
	}
	for _, want := range []string{
		"  create  magefile.go\n", "  create  go.mod\n", "  create  .github/workflows/slipway.yml\n", "  change  src/plugin.json\n",
		"note: plugin.json had no range of versions; >=8.0.0 is the widest",
		"To undo these changes, run slipway init --undo --dir=" + filepath.ToSlash(dir) + "\n",
		"$ go tool mage validate\nsrc/plugin.json", "src/plugin.json:1:1: error",
		"  go tool mage validate: ended with exit status 1; the reason is above\n",
		"  go tool mage deps: works\n",
		"\nthe plugin cannot be built yet; once it can, run it in a host: go tool mage dev\n",
	} {
		if !strings.Contains(printed(), want) {
			t.Errorf("Init did not print %q:\n%s", want, printed())
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "mage", "-l")
	cmd.Dir = dir
	list, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, list)
	}
	for _, want := range []string{"  build ", "  build:linux ", "  buildAll ", "  test ", "  test:race ", "  testRace ", "  scaffold ", "  scaffold:update "} {
		if !strings.Contains(string(list), "\n"+want) {
			t.Errorf("mage does not list %q:\n%s", want, list)
		}
	}

	w, printed = captured(t)
	if err := runInit(t.Context(), w, initOptions{Dir: dir}); err != nil || printed() != "nothing to change: Slipway is already set up\n" {
		t.Errorf("a second time: %v\n%s", err, printed())
	}
	if err := runInit(t.Context(), w, initOptions{Dir: filepath.Dir(dir), Undo: true}); code(err) != ExitUsage || !strings.Contains(err.Error(), "use --dir="+filepath.ToSlash(dir)) {
		t.Errorf("undo in a directory above: %v", err)
	}
	w, printed = captured(t)
	if err := runInit(t.Context(), w, initOptions{Dir: dir, Undo: true}); err != nil || strings.Count(printed(), "  removed   ") != 4 ||
		!strings.Contains(printed(), "  restored  src/plugin.json\n") {
		t.Errorf("undo: %v\n%s", err, printed())
	}
	if err := runInit(t.Context(), w, initOptions{Dir: filepath.Dir(dir), Undo: true}); code(err) != ExitUsage || !strings.Contains(err.Error(), "revert the commit") {
		t.Errorf("undo without a record: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != "src" && e.Name() != "dist" }) {
		t.Errorf("undo left %v (%v)", entries, err)
	}
}

// fakeGo puts a command go on PATH that prints "built" for a build and fails for a verb.
func fakeGo(t *testing.T, failing string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the go command is a shell script")
	}
	bin := t.TempDir()
	testkit.WriteFile(t, filepath.Join(bin, "go"), "#!/bin/sh\ncase \"$*\" in\n*"+failing+") exit 1 ;;\n*build*) echo built ;;\nesac\n")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// TestInitWithoutPackages requires that init does not build if deps failed.
func TestInitWithoutPackages(t *testing.T) {
	fakeGo(t, "deps")
	dir := t.TempDir()
	w, printed := captured(t)
	tryTargets(t.Context(), w, &adopt.Plan{Root: dir, Dir: dir})
	want := ":\n  go tool mage validate: works\n  go tool mage deps: ended with exit status 1; the reason is above\n" +
		"  go tool mage build -platforms=host: not run, because deps failed\n" +
		"  go tool mage validate -path=dist: not run, because deps failed\n" +
		"the plugin cannot be built yet; once it can, run it in a host: go tool mage dev\n"
	if !strings.HasSuffix(printed(), want) || strings.Contains(printed(), "built\n") {
		t.Errorf("got\n%s\nwant at the end\n%s", printed(), want)
	}
}

// TestLinesOfInit requires that the table of verbs has the options and arguments of the command lines that init
// runs and prints, as each door spells them.
func TestLinesOfInit(t *testing.T) {
	fakeGo(t, "nothing")
	dir := t.TempDir()
	for _, p := range []adopt.Plan{{}, {OldMage: "v1.15.0"}, {Namespace: "slipway"}} {
		w, printed := captured(t)
		p.Root, p.Dir = dir, dir
		tryTargets(t.Context(), w, &p)
		checked := 0
		for line := range strings.Lines(printed()) {
			words, isRun := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ go tool ")
			if !isRun {
				continue
			}
			door, args, _ := strings.Cut(words, " ")
			name, args, _ := strings.Cut(strings.TrimPrefix(args, "slipway:"), " ")
			i := slices.IndexFunc(All(nil), func(v Verb) bool { return v.Name == name })
			if i < 0 {
				t.Fatalf("%q: there is no verb %s", words, name)
			}
			for _, arg := range strings.Fields(args) {
				option, _, isOption := strings.Cut(arg, "=")
				if !isKnown(All(nil)[i], Face(strings.TrimPrefix(door, "slipway")), option, isOption) {
					t.Errorf("%q: the verb does not take %s there", words, arg)
				}
				checked++
			}
		}
		if checked != 2 {
			t.Errorf("checked %d arguments of:\n%s", checked, printed())
		}
	}
}

// isKnown reports whether a verb takes an option, or an argument, as a face spells it.
func isKnown(v Verb, f Face, option string, isOption bool) bool {
	if !isOption {
		return f != Mage && len(v.Args) > 0
	}
	return slices.ContainsFunc(v.Options, func(o Option) bool { return f.Option(o.Name) == option }) ||
		f == Mage && slices.ContainsFunc(v.Args, func(a Arg) bool { return f.Option(a.Option) == option })
}

// TestInitKeepsTrackedFiles requires that init does not build over a dist that is part of the repository.
func TestInitKeepsTrackedFiles(t *testing.T) {
	dir := pluginWithGo(t)
	trackDist(t, dir)
	fakeGo(t, "nothing")
	w, printed := captured(t)
	tryTargets(t.Context(), w, &adopt.Plan{Root: dir, Dir: dir, OldMage: "v1.15.0"})
	want := "  go tool slipway deps: works\n  go tool slipway build: not run, because Git tracks files in dist; dev also replaces them\n" +
		"to run the plugin in a host: go tool slipway dev\n"
	if !strings.HasSuffix(printed(), want) || strings.Contains(printed(), "built\n") {
		t.Errorf("got\n%s\nwant at the end\n%s", printed(), want)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	o := scaffoldOptions{Options: templates.Options{Type: "panel", ID: "acme-x-panel", Dir: dir, Name: "Round gauge"}}
	testkit.OK(t, runScaffold(t.Context(), io.Discard, o))
	update := func(o updateOptions) (string, error) {
		t.Helper()
		o.Dir = dir
		var out strings.Builder
		err := runUpdate(t.Context(), &out, o)
		return out.String(), err
	}
	if out, err := update(updateOptions{}); err != nil || strings.Contains(out, string(adopt.Updated)) || !strings.Contains(out, "  unchanged  magefile.go\n") {
		t.Errorf("a new scaffold: %v\n%s", err, out)
	}

	// The repository was scaffolded by a version whose magefile had an additional line, and
	// the author has edited two files.
	root := testkit.Must(os.OpenRoot(dir))(t)
	defer root.Close()
	s := testkit.Must(adopt.ReadScaffold(root))(t)
	const old = "// an old line\n"
	now := s.Files["magefile.go"]
	s.Files["magefile.go"] = old + now
	testkit.WriteFile(t, filepath.Join(dir, "magefile.go"), old+now+"\n// mine\n")
	gitignore := s.Files[".gitignore"]
	testkit.WriteFile(t, filepath.Join(dir, ".gitignore"), gitignore+"/mine/\n")
	testkit.OK(t, adopt.WriteScaffold(root, s))
	if out, err := update(updateOptions{DryRun: true}); err != nil || !strings.Contains(out, "-"+old) {
		t.Errorf("dry run: %v\n%s", err, out)
	}
	if text := testkit.ReadFile(t, filepath.Join(dir, "magefile.go")); text != old+now+"\n// mine\n" {
		t.Errorf("the dry run wrote magefile.go:\n%s", text)
	}
	if out, err := update(updateOptions{}); err != nil || !strings.Contains(out, "  merged     magefile.go\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if text := testkit.ReadFile(t, filepath.Join(dir, "magefile.go")); text != now+"\n// mine\n" {
		t.Errorf("magefile.go contains\n%s", text)
	}
	if text := testkit.ReadFile(t, filepath.Join(dir, ".gitignore")); text != gitignore+"/mine/\n" {
		t.Errorf(".gitignore contains\n%s", text)
	}

	s.Files["magefile.go"] = strings.Replace(now, "package main", "package old", 1)
	testkit.WriteFile(t, filepath.Join(dir, "magefile.go"), strings.Replace(now, "package main", "package mine", 1))
	testkit.OK(t, adopt.WriteScaffold(root, s))
	out, err := update(updateOptions{})
	if code(err) != ExitFindings || !strings.Contains(err.Error(), "resolve the conflicts in magefile.go, which") || !strings.Contains(out, "  conflict   magefile.go\n") {
		t.Errorf("a conflict: %v\n%s", err, out)
	}
	if text := testkit.ReadFile(t, filepath.Join(dir, "magefile.go")); !strings.Contains(text, "package mine\n") || !strings.Contains(text, "package main\n") {
		t.Errorf("a side of the conflict is lost:\n%s", text)
	}

	// A new id is written to the files that follow Slipway and to the others, as a whole word.
	testkit.WriteFile(t, filepath.Join(dir, "magefile.go"), now)
	metadata := filepath.Join(dir, "src", "plugin.json")
	testkit.WriteFile(t, metadata, strings.Replace(testkit.ReadFile(t, metadata), "acme-x-panel", "acme-y-panel", 1))
	code := filepath.Join(dir, "src", "module.ts")
	testkit.WriteFile(t, code, testkit.ReadFile(t, code)+"// acme-x-panels and my-acme-x-panel\n")
	if out, err := update(updateOptions{}); err != nil {
		t.Errorf("a new id: %v\n%s", err, out)
	}
	for _, name := range []string{"docker-compose.yaml", "package.json", "package-lock.json", "src/module.ts", "provisioning/dashboards/example.json"} {
		text := strings.ReplaceAll(testkit.ReadFile(t, filepath.Join(dir, name)), "// acme-x-panels and my-acme-x-panel\n", "")
		if strings.Contains(text, "acme-x-panel") || !strings.Contains(text, "acme-y-panel") {
			t.Errorf("%s after a new id:\n%s", name, text)
		}
	}
	if !strings.Contains(testkit.ReadFile(t, code), "// acme-x-panels and my-acme-x-panel\n") {
		t.Errorf("parts of words were replaced:\n%s", testkit.ReadFile(t, code))
	}
	if out, err := update(updateOptions{}); err != nil || strings.Contains(out, string(adopt.Updated)) {
		t.Errorf("after a new id: %v\n%s", err, out)
	}
}

// TestBelowRoot runs verbs in src and img of a repository, whose root they find.
func TestBelowRoot(t *testing.T) {
	dir := testkit.Must(filepath.EvalSymlinks(panel(t, false)))(t)
	testkit.WriteFile(t, filepath.Join(dir, "..", ".git", "HEAD"), "")
	before := testkit.Must(filepath.Glob(filepath.Join(dir, "src", "*")))(t)
	for _, at := range []string{"src", "src/img"} {
		t.Chdir(filepath.Join(dir, filepath.FromSlash(at)))
		w, printed := captured(t)
		testkit.Must(Build(t.Context(), w, BuildOptions{}))(t)
		if err := runPackage(t.Context(), w, packageOptions{}); err != nil {
			t.Error(err)
		}
		if err := runSchema(w, schemaOptions{}); err != nil {
			t.Error(err)
		}
		if got, want := printed(), "plugin repository: "+dir+"\n"; strings.Count(got, want) != 2 {
			t.Errorf("%s: %q was not printed by build and package:\n%s", at, want, got)
		}
		for _, name := range []string{"dist/module.js", "release/acme-x-panel-0.1.0.zip", "slipway.schema.json"} {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
		if printed, err := validated(t, validateOptions{}); err != nil || strings.Contains(printed, "not checked: license") {
			t.Errorf("%s: %v\n%s", at, err, printed)
		}
		if printed, err := validated(t, validateOptions{Format: "json"}); err != nil || !strings.Contains(printed, `"directory": "acme-x-panel/`+at+`"`) {
			t.Errorf("%s: %v\n%s", at, err, printed)
		}
		if err := runClean(t.Context(), io.Discard, ""); err != nil {
			t.Error(err)
		}
	}
	t.Chdir(filepath.Dir(dir))
	if _, err := Build(t.Context(), nil, BuildOptions{}); code(err) != ExitUsage || !strings.Contains(err.Error(), "choose the directory of one of its plugins: acme-x-panel") {
		t.Errorf("above the repository: %v", err)
	}
	after, err := filepath.Glob(filepath.Join(dir, "src", "*"))
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("src contains %v, and before %v (%v)", after, before, err)
	}
}

// Verbs that run the go command say what to install, and init changes nothing without it.
func TestWithoutGo(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"id": "acme-x-panel"}`)
	t.Setenv("PATH", t.TempDir())
	w, _ := captured(t)
	for name, err := range map[string]error{
		"init": runInit(t.Context(), w, initOptions{Dir: dir}), "test": runTest(t.Context(), w, testOptions{Dir: dir}),
	} {
		if !errors.Is(err, errNoGo) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
}
