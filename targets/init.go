package targets

import (
	"context"
	"os"

	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/targets/internal/target"
)

// Init adds Slipway to an existing plugin repository.
func Init(ctx context.Context,
	dir *string, // directory of the plugin (default: this directory)
	dryRun *bool, // print a diff and change nothing
	undo *bool, // restore the files that init changed
) error {
	ctx, stop := target.Interruptible(ctx)
	defer stop()
	return exit(verbs.Init(ctx, os.Stdout, verbs.InitOptions{
		Face: verbs.Mage, Dir: value(dir), DryRun: isSet(dryRun), Undo: isSet(undo),
	}))
}
