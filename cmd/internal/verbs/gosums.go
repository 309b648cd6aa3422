package verbs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// runGoSums writes the list of Go files into dist. A build does so by itself if the profile is that of
// Grafana; other builds set the file aside, since it is not one of their own.
func runGoSums(w io.Writer, dir string) error {
	repo, err := FindRepo(w, dir)
	if err != nil {
		return err
	}
	dist, err := atomicfile.Below(repo.Root, bundle.DistDir)
	if err == nil {
		err = os.MkdirAll(dist, 0o755)
	}
	if err != nil {
		return err
	}
	file := filepath.Join(dist, build.GoSumsFile)
	if err := atomicfile.Write(file, 0o644, func(w io.Writer) error { return build.WriteGoSums(w, repo.Root) }); err != nil {
		return err
	}
	fmt.Fprintf(w, "wrote %s\n", shortPath(file))
	return nil
}
