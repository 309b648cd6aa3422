package verbs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/signature"
)

// packed is a built plugin: a dist or a zip.
type packed struct {
	path  string
	isZip bool
}

// findSigned returns dist and the zips of its version in release, without a dist that is not signed.
func findSigned(w io.Writer, o verifyOptions) ([]packed, error) {
	repo, err := FindRepo(w, o.Dir)
	if err != nil {
		return nil, err
	}
	m, err := ReadMetadata(repo.Dist)
	if err != nil {
		return nil, &ExitError{Code: ExitUsage, Err: o.Face.notBuilt("verify", err)}
	}
	zips, err := releasedZips(repo, m.ID, m.Info.Version)
	if err != nil {
		return nil, err
	}
	if isAny(repo.Dist, signature.File) {
		return append([]packed{{path: repo.Dist}}, zips...), nil
	}
	if len(zips) == 0 {
		return nil, Usage("nothing to verify: %s has no %s, and %s has no zips of version %s\nhelp: %s packs the plugin, and npx @grafana/sign-plugin signs it",
			shortPath(repo.Dist), signature.File, shortPath(filepath.Join(repo.Root, releaseDir)), m.Info.Version, o.Face.Verb("package"))
	}
	fmt.Fprintf(w, "note: %s is not verified: it has no %s\n", shortPath(repo.Dist), signature.File)
	return zips, nil
}

// releasedZips returns the zips in release of one version of the plugin.
func releasedZips(repo bundle.Repo, id, version string) (plugins []packed, err error) {
	zips, err := zipsIn(filepath.Join(repo.Root, releaseDir))
	for _, zip := range zips {
		rest, ok := strings.CutPrefix(filepath.Base(zip), id+"-"+version+".")
		if ok && (rest == "zip" || strings.Contains(rest, "_")) {
			plugins = append(plugins, packed{zip, true})
		}
	}
	return plugins, err
}

// findPacked returns the plugins at paths: of a dist, a zip or a directory of zips.
func findPacked(paths []string) (plugins []packed, err error) {
	paths, err = withZips(paths)
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, Usage("%s does not exist: name a dist, a zip or a directory of zips", path)
		}
		if err != nil {
			return nil, Usage("%w", err)
		}
		if info.IsDir() && !isAny(path, bundle.MetadataFile, signature.File) {
			return nil, Usage("%s is not a built plugin and has no zips: name a dist, a zip or a directory of zips", path)
		}
		plugins = append(plugins, packed{path, !info.IsDir()})
	}
	return plugins, err
}

// isAny reports whether a directory has an entry with one of the names.
func isAny(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// zipsIn returns the zips in a directory, sorted. A directory that does not exist has none.
func zipsIn(dir string) (zips []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".zip") && !e.IsDir() {
			zips = append(zips, filepath.Join(dir, e.Name()))
		}
	}
	return zips, err
}

// withZips replaces a directory that is no plugin repository by the zips in it, and by itself if plugins are below it.
func withZips(paths []string) (list []string, err error) {
	for _, name := range paths {
		if info, err := os.Stat(name); err != nil || !info.IsDir() { // what opens it says why
			list = append(list, name)
			continue
		}
		zips, err := zipsIn(name)
		if err != nil {
			return nil, Usage("%w", err)
		}
		_, err = bundle.OpenRepo(name)
		if err == nil {
			zips = nil
		}
		if len(zips) == 0 || len(bundle.ReposBelow(name)) > 0 {
			list = append(list, name)
		}
		list = append(list, zips...)
	}
	return list, nil
}
