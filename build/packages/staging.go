package packages

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// stagingPrefix begins the names of the directories in the cache that packages are unpacked in.
const stagingPrefix = ".staging-"

// lockSuffix ends the name of the file next to the cache that processes lock while they unpack
// packages.
const lockSuffix = ".lock"

// lockStaging keeps other processes from removing staging directories until unlock is called.
// Without locks in the file system, nothing removes them.
func (s *Store) lockStaging() (unlock func()) {
	file := s.options.CacheDir + lockSuffix
	s.sweep.Do(func() {
		lock := flock.New(file)
		if isFree, err := lock.TryLock(); err == nil && isFree {
			removeStaging(s.options.CacheDir)
		}
		_ = lock.Close()
	})
	lock := flock.New(file)
	_ = lock.RLock()
	return func() { _ = lock.Close() }
}

// removeStaging removes what killed processes left behind.
func removeStaging(cacheDir string) {
	entries, _ := os.ReadDir(cacheDir) // the next run tries again
	for _, e := range entries {
		if ok, _ := filepath.Match(stagingPrefix+"[0-9]*", e.Name()); ok && e.IsDir() {
			_ = os.RemoveAll(filepath.Join(cacheDir, e.Name()))
		}
	}
}
