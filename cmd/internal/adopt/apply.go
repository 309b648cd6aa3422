package adopt

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/gitignore"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// The record of init, in the directory of the plugin. Git ignores it.
const (
	recordDir  = ".slipway"
	recordFile = "init.json"
)

// ErrNoRecord is the error of Undo in a repository that init did not change, or not in this clone.
var ErrNoRecord = errors.New("no record of init in .slipway: there is nothing to undo")

// record is what Undo restores.
type record struct {
	Files []recordedFile `json:"files"`
}

type recordedFile struct {
	Path   string      `json:"path"`             // slash-separated, relative to the top of the repository
	Before []byte      `json:"before,omitempty"` // original content
	Exists bool        `json:"exists"`           // before init
	Mode   fs.FileMode `json:"mode"`
	After  string      `json:"after"` // SHA-256 of the content that init wrote, in hexadecimal
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// Apply writes the record for Undo, and the files of the plan: all, or none if one cannot be written.
func (p *Plan) Apply() error {
	if len(p.Files) == 0 {
		return nil
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	before, err := readRecord(p.Dir)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return err
	}
	after, err := p.record(root, before)
	if err != nil {
		return err
	}
	if err := writeRecord(p.Dir, after); err != nil {
		return fmt.Errorf("record the original files: %w", err)
	}
	for i, f := range p.Files {
		if err := atomicfile.WriteIn(root, f.Path, modeIn(after, f.Path), f.After); err != nil {
			for _, written := range p.Files[:i] {
				err = errors.Join(err, restore(root, recordedFile{
					Path: written.Path, Before: written.Before, Exists: written.Before != nil, Mode: modeIn(after, written.Path),
				}))
			}
			if len(before.Files) == 0 {
				return errors.Join(err, removeRecord(p.Dir))
			}
			return errors.Join(err, writeRecord(p.Dir, before))
		}
	}
	return nil
}

// record returns the record after the plan. Files that an earlier run recorded and nobody changed keep their original.
func (p *Plan) record(root *os.Root, earlier record) (record, error) {
	r := record{slices.Clone(earlier.Files)}
	for _, f := range p.Files {
		entry := recordedFile{Path: f.Path, Before: f.Before, Exists: f.Before != nil, Mode: 0o644, After: digest(f.After)}
		if info, err := atomicfile.Stat(root, f.Path); err == nil {
			if !entry.Exists {
				return r, fmt.Errorf("%s was created while init was running; run it again", f.Path)
			}
			entry.Mode = info.Mode().Perm()
		}
		if current, err := root.ReadFile(filepath.FromSlash(f.Path)); entry.Exists && (err != nil || !bytes.Equal(current, f.Before)) {
			return r, fmt.Errorf("%s changed while init was running; run it again", f.Path)
		}
		at := slices.IndexFunc(r.Files, func(e recordedFile) bool { return e.Path == f.Path })
		switch {
		case at < 0:
			r.Files = append(r.Files, entry)
		case entry.Exists && r.Files[at].After == digest(f.Before):
			r.Files[at].After = entry.After
		default:
			r.Files[at] = entry
		}
	}
	return r, nil
}

func modeIn(r record, name string) fs.FileMode {
	for _, f := range r.Files {
		if f.Path == name {
			return f.Mode
		}
	}
	return 0o644
}

// Undone is what Undo did.
type Undone struct {
	Files []File   // in the order of the changes; After is nil for a file that was removed
	Kept  []string // files that stay as they are, because they have changed since init
	Data  []string // directories that remain, with what a host, a build or package wrote; Git ignores them
}

// Undo restores the files that init changed in the repository of the plugin in dir, and
// removes those that it created. What has been edited since is kept, and stays in the record.
func Undo(dir string) (u Undone, err error) {
	if repo, err := bundle.FindRepo(dir); err == nil {
		dir = repo.Root
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return u, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return u, err
	}
	r, err := readRecord(dir)
	if err != nil {
		return u, err
	}
	root, err := os.OpenRoot(topDir(dir))
	if err != nil {
		return u, err
	}
	defer root.Close()
	var unchanged, kept []recordedFile
	for _, f := range r.Files {
		data, err := f.read(root)
		isGone := errors.Is(err, fs.ErrNotExist)
		switch {
		case err != nil && !isGone && !errors.Is(err, atomicfile.ErrIrregular):
			return u, err
		case isGone && !f.Exists, err == nil && f.Exists && bytes.Equal(data, f.Before): // undone by hand
		case err == nil && digest(data) == f.After:
			unchanged = append(unchanged, f)
		default:
			kept, u.Kept = append(kept, f), append(u.Kept, f.Path)
		}
	}
	for _, f := range slices.Backward(unchanged) {
		if err := restore(root, f); err != nil {
			return u, fmt.Errorf("restore %s: %w", f.Path, err)
		}
		change := File{Path: f.Path}
		if f.Exists {
			change.After = append([]byte{}, f.Before...)
		}
		u.Files = append(u.Files, change)
	}
	if len(kept) > 0 {
		return u, writeRecord(dir, record{kept})
	}
	if err := removeRecord(dir); err != nil {
		return u, err
	}
	for _, name := range []string{recordDir, "release"} {
		if text, err := os.ReadFile(filepath.Join(dir, name, gitignore.FileName)); err == nil && string(text) == gitignore.All {
			u.Data = append(u.Data, name)
		}
	}
	return u, nil
}

func (f *recordedFile) read(root *os.Root) ([]byte, error) {
	name := filepath.FromSlash(f.Path)
	if _, err := atomicfile.Stat(root, name); err != nil {
		return nil, err
	}
	return root.ReadFile(name)
}

// restore writes the original content of a file, or removes it and the directories that are then empty.
func restore(root *os.Root, f recordedFile) error {
	if f.Exists {
		return atomicfile.WriteIn(root, f.Path, f.Mode, f.Before)
	}
	if err := root.Remove(filepath.FromSlash(f.Path)); err != nil {
		return err
	}
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		if root.Remove(filepath.FromSlash(dir)) != nil {
			break // not empty
		}
	}
	return nil
}

func readRecord(dir string) (r record, err error) {
	file, err := atomicfile.Below(dir, path.Join(recordDir, recordFile))
	if err != nil {
		return r, err
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, ErrNoRecord
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read the record of init: %w", err)
	}
	for _, f := range r.Files {
		if !fs.ValidPath(f.Path) || f.Mode != f.Mode.Perm() {
			return record{}, fmt.Errorf("read the record of init: invalid entry %q", f.Path)
		}
	}
	return r, nil
}

func writeRecord(dir string, r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := gitignore.Make(root, recordDir); err != nil {
		return err
	}
	return atomicfile.WriteIn(root, path.Join(recordDir, recordFile), 0o600, data)
}

// Recorded returns the plugins below dir that have a record of init, as slash-separated paths from there.
func Recorded(dir string) []string {
	return slices.DeleteFunc(bundle.ReposBelow(dir), func(name string) bool {
		_, err := readRecord(filepath.Join(dir, filepath.FromSlash(name)))
		return err != nil
	})
}

// removeRecord removes the record, and its directory unless a host keeps data in it.
func removeRecord(dir string) error {
	root, err := os.OpenRoot(filepath.Join(dir, recordDir))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(recordFile); err != nil {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil || len(entries) != 1 || entries[0].Name() != gitignore.FileName {
		return err
	}
	if text, err := root.ReadFile(gitignore.FileName); err != nil || string(text) != gitignore.All {
		return err
	}
	return errors.Join(root.Remove(gitignore.FileName), os.Remove(filepath.Join(dir, recordDir)))
}
