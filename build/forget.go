package build

import (
	"errors"
	"io/fs"
	"os"
)

// Forget removes the record of what is up to date in the dist of the repository in dir.
// cacheDir is that of Options.
func Forget(dir, cacheDir string) error {
	repo, err := openRepo(dir)
	if err != nil {
		return err
	}
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
