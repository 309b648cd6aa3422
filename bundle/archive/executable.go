package archive

import (
	"fmt"
	"io/fs"
	"path"

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
			if _, platform, ok := bundle.SplitExecutable(path.Base(f.Path)); ok && platform.Executable(name) == f.Path {
				found[f.Path] = platform
			}
		}
	}
	return found, nil
}
