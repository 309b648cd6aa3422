package archive

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// executables returns the platforms of the files that are executables of the plugin
// or of the plugins nested in it.
func executables(dist fs.FS, files []File) (map[string]bundle.Platform, error) {
	found := map[string]bundle.Platform{}
	for _, f := range files {
		if path.Base(f.Path) != bundle.MetadataFile {
			continue
		}
		data, err := readFile(dist, f.Path, maxMetadataBytes)
		if err != nil {
			return nil, err
		}
		metadata, err := bundle.ParseMetadata(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		if metadata.Executable == "" {
			continue
		}
		name := path.Join(path.Dir(f.Path), metadata.Executable)
		for _, f := range files {
			if platform, ok := executablePlatform(f.Path, name); ok {
				found[f.Path] = platform
			}
		}
	}
	return found, nil
}

// executablePlatform returns the platform in the name of a file that is a build of
// the named executable.
func executablePlatform(file, name string) (bundle.Platform, bool) {
	rest, ok := strings.CutPrefix(file, name+"_")
	if !ok {
		return bundle.Platform{}, false
	}
	system, arch, _ := strings.Cut(strings.TrimSuffix(rest, ".exe"), "_")
	p := bundle.Platform{OS: system, Arch: arch}
	_, err := bundle.ParsePlatforms(p.String())
	return p, err == nil && p.Executable(name) == file
}
