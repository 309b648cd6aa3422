package archive

import (
	"io/fs"
	"path"

	"github.com/slipway-dev/slipway/bundle"
)

// executables returns the platforms of the files that are executables of the plugin
// or of the plugins nested in it.
func executables(dist fs.FS, files []string) (map[string]bundle.Platform, error) {
	found := map[string]bundle.Platform{}
	for _, file := range files {
		if path.Base(file) != bundle.MetadataFile {
			continue
		}
		metadata, err := ReadMetadata(dist, file)
		if err != nil {
			return nil, err
		}
		if metadata.Executable == "" {
			continue
		}
		name := path.Join(path.Dir(file), metadata.Executable)
		for _, file := range files {
			if _, platform, ok := bundle.SplitExecutable(path.Base(file)); ok && platform.Executable(name) == file {
				found[file] = platform
			}
		}
	}
	return found, nil
}
