package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
)

// TestOptions are the options of the verb test.
type TestOptions struct {
	Dir      string // the plugin repository; "" is the current directory
	Race     bool   // detect data races
	Coverage bool   // write reports of the Go coverage to the directory coverage
}

// The reports of the coverage, in the directory coverage. Workflows look for these names.
const (
	coverageDir     = "coverage"
	coverageProfile = "coverage/backend.out"
	coverageText    = "coverage/backend.txt"
	coveragePage    = "coverage/backend.html"
)

// Test runs the Go tests and the TypeScript tests of a plugin repository, and prints
// which of them it did not run and why.
func Test(ctx context.Context, w *os.File, o TestOptions) error {
	repo, err := bundle.OpenRepo(o.Dir)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	packages, err := goPackages(ctx, repo.Root)
	if err != nil {
		return err
	}
	var failed []error
	if len(packages) == 0 {
		fmt.Fprintln(w, "no Go tests: the repository has no Go packages")
	} else {
		failed = append(failed, testGo(ctx, w, repo.Root, packages, o))
	}
	if !o.Race && !o.Coverage {
		failed = append(failed, testFrontend(ctx, w, repo.Root))
	}
	return errors.Join(failed...)
}

func testGo(ctx context.Context, w *os.File, dir string, packages []string, o TestOptions) error {
	args := []string{"test"}
	if o.Race {
		args = append(args, "-race")
	}
	if !o.Coverage {
		return runTool(ctx, w, dir, "go", append(args, packages...)...)
	}
	if err := os.MkdirAll(filepath.Join(dir, coverageDir), 0o755); err != nil {
		return err
	}
	args = append(args, "-coverpkg="+strings.Join(packages, ","), "-coverprofile="+coverageProfile)
	for _, command := range [][]string{
		append(args, packages...),
		{"tool", "cover", "-func=" + coverageProfile, "-o=" + coverageText},
		{"tool", "cover", "-html=" + coverageProfile, "-o=" + coveragePage},
	} {
		if err := runTool(ctx, w, dir, "go", command...); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "wrote %s\n", shortPath(filepath.Join(dir, filepath.FromSlash(coveragePage))))
	return nil
}

// testFrontend runs the test script of package.json.
func testFrontend(ctx context.Context, w *os.File, dir string) error {
	script, why := testScript(dir)
	if why != "" {
		fmt.Fprintf(w, "TypeScript tests did not run: %s\n", why)
		return nil
	}
	return runTool(ctx, w, dir, "npm", "run", script)
}

// testScript returns the script of package.json that runs all tests once, or why there
// is none.
func testScript(dir string) (script, why string) {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return "", "the repository has no package.json"
	}
	var manifest struct{ Scripts map[string]string }
	if err := json.Unmarshal(data, &manifest); err != nil {
		return "", "package.json is not valid JSON"
	}
	for _, name := range []string{"test:ci", "test"} { // "test" often watches files
		if manifest.Scripts[name] != "" {
			script = name
			break
		}
	}
	if script == "" {
		return "", "package.json has no test script"
	}
	if info, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil || !info.IsDir() {
		return "", "node_modules is missing; run npm install first, or npm run " + script + " if the tests need no packages"
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return "", "npm is not installed"
	}
	return script, ""
}

// goPackages returns the import paths of the Go packages of a repository, without those
// in node_modules. It returns none if there is no Go module.
func goPackages(ctx context.Context, dir string) (packages []string, err error) {
	mod, err := goOutput(ctx, dir, "env", "GOMOD")
	if err != nil || mod == "" || mod == os.DevNull {
		return nil, err
	}
	out, err := goOutput(ctx, dir, "list", "-f", "{{.ImportPath}}", "./...")
	if err != nil {
		return nil, fmt.Errorf("list Go packages: %w", err)
	}
	for name := range strings.FieldsSeq(out) {
		if !strings.Contains(name, "/node_modules/") {
			packages = append(packages, name)
		}
	}
	return packages, nil
}

// goOutput returns what a go command prints, without white space around it.
func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := process.Output(cmd)
	if errors.Is(err, exec.ErrNotFound) {
		err = errNoGo
	}
	return strings.TrimSpace(string(out)), err
}

// runTool prints a command and runs it. What the command prints is its error.
func runTool(ctx context.Context, w *os.File, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, os.Stderr
	cmd.Env = append(os.Environ(), "CI=true") // test runners then do not watch files
	fmt.Fprintf(w, "running %s\n", shortCommand(name, args))
	err := process.Run(cmd, process.Grace)
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{Code: ExitFindings, Err: fmt.Errorf("%s: %w", shortCommand(name, args), err)}
	}
	return err
}

// shortCommand returns a command line without the names of packages.
func shortCommand(name string, args []string) string {
	short := []string{name}
	for _, a := range args {
		if strings.Contains(a, "/") && !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, ".") {
			return strings.Join(append(short, "./..."), " ")
		}
		short = append(short, a)
	}
	return strings.Join(short, " ")
}
