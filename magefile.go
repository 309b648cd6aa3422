//go:build mage

// The targets for the development of Slipway. Those of plugin repositories are in targets/, which this
// module must not require; scaffold, validate and build run the same verbs from source.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Test runs all tests with the race detector, which needs gcc. If PostgreSQL is installed, the tests
// of the store also run on it.
func Test(ctx context.Context,
	run *string, // run only the tests whose names match this regular expression
	short *bool, // repeat what happens at random moments fewer times
) error {
	flags := []string{"-vet=off", "-timeout=60m"} // lint runs go vet; a busy machine needs longer than ten minutes
	if run != nil {
		flags = append(flags, "-run="+*run)
	}
	if short != nil && *short {
		flags = append(flags, "-short")
	}
	race := []string{"-race", "-gcflags=modernc.org/sqlite/lib=-race=false"} // the translated C code takes minutes otherwise
	if _, err := exec.LookPath("gcc"); err != nil {
		fmt.Println("gcc not found: running all tests without the race detector")
		race = nil
	}
	errs := []error{
		command(ctx, "go", "mod", "tidy", "-diff"), // it also downloads what the tests of scaffolds need offline
		gotestsum(ctx, "tools", nil, append(flags, "./release")),
		gotestsum(ctx, "tools/generate", nil, append(flags, "./...")),
		gotestsum(ctx, "targets", nil, append(flags, "./...")),
		command(ctx, "go", "-C=testdata/existing", "mod", "tidy", "-diff"),
		gotestsum(ctx, "testdata/existing", nil, append(flags, "./frames")),
	}
	if servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(servers) == 0 { // Debian does not add them to the PATH
		fmt.Println("PostgreSQL is not installed: running the tests of the store on SQLite only")
	} else {
		errs = append(errs, gotestsum(ctx, ".", []string{"SLIPWAY_TEST_DATABASE=postgres"}, append(flags, "./host/store")))
	}
	return errors.Join(append(errs, gotestsum(ctx, ".", nil, append(slices.Concat(race, flags), "./...")))...)
}

// Scaffold writes a new plugin repository, as slipway scaffold does.
func Scaffold(ctx context.Context, kind, id string,
	dir *string, // directory to create (default: the id)
) error {
	return slipway(ctx, []string{"scaffold", kind, id}, "--dir=", dir)
}

// Validate checks plugins, as slipway validate does.
func Validate(ctx context.Context,
	path *string, // a plugin repository, a directory of plugins, or a zip (default: examples)
) error {
	if path == nil {
		path = new("examples")
	}
	return slipway(ctx, []string{"validate"}, "", path)
}

// Build builds a plugin, as slipway build does.
func Build(ctx context.Context,
	dir *string, // the plugin repository (default: examples/datasource)
) error {
	if dir == nil {
		dir = new("examples/datasource")
	}
	return slipway(ctx, []string{"build"}, "--dir=", dir)
}

// slipway runs a verb from source, with an option if that has a value.
func slipway(ctx context.Context, args []string, option string, value *string) error {
	if value != nil {
		args = append(args, option+*value)
	}
	return command(ctx, "go", append([]string{"run", "./cmd/slipway"}, args...)...)
}

// gotestsum runs go test in a module, and prints a line for each package, and what failed.
func gotestsum(ctx context.Context, dir string, env, args []string) error {
	modfile, err := filepath.Abs("tools/go.mod")
	if err != nil {
		return err
	}
	run := []string{"run", "-C=" + dir, "-modfile=" + modfile, "gotest.tools/gotestsum", "--format=pkgname", "--format-hide-empty-pkg", "--"}
	return commandEnv(ctx, env, "go", slices.Concat(run, args)...)
}

// E2e runs the end-to-end tests, which use real processes.
func E2e(ctx context.Context,
	platforms *string, // platforms to build for (default: all)
	short *bool, // repeat what happens at random moments fewer times, and scaffold fewer profiles
	wine *bool, // run slipway.exe and a Windows backend under Wine instead
) error {
	var env, args []string
	flags := []string{"-count=1", "-vet=off", "-tags=e2e", "-v", "-timeout=60m"}
	if short != nil && *short {
		flags = append(flags, "-short")
	}
	if wine != nil && *wine {
		env, flags = append(env, "SLIPWAY_E2E_WINE=1"), append(flags, "-run=^TestWine$")
	}
	if platforms != nil {
		args = []string{"-args", "-platforms=" + *platforms}
	}
	return commandEnv(ctx, env, "go", slices.Concat([]string{"test"}, flags, []string{"./internal/e2e"}, args)...)
}

// Page type-checks and tests the page of the preview, with its packages from npm in .slipway/page: Go
// would take some of their files for its own elsewhere. It fails without npm, since it checks nothing else.
func Page(ctx context.Context) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("npm not found: the preview's page was not checked; install Node.js 20.18 or later, which comes with npm")
	}
	dir := filepath.Join(".slipway", "page")
	for _, sources := range []string{"src", "test"} { // without files that are deleted by now
		if err := os.RemoveAll(filepath.Join(dir, sources)); err != nil {
			return err
		}
		if err := os.CopyFS(filepath.Join(dir, sources), os.DirFS(filepath.Join("preview", "page", sources))); err != nil {
			return err
		}
	}
	for _, name := range []string{"package.json", "tsconfig.json"} {
		text, err := os.ReadFile(filepath.Join("preview", "page", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"}, {"run", "check-format"}, {"run", "typecheck"}, {"test"},
	} {
		if err := command(ctx, "npm", append([]string{"--prefix=" + dir}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// Lint runs gofmt, go vet and staticcheck, and checks types for every platform of a release.
func Lint(ctx context.Context,
	all *bool, // run go vet for Windows, macOS, FreeBSD and 32-bit ARM as well, which takes minutes for each
) error {
	out, err := exec.CommandContext(ctx, "gofmt", "-l", ".").Output()
	if err == nil && len(out) > 0 {
		err = fmt.Errorf("not formatted by gofmt:\n%s", out)
	}
	var others []error
	if all != nil && *all {
		for _, platform := range []string{"windows/amd64", "darwin/arm64", "freebsd/amd64", "linux/arm"} {
			system, arch, _ := strings.Cut(platform, "/")
			env := []string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0"}
			others = append(others, commandEnv(ctx, env, "go", "vet", "-tags=e2e", "./..."))
		}
	}
	return errors.Join(err, errors.Join(others...),
		command(ctx, "go", "vet", "-tags=mage,e2e,platforms", "./..."),
		command(ctx, "go", "vet", "-C=tools", "./release"),
		command(ctx, "go", "vet", "-C=tools/generate", "./..."),
		command(ctx, "go", "vet", "-C=targets", "./..."),
		command(ctx, "go", "vet", "-C=testdata/existing", "./..."),
		command(ctx, "go", "test", "-vet=off", "-tags=platforms", "-run=^TestPlatforms$", "./internal/arch"),
		command(ctx, "go", "run", "-modfile=tools/go.mod", "honnef.co/go/tools/cmd/staticcheck", "-tags=mage,e2e,platforms", "./..."),
		command(ctx, "go", "run", "-C=targets", "-modfile=../tools/go.mod", "honnef.co/go/tools/cmd/staticcheck", "./..."),
	)
}

// Bench measures validate, plugins and the host, and prints a table.
func Bench(ctx context.Context,
	check *bool, // fail if a figure misses its bound in two measurements
	all *bool, // then run all benchmarks
) error {
	args := []string{"test", "./internal/bench", "-vet=off", "-run=^$", "-bench=^BenchmarkFigures$", "-benchtime=1x", "-timeout=30m"}
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
	platforms *string, // build for these platforms only, to try it
) error {
	list := []string{}
	for _, p := range bundle.AllPlatforms() {
		list = append(list, p.String())
	}
	args := []string{"run", "-C=tools", "./release"}
	if dry != nil && *dry {
		args = append(args, "-dry")
	}
	if platforms != nil {
		list = []string{*platforms}
	}
	return command(ctx, "go", append(args, "-platforms="+strings.Join(list, ","))...)
}

// Templates updates go.mod, go.sum and package-lock.json of the scaffolds, after go get or an edit of
// package.json. It needs npm.
func Templates(ctx context.Context) error {
	return command(ctx, "go", "test", "./templates", "-run=TestModules|TestLockfile", "-update")
}

// Docs writes the generated documents and tables: rules, commands and their Mage functions, failures,
// limits, and what the host serves.
func Docs(ctx context.Context) error {
	return errors.Join(
		command(ctx, "go", "test", "./validate/rulebook", "-run=TestDocument", "-update"),
		command(ctx, "go", "test", "./bundle", "-run=TestFailuresDocument", "-update"),
		command(ctx, "go", "test", "./cmd/slipway", "-run=TestCommandsDocument", "-update"),
		command(ctx, "go", "test", "./host/gate", "-run=TestLimits", "-update"),
		command(ctx, "go", "test", "./cmd/internal/verbs", "-run=TestMageFunctions", "-update"),
		command(ctx, "go", "test", "./host/api", "-run=TestCompatibilityDocument", "-update"))
}

// Libraries writes the table of the names that the libraries of hosts export, with the minor versions that
// the registry has since the last time. It needs npm and the registry.
func Libraries(ctx context.Context) error {
	return command(ctx, "go", "run", "-C=tools/generate", "./libraries")
}

// PreviewLocks resolves the libraries of the preview again with npm, for all minor versions.
func PreviewLocks(ctx context.Context) error {
	return command(ctx, "go", "run", "-C=tools/generate", "./relock")
}

// Pictures takes the pictures of the console in doc/pictures again, which needs Chromium.
func Pictures(ctx context.Context) error {
	return command(ctx, "go", "test", "-count=1", "-vet=off", "-tags=e2e", "-run=^TestPictures$", "./internal/e2e", "-args", "-update")
}

// command runs a command, prints the time meanwhile, and fails with its exit status.
func command(ctx context.Context, name string, args ...string) error {
	return commandEnv(ctx, nil, name, args...)
}

// commandEnv is command with more environment variables.
func commandEnv(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	stop := progress.Task{W: os.Stdout, Name: name + " " + strings.Join(words[:min(len(words), 3)], " ")}.Start()
	err := cmd.Run()
	stop()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return mg.Fatalf(exit.ExitCode(), "%s %s: exit status %d", name, args[0], exit.ExitCode())
	}
	return err
}
