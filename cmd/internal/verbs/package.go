package verbs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/version"
)

// releaseDir is where Package writes by default, in the plugin repository.
const releaseDir = "release"

type packageOptions struct {
	Face  Face
	Dir   string   // the plugin repository; "" is the current directory
	Paths []string // plugin repositories; nil is that of Dir
	All   bool     // every plugin repository at Paths, or at Dir, and below
	Out   string   // directory for the files; "" is "release" in the repository
}

func runPackage(ctx context.Context, w *os.File, o packageOptions) error {
	dirs, err := reposAt(o.Face, o.All, o.Dir, o.Paths)
	if err != nil {
		return err
	}
	packed := map[string]string{} // the directories of the plugins in Out, by the id
	return each(ctx, w, "package", dirs, func(dir string) error {
		o.Dir = dir
		return packOne(ctx, w, o, packed)
	})
}

// packOne packs the built plugin of a repository into zips with checksums and an SBOM, and lists them on w. It refuses a
// plugin whose zip has errors. Files of other versions stay.
func packOne(ctx context.Context, w *os.File, o packageOptions, packed map[string]string) error {
	started := time.Now()
	repo, err := FindRepo(w, o.Dir)
	if err != nil {
		return err
	}
	isOwn := o.Out == ""
	if isOwn {
		if o.Out, err = atomicfile.Below(repo.Root, releaseDir); err != nil {
			return fmt.Errorf("package: %w", err)
		}
	}
	options := archive.Options{ToolVersion: version.Current()}
	built, err := ReadMetadata(repo.Dist)
	if err == nil {
		options.Time, err = time.Parse(time.DateOnly, built.Info.Updated) // that of the commit
	}
	if err != nil {
		return o.Face.notBuilt("package", err)
	}
	if other, ok := packed[built.ID]; ok && !isOwn {
		return Usage("package: the zips of %s would replace those of %s, which has the same id %s", shortPath(repo.Root), other, built.ID)
	}
	packed[built.ID] = shortPath(repo.Root)
	_, err = os.Stat(filepath.Join(repo.Dist, "module.js"))
	if errors.Is(err, fs.ErrNotExist) && built.NeedsFrontend(len(bundle.ReposBelow(repo.Dist)) > 0) {
		return fmt.Errorf("package: dist has no module.js, which a plugin of type %s needs; build the whole plugin with %s", built.Type,
			o.Face.Verb("build"))
	}
	_, err = os.Stat(o.Out)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return fmt.Errorf("package: %w", err)
	}
	// What is refused must not replace what was packed before.
	if options.Out, err = os.MkdirTemp(o.Out, ".slipway-package-"); err != nil {
		return fmt.Errorf("package: %w", err)
	}
	defer func() {
		_ = os.RemoveAll(options.Out)
		if isNew {
			_ = os.Remove(o.Out) // which fails if something was packed
		}
	}()
	stop := progress.Task{W: w, IsTerminal: isTerminal(w), Name: "packing"}.Start()
	files, err := archive.Pack(ctx, repo.Dist, options)
	for _, file := range files {
		if err == nil && file.Sums != nil {
			err = checkZip(ctx, o.Face, repo, file.Path, built.ID)
		}
	}
	for _, file := range files {
		for _, name := range append(file.Sums, file.Path) {
			if err == nil {
				err = os.Rename(name, filepath.Join(o.Out, filepath.Base(name)))
			}
		}
	}
	stop()
	if err == nil && isOwn && isNew {
		err = ignore(repo.Root, releaseDir)
	}
	if err != nil {
		return fmt.Errorf("package: %w", err)
	}
	for _, file := range files {
		fmt.Fprintf(w, "  %8s  %s\n", progress.Size(file.Size), filepath.Base(file.Path))
	}
	fmt.Fprintf(w, "packed %s in %.1fs; each zip has a .sha256 and a .sha1, and .cdx.json is the SBOM\n", shortPath(o.Out), time.Since(started).Seconds())
	return nil
}

// ReadMetadata reads the plugin.json in a directory.
func ReadMetadata(dir string) (*bundle.Metadata, error) {
	data, err := limit.ReadSettings(filepath.Join(dir, bundle.MetadataFile))
	if err != nil {
		return nil, err
	}
	return bundle.ParseMetadata(data)
}
