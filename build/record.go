package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// record lists the files that builds of a repository wrote to dist. It is in the user's cache.
type record struct {
	Files map[string][]fileState // by path in dist
}

// fileState identifies the contents of a file without reading them.
type fileState struct {
	Size     int64
	Modified time.Time
}

func stateOf(info fs.FileInfo) fileState { return fileState{info.Size(), info.ModTime()} }

// isStateOf reports whether a file is still as it was.
func (s fileState) isStateOf(file string) bool {
	info, err := os.Lstat(file)
	return err == nil && info.Mode().IsRegular() && s.Size == info.Size() && s.Modified.Equal(info.ModTime())
}

func (p *Plan) recordFile() (string, error) {
	cache := p.options.CacheDir
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "slipway", "builds")
	}
	sum := sha256.Sum256([]byte(p.Repo.Root))
	return filepath.Join(cache, hex.EncodeToString(sum[:8])+".json"), nil
}

// readRecord returns an empty record if it cannot be read.
func (p *Plan) readRecord() (r record) {
	if file, err := p.recordFile(); err == nil {
		if data, err := os.ReadFile(file); err == nil {
			_ = json.Unmarshal(data, &r)
		}
	}
	return r
}

// writeRecord records the files in the staging directory. It runs before dist changes: if
// the build is killed in between, dist is still the previous one, so the record lists the
// files of both. Without a record, the next build sets aside what differs.
func (p *Plan) writeRecord(_ context.Context, staging string, r *Result) error {
	states, err := fileStates(staging)
	if err != nil {
		return nil
	}
	made := record{map[string][]fileState{}}
	for name, state := range states {
		made.Files[name] = []fileState{state}
	}
	_ = p.walkDist(func(name, file string) error { // which is about to be replaced
		if info, err := os.Lstat(file); err == nil && !slices.Contains(r.foreign, name) {
			made.Files[name] = append(made.Files[name], stateOf(info))
		}
		return nil
	})
	data, err := json.Marshal(made)
	if file, fileErr := p.recordFile(); err == nil && fileErr == nil {
		_ = os.MkdirAll(filepath.Dir(file), 0o755)
		_ = atomicfile.Write(file, 0o644, atomicfile.Bytes(data))
	}
	return nil
}

// fileStates returns the states of the files in a directory, by slash-separated path.
func fileStates(dir string) (map[string]fileState, error) {
	states := map[string]fileState{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			states[name] = stateOf(info)
		}
		return err
	})
	return states, err
}
