package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// record describes the last build of a repository: what each step used and made, and which
// files builds wrote to dist. It is in the user's cache.
type record struct {
	Steps  map[string]made        // by executable, by the module.js of a frontend, or as in stepAssets
	Inputs map[string]inputs      // by digest: all executables of a module have the same
	Files  map[string][]fileState // that builds wrote, by path in dist
}

// The steps that always run, since they take no time.
const (
	stepAssets    = "assets"
	stepDocuments = "plugin.json"
)

// made describes what a step made.
type made struct {
	Inputs string               // digest of what it used
	Flags  string               // of the go command, and its environment
	Files  map[string]fileState // by path in dist
	Bundle *Bundle              // of a frontend, without its files
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

// inputs holds the digest of each file and setting that a step uses, by name.
type inputs map[string]string

// add adds an input.
func (in inputs) add(name string, value []byte) {
	sum := sha256.Sum256(value)
	in[name] = hex.EncodeToString(sum[:16])
}

// addFile adds the contents of a file. A file that cannot be read differs from all others.
func (in inputs) addFile(name, file string) error {
	data, err := os.ReadFile(file)
	if err == nil {
		in.add(name, data)
	}
	return err
}

// digest returns one digest of all inputs.
func (in inputs) digest() string {
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(in)) {
		fmt.Fprintf(all, "%q %s\n", name, in[name])
	}
	return hex.EncodeToString(all.Sum(nil))
}

// change describes how the inputs differ from those of the previous build, "" if they do
// not.
func (in inputs) change(previous inputs) string {
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(in)) {
		switch before, ok := previous[name]; {
		case !ok:
			changes = append(changes, name+" is new")
		case before != in[name]:
			changes = append(changes, name+" changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(previous)) {
		if _, ok := in[name]; !ok {
			changes = append(changes, name+" is gone")
		}
	}
	const shown = 3
	if len(changes) > shown {
		return fmt.Sprintf("%s, and %d more", strings.Join(changes[:shown], ", "), len(changes)-shown)
	}
	return strings.Join(changes, ", ")
}

// noRecord is why everything is built the first time.
const noRecord = "no previous build is recorded"

// change returns why a step must run, "" if what it made is in dist and up to date.
func (p *Plan) change(previous record, step string, in inputs, flags string) string {
	before, ok := previous.Steps[step]
	switch {
	case !ok:
		return noRecord
	case !exists(p.Repo.Dist):
		return "dist was deleted"
	}
	if change := in.change(previous.Inputs[before.Inputs]); change != "" {
		return change
	}
	if before.Flags != flags {
		return "the flags or the environment of the go command changed"
	}
	for _, name := range slices.Sorted(maps.Keys(before.Files)) {
		if !before.Files[name].isStateOf(p.inDist(name)) {
			return "dist/" + name + " was changed or deleted after the build"
		}
	}
	return ""
}

// add records what a step made. The states of its files are known once they are written.
func (r *record) add(step string, in inputs, m made, files ...string) {
	m.Inputs, m.Files = in.digest(), map[string]fileState{}
	for _, name := range files {
		m.Files[name] = fileState{}
	}
	r.Steps[step], r.Inputs[m.Inputs] = m, in
}

func newRecord() record {
	return record{Steps: map[string]made{}, Inputs: map[string]inputs{}, Files: map[string][]fileState{}}
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
func (p *Plan) writeRecord(ctx context.Context, staging string, result *Result) error {
	states, err := fileStates(staging)
	if err != nil {
		return nil
	}
	r, previous := &result.made, result.previous
	p.recordExecutables(ctx, result)
	for _, m := range r.Steps {
		for name := range m.Files {
			m.Files[name] = states[name]
		}
	}
	for step, m := range previous.Steps { // whose files this build took over without making them
		_, isMade := r.Steps[step]
		isChanged := func(name string) bool { return !m.Files[name].equal(states[name]) }
		if !isMade && !slices.ContainsFunc(slices.Collect(maps.Keys(m.Files)), isChanged) {
			r.Steps[step], r.Inputs[m.Inputs] = m, previous.Inputs[m.Inputs]
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
	file, err := p.recordFile()
	if err != nil {
		return
	}
	_ = os.MkdirAll(filepath.Dir(file), 0o755)
	_ = atomicfile.Write(file, 0o644, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Forget removes the record of what is up to date in the dist of the repository in dir.
// cacheDir is that of Options.
func Forget(dir, cacheDir string) error {
	repo, err := openRepo(dir)
	if err != nil {
		return err
	}
	p := &Plan{Repo: repo, options: Options{CacheDir: cacheDir}}
	file, err := p.recordFile()
	if err == nil {
		err = os.Remove(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
