package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// record describes the last build of a repository: which files it wrote to dist, and what
// each step made them of. It is in the user's cache.
type record struct {
	Outputs   map[string]recordedOutput // executables, by path in dist
	Frontends map[string]recordedBundle // by directory in dist
	Copied    map[string]inputs         // what the steps that always run used, by step
	Sources   map[string]inputs         // what executables were compiled from, by digest
	Files     map[string][]fileState    // the files in dist that builds wrote, by path
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
	var r record
	file, err := p.recordFile()
	if err != nil {
		return r
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &r) != nil {
		return record{}
	}
	return r
}

// writeRecord records the build in the staging directory. It runs before dist is replaced, and if the build is killed in between, dist
// is still the previous one: the record lists the files of both.
func (p *Plan) writeRecord(ctx context.Context, staging string, result *Result) error {
	r := record{Outputs: map[string]recordedOutput{}, Frontends: result.bundles, Copied: result.copied, Sources: map[string]inputs{}}
	states, err := fileStates(staging)
	if err != nil {
		return nil
	}
	p.recordExecutables(ctx, &r, states, result)
	for to, b := range r.Frontends {
		for name := range b.Files {
			b.Files[name] = states[path.Join(to, name)]
		}
	}
	r.keepUnchanged(result.previous, states)
	r.Files = p.filesToRecord(states, result.previous)
	p.save(r)
	return nil
}

// recordFiles records that files are about to be written to dist.
func (p *Plan) recordFiles(states map[string]fileState) {
	r := p.readRecord()
	r.Files = p.filesToRecord(states, r)
	p.save(r)
}

// filesToRecord returns the states of files that are about to be written to dist, and of
// those recorded files that dist still contains.
func (p *Plan) filesToRecord(states map[string]fileState, previous record) map[string][]fileState {
	files := map[string][]fileState{}
	for name, state := range states {
		files[name] = []fileState{state}
	}
	for name, before := range previous.Files {
		for _, state := range before {
			if !state.equal(states[name]) && state.isStateOf(filepath.Join(p.Repo.Dist, filepath.FromSlash(name))) {
				files[name] = append(files[name], state)
			}
		}
	}
	return files
}

// save writes the record. It ignores errors, which only cost time.
func (p *Plan) save(r record) {
	file, err := p.recordFile()
	if err != nil {
		return
	}
	data, err := json.Marshal(r)
	if err != nil {
		return
	}
	_ = os.MkdirAll(filepath.Dir(file), 0o755)
	_ = atomicfile.Write(file, 0o644, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// keepUnchanged keeps what the previous record states about files that this build took
// over without making them.
func (r *record) keepUnchanged(previous record, states map[string]fileState) {
	for name, o := range previous.Outputs {
		if state, ok := states[name]; ok && r.Outputs[name].Inputs == "" && state.equal(o.fileState) {
			r.Outputs[name] = o
			r.Sources[o.Sources] = previous.Sources[o.Sources]
		}
	}
	for to, b := range previous.Frontends {
		if _, isNew := r.Frontends[to]; isNew {
			continue
		}
		isSame := len(b.Files) > 0
		for name, before := range b.Files {
			isSame = isSame && before.equal(states[path.Join(to, name)])
		}
		if isSame {
			r.Frontends[to] = b
		}
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
