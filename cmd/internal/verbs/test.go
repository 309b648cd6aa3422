package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/progress"
)

type testOptions struct {
	Face     Face
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

// runTest runs the Go tests of a plugin repository, checks the types of its TypeScript and runs its tests.
// It prints what it did not run and why, and ends with a line that says so if no test ran.
func runTest(ctx context.Context, w *os.File, o testOptions) error {
	repo, err := FindRepo(w, o.Dir)
	if err != nil {
		return err
	}
	packages, err := goPackages(ctx, repo.Root)
	if err != nil {
		return err
	}
	ran := slices.ContainsFunc(packages, func(p goPackage) bool { return p.hasTests })
	var failed []error
	if len(packages) == 0 {
		fmt.Fprintln(w, "no Go tests: the repository has no Go packages")
	} else {
		failed = append(failed, testGo(ctx, w, repo.Root, importPaths(packages), o))
	}
	if !o.Race && !o.Coverage && hasFrontend(repo) {
		f := readFrontend(repo.Root)
		var wrong error
		if f.missing != "" && f.scripts != nil {
			wrong = checkTypes(ctx, w, o.Face, repo.Root, f.missing)
		} else {
			_, wrong = f.run(ctx, w, "types were not checked", "typecheck")
		}
		tested, err := f.run(ctx, w, "TypeScript tests did not run", "test:ci", "test") // "test" often watches files
		ran, failed = ran || tested, append(failed, wrong, err)
	}
	if !ran {
		fmt.Fprintln(w, "no tests ran")
	}
	return errors.Join(failed...)
}

// hasFrontend reports whether a plugin has a frontend, or may have one.
func hasFrontend(repo bundle.Repo) bool {
	built, err := ReadMetadata(repo.Source)
	return err != nil || built.Type == "" || built.Type.HasFrontend()
}

func testGo(ctx context.Context, w *os.File, dir string, packages []string, o testOptions) error {
	defer progress.Task{W: w, Name: "go test"}.Start()() // which is silent while it compiles
	args := []string{"test"}
	if o.Race {
		args = append(args, "-race")
	}
	if !o.Coverage {
		return runTool(ctx, w, dir, "go", append(args, packages...)...)
	}
	if err := ignore(dir, coverageDir); err != nil {
		return err
	}
	for _, name := range []string{coverageProfile, coverageText, coveragePage} {
		_ = os.Remove(filepath.Join(dir, filepath.FromSlash(name))) // the go command would write through a link
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

type goPackage struct {
	path     string // of its import
	hasTests bool
}

func importPaths(packages []goPackage) (paths []string) {
	for _, p := range packages {
		paths = append(paths, p.path)
	}
	return paths
}

// goPackages returns the Go packages of a repository, but none in node_modules or without a module.
func goPackages(ctx context.Context, dir string) (packages []goPackage, err error) {
	mod, err := goOutput(ctx, dir, "env", "GOMOD")
	if err != nil || mod == "" || mod == os.DevNull {
		return nil, err
	}
	out, err := goOutput(ctx, dir, "list", "-f", "{{.ImportPath}} {{or .TestGoFiles .XTestGoFiles}}", "./...")
	if err != nil {
		return nil, errors.New("list Go packages: " + build.ExplainGo(dir, err.Error()))
	}
	for line := range strings.Lines(out) {
		name, tests, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "" && !strings.Contains(name, "/node_modules/") {
			packages = append(packages, goPackage{name, tests != "[]"})
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
