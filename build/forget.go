package build

import (
	"errors"
	"io/fs"
	"os"

	"github.com/slipway-dev/slipway/bundle"
)

// Forget removes the record of what is up to date in the dist of a repository. cacheDir
// is that of Options.
func Forget(repo bundle.Repo, cacheDir string) error {
	p := &Plan{Repo: repo, options: Options{CacheDir: cacheDir}}
	file, err := p.recordFile()
	if err != nil {
		return err
	}
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
