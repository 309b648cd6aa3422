// Code generated from the table of cmd/internal/verbs by "go tool mage docs"; DO NOT EDIT.

package workflow

import (
	"context"

	"github.com/slipway-dev/slipway/targets/internal/program"
)

// New asks for the type, the id and the other options of a plugin repository, and creates it.
func (Scaffold) New(ctx context.Context,
	dir *string, // directory to create (default: the id)
	force *bool, // write into a directory that is not empty, and list the files overwritten
) error {
	return program.Mage(ctx, "scaffold", nil,
		program.Option("dir", dir),
		program.Option("force", force),
	)
}

// List lists the types of plugins that scaffold creates, the profiles and the backends.
func (Scaffold) List(ctx context.Context) error {
	return program.Mage(ctx, "scaffold", nil,
		"--list",
	)
}

// Update brings the files of a scaffold up to date.
func (Scaffold) Update(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
	dryRun *bool, // print a diff and change nothing
) error {
	return program.Mage(ctx, "scaffold update", nil,
		program.Option("dir", dir),
		program.Option("dry-run", dryRun),
	)
}

// Test runs the tests of a plugin repository.
func Test(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
	race *bool, // detect data races
	coverage *bool, // write coverage reports to the directory coverage
) error {
	return program.Mage(ctx, "test", nil,
		program.Option("dir", dir),
		program.Option("race", race),
		program.Option("coverage", coverage),
	)
}

// TestRace runs the Go tests with the race detector.
func TestRace(ctx context.Context) error {
	return program.Mage(ctx, "test", nil,
		"--race",
	)
}

// Race runs the Go tests with the race detector.
func (TEST) Race(ctx context.Context) error {
	return program.Mage(ctx, "test", nil,
		"--race",
	)
}

// Coverage runs the Go tests and writes coverage/backend.html.
func Coverage(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
) error {
	return program.Mage(ctx, "test", nil,
		"--coverage",
		program.Option("dir", dir),
	)
}

// Lint checks the code of a plugin repository.
func Lint(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
) error {
	return program.Mage(ctx, "lint", nil,
		program.Option("dir", dir),
	)
}

// Format formats the Go files of a plugin repository.
func Format(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
) error {
	return program.Mage(ctx, "format", nil,
		program.Option("dir", dir),
	)
}

// Clean removes what builds and tests wrote.
func Clean(ctx context.Context,
	dir *string, // plugin repository (default: that of this directory)
) error {
	return program.Mage(ctx, "clean", nil,
		program.Option("dir", dir),
	)
}

// Watch runs the plugin in a host and rebuilds it when files change, as dev does.
func Watch(ctx context.Context) error {
	return program.Mage(ctx, "dev", nil)
}
