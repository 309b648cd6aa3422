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
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	isDry := flag.Bool("dry", false, "release a commit without a tag, or with changes")
	platforms := flag.String("platforms", "", "comma-separated `list` of os/arch to build for")
	flag.Parse()
	if err := run(ctx, *isDry, *platforms); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, isDry bool, platforms string) error {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	r := release{root: root, out: filepath.Join(root, "dist", "release"), isDry: isDry, progress: os.Stdout}
	for name := range strings.SplitSeq(platforms, ",") {
		system, arch, ok := strings.Cut(name, "/")
		if !ok {
			return fmt.Errorf("-platforms: %q is not a platform such as linux/arm64", name)
		}
		r.platforms = append(r.platforms, platform{system, arch})
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
