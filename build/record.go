package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// record describes the last build of a repository: what each step used and made, and which
// files builds wrote to dist. It is in the user's cache.
type record struct {
	Steps map[string]made        // by the module.js of a frontend
	Files map[string][]fileState // that builds wrote, by path in dist
}

// made describes what a step made.
type made struct {
	Inputs string               // digest of what it used
	Files  map[string]fileState // by path in dist
	Module *Module              // of a frontend, without its files
}

// fileState identifies the contents of a file without reading them.
type fileState struct {
	Size     int64
	Modified time.Time
}

func stateOf(info fs.FileInfo) fileState { return fileState{info.Size(), info.ModTime()} }

func (s fileState) equal(o fileState) bool { return s.Size == o.Size && s.Modified.Equal(o.Modified) }

// isStateOf reports whether a file is still as it was.
func (s fileState) isStateOf(file string) bool {
	info, err := os.Lstat(file)
	return err == nil && info.Mode().IsRegular() && s.equal(stateOf(info))
}

// inputs is a digest of what a step uses, in the order in which it is added.
type inputs struct{ sum hash.Hash }

func newInputs() inputs { return inputs{sha256.New()} }

// add adds a file or a setting.
func (in inputs) add(name string, value []byte) {
	fmt.Fprintf(in.sum, "%q %x\n", name, sha256.Sum256(value))
}

// addFile adds the contents of a file.
func (in inputs) addFile(name, file string) error {
	data, err := os.ReadFile(file)
	if err == nil {
		in.add(name, data)
	}
	return err
}

func (in inputs) digest() string { return hex.EncodeToString(in.sum.Sum(nil)) }

// isCurrent reports whether dist has what a step makes of its inputs.
func (p *Plan) isCurrent(previous record, step, inputs string) bool {
	before, ok := previous.Steps[step]
	if !ok || inputs == "" || before.Inputs != inputs {
		return false
	}
	for name, state := range before.Files {
		if !state.isStateOf(p.inDist(name)) {
			return false
		}
	}
	return true
}

// add records what a step made. The states of its files are known once they are written.
func (r *record) add(step, inputs string, b *Module, files ...string) {
	m := made{Inputs: inputs, Module: b, Files: map[string]fileState{}}
	for _, name := range files {
		m.Files[name] = fileState{}
	}
	r.Steps[step] = m
}

func newRecord() record {
	return record{Steps: map[string]made{}, Files: map[string][]fileState{}}
}

// recordFile returns the path of the record of this repository.
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

// readRecord returns an empty record if it cannot be read: every step runs.
func (p *Plan) readRecord() record {
	r := newRecord()
	file, err := p.recordFile()
	if err != nil {
		return r
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &r) != nil {
		return newRecord()
	}
	return r
}

// writeRecord records the build in the staging directory. It runs before dist changes: if
// the build is killed in between, dist is still the previous one, so the record lists the
// files of both. An error only costs time.
func (p *Plan) writeRecord(_ context.Context, staging string, result *Result) error {
	states, err := fileStates(staging)
	if err != nil {
		return nil
	}
	r, previous := &result.made, result.previous
	for _, m := range r.Steps {
		for name := range m.Files {
			m.Files[name] = states[name]
		}
	}
	for step, m := range previous.Steps { // whose files this build took over without making them
		_, isMade := r.Steps[step]
		isChanged := func(name string) bool { return !m.Files[name].equal(states[name]) }
		if !isMade && !slices.ContainsFunc(slices.Collect(maps.Keys(m.Files)), isChanged) {
			r.Steps[step] = m
		}
	}
	for name, state := range states {
		r.Files[name] = []fileState{state}
	}
	for name, before := range previous.Files {
		for _, state := range before {
			if !state.equal(states[name]) && state.isStateOf(p.inDist(name)) {
				r.Files[name] = append(r.Files[name], state)
			}
		}
	}
	if data, err := json.Marshal(r); err == nil {
		p.save(data)
	}
	return nil
}

func (p *Plan) save(data []byte) {
	if file, err := p.recordFile(); err == nil {
		_ = os.MkdirAll(filepath.Dir(file), 0o755)
		_ = atomicfile.Write(file, 0o644, atomicfile.Bytes(data))
	}
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
