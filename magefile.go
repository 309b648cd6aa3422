//go:build mage

// The targets of this repository: those that every plugin repository has, and
// those that only Slipway itself needs. "go tool mage" lists them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/internal/demo"
	"github.com/slipway-dev/slipway/internal/newrule"
	"github.com/slipway-dev/slipway/internal/testdb"

	//mage:import
	_ "github.com/slipway-dev/slipway/targets"
)

// Demo runs the main job from an empty folder to a served plugin; -once exits after checking it.
func Demo(ctx context.Context, once *bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return demo.Run(ctx, os.Stdout, demo.Options{Once: once != nil && *once})
}

// Test passes all tests, under the race detector where there is a C compiler, those of the host on PostgreSQL too where it is installed; -run=Name picks some.
func Test(ctx context.Context, run *string) error {
	args := []string{"test", "-vet=off"} // lint vets; under the race detector that would analyse every dependency again
	if _, err := exec.LookPath("gcc"); err == nil {
		args = append(args, "-race")
	} else {
		fmt.Println("no gcc on the PATH: testing without the race detector")
	}
	if run != nil {
		args = append(args, "-run="+*run)
	}
	if _, err := testdb.Bin(); err == nil {
		fmt.Println("the host on PostgreSQL:")
		without := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-race" }) // the same code as below
		cmd := exec.CommandContext(ctx, "go", append(without, "./host/store", "./host/api", "./cmd/slipway")...)
		cmd.Env = append(os.Environ(), testdb.Env+"=postgres")
		if err := start(cmd); err != nil {
			return err
		}
		fmt.Println("everything, the host on SQLite:")
	} else {
		fmt.Println("testing the host on SQLite only:", err)
	}
	return command(ctx, "go", append(args, "./...")...)
}

// Lint runs go vet, staticcheck and a check of the formatting.
func Lint(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "gofmt", "-l", ".").Output()
	if err == nil && len(out) > 0 {
		err = fmt.Errorf("gofmt would change:\n%s", out)
	}
	return errors.Join(err,
		command(ctx, "go", "vet", "-tags=mage,e2e", "./..."),
		command(ctx, "go", "tool", "-modfile=tools/go.mod", "staticcheck", "-tags=mage,e2e", "./..."),
	)
}

// Bench prints what validate and the host can do, beside targets and peers; -all then runs every benchmark there is.
func Bench(ctx context.Context, all *bool) error {
	err := command(ctx, "go", "test", "./cmd/slipway", "-run=^$", "-bench=^BenchmarkFigures$", "-benchtime=1x")
	if err != nil || all == nil || !*all {
		return err
	}
	return command(ctx, "go", "test", "-run=^$", "-bench=.", "-benchmem", "./...")
}

// Templates brings go.mod and go.sum of the scaffolds in line with this module; run it after go get.
func Templates(ctx context.Context) error {
	return command(ctx, "go", "test", "./templates", "-run=TestModules", "-update")
}

// Docs writes doc/rules.md from the rules and their examples.
func Docs(ctx context.Context) error {
	return command(ctx, "go", "test", "./validate/rulebook", "-run=TestDocument", "-update")
}

// Rule holds the targets of those who write rules.
type Rule mg.Namespace

// New writes the files of a new rule, to be filled in: go tool mage rule:new path-missing.
func (Rule) New(id string) error {
	files, err := newrule.Write("validate/rules", id)
	if err != nil {
		return mg.Fatal(2, err)
	}
	for _, f := range files {
		fmt.Println("wrote", f)
	}
	fmt.Printf("Next, document the rule, complete its example, mark the place of each finding in bad/ with « and »,\n"+
		"and let the tests write the findings:\n"+
		"  go test ./validate/rules -run=TestExamples/%s -update\n  go tool mage docs\n", id)
	return nil
}

// E2e runs the end-to-end script: real processes, from scaffold to a killed host.
func E2e(ctx context.Context, platforms *string) error {
	args := []string{"test", "-count=1", "-tags=e2e", "-v", "./internal/e2e"}
	if platforms != nil {
		args = append(args, "-platforms="+*platforms)
	}
	return command(ctx, "go", args...)
}

func command(ctx context.Context, name string, args ...string) error {
	return start(exec.CommandContext(ctx, name, args...))
}

// start runs a command on our own output, and fails with its status.
func start(cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return mg.Fatalf(ended.ExitCode(), "%s %s ended with status %d", filepath.Base(cmd.Path), cmd.Args[1], ended.ExitCode())
	}
	return err
}
