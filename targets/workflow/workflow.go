// Package workflow contains Mage targets under the names that workflows of plugins use,
// which are those of Grafana's SDK. A magefile imports them in addition to package
// targets, unless it imports the targets of that SDK:
//
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets"
//	//mage:import
//	_ "github.com/slipway-dev/slipway/targets/workflow"
//
// The packages are separate because Mage refuses two targets of the same name.
package workflow

import (
	"context"
	"os"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/targets/internal/target"
	"github.com/slipway-dev/slipway/templates"
)

// Test runs the Go tests, and the TypeScript tests if their packages are installed.
func Test(ctx context.Context,
	dir *string, // plugin repository (default: this directory)
) error {
	return run(ctx, func(ctx context.Context) error {
		return verbs.Test(ctx, os.Stdout, verbs.TestOptions{Dir: target.Value(dir)})
	})
}

// TestRace runs the Go tests with the race detector.
func TestRace(ctx context.Context) error {
	return run(ctx, func(ctx context.Context) error {
		return verbs.Test(ctx, os.Stdout, verbs.TestOptions{Race: true})
	})
}

// TEST contains the variants of the target test. Mage ignores case; the name Test is taken.
type TEST mg.Namespace

// Race runs the Go tests with the race detector.
func (TEST) Race(ctx context.Context) error { return TestRace(ctx) }

// Coverage runs the Go tests and writes coverage/backend.html.
func Coverage(ctx context.Context,
	dir *string, // plugin repository (default: this directory)
) error {
	return run(ctx, func(ctx context.Context) error {
		return verbs.Test(ctx, os.Stdout, verbs.TestOptions{Dir: target.Value(dir), Coverage: true})
	})
}

// Lint runs go vet, and golangci-lint or staticcheck if the repository uses them.
func Lint(ctx context.Context,
	dir *string, // plugin repository (default: this directory)
) error {
	return run(ctx, func(ctx context.Context) error { return verbs.Lint(ctx, os.Stdout, target.Value(dir)) })
}

// Format formats the Go files.
func Format(
	dir *string, // plugin repository (default: this directory)
) error {
	return target.Exit(verbs.Format(os.Stdout, target.Value(dir)))
}

// Clean removes dist, coverage and the record of the last build.
func Clean(ctx context.Context,
	dir *string, // plugin repository (default: this directory)
) error {
	return run(ctx, func(ctx context.Context) error { return verbs.Clean(ctx, os.Stdout, target.Value(dir)) })
}

// Watch runs the plugin in a host and rebuilds it when files change, as dev does.
func Watch(ctx context.Context) error {
	return target.Slipway(ctx, "dev", nil)
}

// Scaffold contains the targets for repositories that scaffold created.
type Scaffold mg.Namespace

// New asks for the type, the id and the other options of a plugin repository, and creates it.
func (Scaffold) New(ctx context.Context,
	dir *string, // directory to create (default: the id)
	force *bool, // write into a directory that is not empty, and list the files overwritten
) error {
	return run(ctx, func(ctx context.Context) error {
		return verbs.Scaffold(ctx, os.Stdout, verbs.ScaffoldOptions{
			Face: verbs.Mage, Ask: true, In: verbs.Terminal(os.Stdin),
			Options: templates.Options{Dir: target.Value(dir), Force: force != nil && *force},
		})
	})
}

// List lists the types of plugins that scaffold creates, the profiles and the backends.
func (Scaffold) List(ctx context.Context) error {
	return run(ctx, func(ctx context.Context) error {
		return verbs.Scaffold(ctx, os.Stdout, verbs.ScaffoldOptions{Face: verbs.Mage, List: true})
	})
}

// Update brings the files of a scaffold that the templates maintain up to date.
func (Scaffold) Update(ctx context.Context,
	dir *string, // plugin repository (default: this directory)
	dryRun *bool, // print a diff and change nothing
) error {
	return run(ctx, func(ctx context.Context) error {
		return verbs.Update(ctx, os.Stdout, verbs.UpdateOptions{Dir: target.Value(dir), DryRun: dryRun != nil && *dryRun})
	})
}

// run runs a verb until it ends or is interrupted.
func run(ctx context.Context, verb func(context.Context) error) error {
	ctx, stop := target.Interruptible(ctx)
	defer stop()
	return target.Exit(verb(ctx))
}
