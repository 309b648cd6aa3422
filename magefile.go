//go:build mage

// The targets for the development of Slipway. Those of plugin repositories are in targets/, which this
// module must not require; here, "go run ./cmd/slipway" runs their verbs.
package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/demo"
	"github.com/slipway-dev/slipway/internal/newrule"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testrun"
)

// Demo takes a plugin from an empty directory to a running host.
func Demo(ctx context.Context,
	once *bool, // stop the host and exit after the last step
) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return demo.Run(ctx, os.Stdout, demo.Options{Once: once != nil && *once})
}

// slowest are the packages whose tests take longest. They start first: the last of them
// would otherwise run alone at the end.
var slowest = []string{
	"./loader", "./host/api", "./cmd/slipway", "./cmd/slipway-host", "./internal/bench", "./host/store", "./host/server", "./validate", "./build",
	"./templates", "./internal/adopt", // without concurrency
}

// raceFlags are the flags of builds for the race detector. It skips SQLite's translated C code and
// the compression of archives, which would take most of the time of some tests. A package with
// generics or atomic operations cannot be skipped: the linker may use its instances for all
// packages, and the detector then reports false races.
var raceFlags = []string{
	"-race", "-gcflags=modernc.org/sqlite/lib=-race=false " + compilerFlags, "-gcflags=compress/flate=-race=false " + compilerFlags,
}

var compilerFlags = strings.TrimPrefix(build.CompilerFlags, "-gcflags=all=")

// Test runs all tests, with the race detector for packages that use concurrency.
// Without gcc, no test runs with the race detector. If PostgreSQL is installed, the
// tests of the store run on it as well as on SQLite.
func Test(ctx context.Context,
	run *string, // run only the tests whose names match this regular expression
	short *bool, // repeat what happens at random moments fewer times
	compile *bool, // only compile the packages for the race detector
) error {
	packages, err := listPackages(ctx)
	if err != nil {
		return err
	}
	concurrent, sequential := sortPackages(packages)
	race := testrun.Run{
		Flags:    raceFlags,
		Packages: concurrent,
		// By default, a program waits a second for more races before it exits.
		Env: []string{"CGO_ENABLED=1", "GORACE=atexit_sleep_ms=100"},
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		fmt.Println("gcc not found: running all tests without the race detector")
		race.Flags, race.Env = nil, nil
	}
	if compile != nil && *compile {
		cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-export", "-deps", "-test", "-f="}, race.Flags, concurrent)...)
		cmd.Env, cmd.Stderr = append(os.Environ(), race.Env...), os.Stderr // it prints a line for each package
		return cmd.Run()
	}
	flags := []string{
		"-vet=off", // lint runs go vet
		// Many tests wait for processes: two extra packages at a time keep every processor busy.
		fmt.Sprintf("-p=%d", runtime.GOMAXPROCS(0)+2),
	}
	if run != nil {
		flags = append(flags, "-run="+*run)
	}
	if short != nil && *short {
		flags = append(flags, "-short")
	}
	race.Flags = slices.Concat(race.Flags, flags)
	others := testrun.Run{Flags: flags, Packages: sequential}
	if servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(servers) == 0 { // Debian does not add them to the PATH
		fmt.Println("PostgreSQL is not installed: running the tests of the store on SQLite only")
	} else {
		others.Packages, others.Env = append([]string{"./host/store"}, sequential...), []string{"SLIPWAY_TEST_DATABASE=postgres"}
		others.Labels = map[string]string{"host/store": "on PostgreSQL"}
	}
	return tests(ctx, race, others,
		testrun.Run{Flags: slices.Concat([]string{"-C=tools"}, flags), Packages: []string{"./release"}},
		testrun.Run{Flags: slices.Concat([]string{"-C=targets"}, flags), Packages: []string{"./..."}})
}

// listPackages returns the packages of this module with what they and their tests
// import.
func listPackages(ctx context.Context) (imports map[string][]string, err error) {
	const format = `{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}`
	out, err := exec.CommandContext(ctx, "go", "list", "-f", format, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	imports = map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		imports["."+strings.TrimPrefix(words[0], origin.Module)] = words[1:]
	}
	return imports, nil
}

// sortPackages returns the packages that use concurrency, and the others, each in the order in
// which they start. A package uses concurrency if
// it imports sync, errgroup or net/http, whose handlers run concurrently.
func sortPackages(imports map[string][]string) (concurrent, sequential []string) {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(imports)), func(path string) bool { return slices.Contains(slowest, path) })
	for _, path := range slices.Concat(slowest, others) {
		if slices.ContainsFunc(imports[path], func(imported string) bool {
			return slices.Contains([]string{"sync", "sync/atomic", "golang.org/x/sync/errgroup", "net/http"}, imported)
		}) {
			concurrent = append(concurrent, path)
		} else {
			sequential = append(sequential, path)
		}
	}
	return concurrent, sequential
}

// tests runs go test. If tests fail, it exits with the status of go test: Mage would
// print an error after the summary.
func tests(ctx context.Context, runs ...testrun.Run) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := testrun.New(os.Stdout, origin.Module)
	for _, run := range runs {
		if err := r.Run(ctx, run); err != nil {
			r.Finish()
			return err
		}
	}
	if status := r.Finish(); status != 0 {
		os.Exit(status)
	}
	return nil
}

// E2e runs the end-to-end tests, which use real processes.
func E2e(ctx context.Context,
	platforms *string, // platforms to build for (default: all)
	short *bool, // repeat what happens at random moments fewer times, and scaffold fewer profiles
	wine *bool, // run slipway.exe and a Windows backend under Wine instead
) error {
	run := testrun.Run{Flags: []string{"-count=1", "-vet=off", "-tags=e2e"}, Packages: []string{"./internal/e2e"}, Verbose: true}
	if short != nil && *short {
		run.Flags = append(run.Flags, "-short")
	}
	if wine != nil && *wine {
		run.Flags, run.Env = append(run.Flags, "-run=^TestWine$"), []string{"SLIPWAY_E2E_WINE=1"}
	}
	if platforms != nil {
		run.Args = []string{"-platforms=" + *platforms}
	}
	return tests(ctx, run)
}

// Lint runs gofmt, go vet and staticcheck. The tests check types for other systems.
func Lint(ctx context.Context,
	all *bool, // run go vet for Windows, macOS and FreeBSD as well, which takes minutes with an empty build cache
) error {
	var systems []string
	if all != nil && *all {
		systems = []string{"windows", "darwin", "freebsd"}
	}
	out, err := exec.CommandContext(ctx, "gofmt", "-l", ".").Output()
	if err == nil && len(out) > 0 {
		err = fmt.Errorf("not formatted by gofmt:\n%s", out)
	}
	return errors.Join(err,
		command(ctx, "go", "vet", "-tags=mage,e2e", "./..."),
		command(ctx, "go", "vet", "-C=tools", "./release"),
		command(ctx, "go", "vet", "-C=targets", "./..."),
		vetOthers(ctx, systems),
		// "go tool" would ignore GOFLAGS and compile the standard library again.
		command(ctx, "go", "run", "-modfile=tools/go.mod", "honnef.co/go/tools/cmd/staticcheck", "-tags=mage,e2e", "./..."),
		command(ctx, "go", "run", "-C=targets", "-modfile=../tools/go.mod", "honnef.co/go/tools/cmd/staticcheck", "./..."),
	)
}

// vetOthers runs go vet for other systems on the packages whose code depends on the system, except
// those that need the database: go vet compiles what they import, and SQLite takes minutes.
// Builds of releases compile everything.
func vetOthers(ctx context.Context, systems []string) error {
	const format = `{{.ImportPath}};{{len .IgnoredGoFiles}};{{join .Imports " "}};{{join .Deps " "}}`
	out, err := exec.CommandContext(ctx, "go", "list", "-tags=e2e", "-f", format, "./...").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	args := []string{"vet", "-tags=e2e", "-trimpath", build.CompilerFlags} // as plugins are built: what both need is compiled once
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), ";")
		imports, dependencies := strings.Fields(fields[2]), strings.Fields(fields[3])
		if (fields[1] != "0" || slices.Contains(imports, "syscall")) && !slices.Contains(dependencies, "modernc.org/sqlite") {
			args = append(args, "."+strings.TrimPrefix(fields[0], origin.Module))
		}
	}
	var errs []error
	for _, system := range systems {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"), os.Stdout, os.Stderr
		stop := progress.Task{W: os.Stdout, Name: "go vet for " + system}.Start()
		if err := cmd.Run(); err != nil {
			errs = append(errs, fmt.Errorf("go vet for %s: %w", system, err))
		}
		stop()
	}
	return errors.Join(errs...)
}

// Bench measures validate, plugins and the host, and prints a table.
func Bench(ctx context.Context,
	check *bool, // fail if a figure misses its bound in two measurements
	all *bool, // then run all benchmarks
	build *bool, // compare mage build with Grafana's SDK instead, which takes ten minutes
) error {
	benchmark := "^BenchmarkFigures$"
	if build != nil && *build {
		benchmark = "^BenchmarkBuild$"
	}
	args := []string{"test", "./internal/bench", "-vet=off", "-run=^$", "-bench=" + benchmark, "-benchtime=1x", "-timeout=30m"}
	if check != nil && *check {
		args = append(args, "-args", "-check")
	}
	err := command(ctx, "go", args...)
	if err != nil || all == nil || !*all {
		return err
	}
	return command(ctx, "go", "test", "-run=^$", "-bench=.", "-benchmem", "./...")
}

// Release prepares the files of a release in dist/release. HEAD must be a clean,
// tagged commit.
func Release(ctx context.Context,
	dry *bool, // accept uncommitted changes and a commit without a tag
) error {
	args := []string{"run", "-C=tools", "./release"}
	if dry != nil && *dry {
		args = append(args, "-dry")
	}
	return command(ctx, "go", args...)
}

// Templates updates go.mod and go.sum of the scaffolds after go get.
func Templates(ctx context.Context) error {
	return command(ctx, "go", "test", "./templates", "-run=TestModules", "-update")
}

// Docs writes the generated documents and tables: rules, commands and their Mage functions, failures,
// limits, and what the host serves.
func Docs(ctx context.Context) error {
	return errors.Join(
		command(ctx, "go", "test", "./validate/rulebook", "-run=TestDocument", "-update"),
		command(ctx, "go", "test", "./bundle", "-run=TestFailuresDocument", "-update"),
		command(ctx, "go", "test", "./cmd/slipway", "-run=TestCommandsDocument", "-update"),
		command(ctx, "go", "test", "./host/gate", "-run=TestLimits", "-update"),
		command(ctx, "go", "test", "./internal/verbs", "-run=TestMageFunctions", "-update"),
		command(ctx, "go", "test", "./host/api", "-run=TestCompatibilityDocument", "-update"))
}

// Rule contains the targets for writing rules.
type Rule mg.Namespace

// New writes the files of a new rule, such as: mage rule:new path-missing.
func (Rule) New(id string) error {
	files, err := newrule.Write("validate/rules", id)
	if err != nil {
		return mg.Fatal(2, err)
	}
	for _, f := range files {
		fmt.Println("wrote", f)
	}
	fmt.Printf("Next, document the rule, complete its example, mark the position of each finding in bad/ with « and »,\n"+
		"and let the tests write the findings:\n"+
		"  go test ./validate/rules -run=TestExamples/%s -update\n  go tool mage docs\n", id)
	return nil
}

// command runs a command, and prints the elapsed time while it runs. It fails with the
// exit status of the command.
func command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	stop := progress.Task{W: os.Stdout, Name: name + " " + strings.Join(words, " ")}.Start()
	err := cmd.Run()
	stop()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return mg.Fatalf(exit.ExitCode(), "%s %s: exit status %d", name, args[0], exit.ExitCode())
	}
	return err
}
