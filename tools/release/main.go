// Command release prepares the files of a release of Slipway in dist/release: an
// archive per platform, an SBOM, the release notes and the checksums. The same commit
// produces the same files. It publishes nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	isDry := flag.Bool("dry", false, "release a commit without a tag, or with changes")
	flag.Parse()
	if err := run(ctx, *isDry); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, isDry bool) error {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	r := release{
		root: root, out: filepath.Join(root, "dist", "release"), isDry: isDry, progress: os.Stdout,
		platforms: []platform{
			{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "arm"},
			{"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
		},
	}
	files, err := r.prepare(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\nprepared %d files of %s in %s\n", len(files), r.version, r.out)
	if !isDry {
		fmt.Printf("to publish them, run\n\n  gh release create %s --verify-tag --title=%[1]s --notes-file=dist/release/%s "+
			"dist/release/slipway_* dist/release/%s\n",
			r.version, notesFile, sumsFile)
	}
	return nil
}
