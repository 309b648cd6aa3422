package adopt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/process"
)

// ScaffoldRecord is the file of a scaffolded repository that records what it was made of. The author commits it.
const ScaffoldRecord = ".slipway-scaffold.json"

// A Scaffold describes how the files of a repository were rendered.
type Scaffold struct {
	Options json.RawMessage   `json:"options"` // of the package templates
	Files   map[string]string `json:"files"`   // contents by slash-separated path, of the files that update merges
}

// ErrNoScaffold is the error for a repository without a ScaffoldRecord.
var ErrNoScaffold = errors.New("no " + ScaffoldRecord + " in this repository: only repositories that record their scaffold can be updated")

// ReadScaffold reads the record of the repository at root.
func ReadScaffold(root *os.Root) (s Scaffold, err error) {
	data, err := root.ReadFile(ScaffoldRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return s, ErrNoScaffold
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("read %s: %w", ScaffoldRecord, err)
	}
	return s, nil
}

// WriteScaffold writes the record of the repository at root.
func WriteScaffold(root *os.Root, s Scaffold) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	return atomicfile.WriteIn(root, ScaffoldRecord, 0o644, b.Bytes())
}

// A Merge is the update of one file.
type Merge struct {
	Path   string
	Status Status
	Before []byte // nil if the file does not exist
	After  []byte // what to write; nil leaves the file as it is
}

// Status is what an update does to a file.
type Status string

// The statuses of files.
const (
	Unchanged  Status = "unchanged" // the template did not change, or the file has the change already
	Created    Status = "created"   // the scaffold did not have the file
	Updated    Status = "updated"   // the author did not edit the file
	Merged     Status = "merged"    // the author and the template changed different lines
	Conflicted Status = "conflict"  // they changed the same lines; the file has markers
	Removed    Status = "removed"   // the author removed the file; it stays removed
	Obsolete   Status = "obsolete"  // the scaffold no longer has the file; it stays
)

// MergeAll merges the differences between two renderings of a scaffold into the files at root: base is that of the last
// update, and now that of this version. It changes no file.
func MergeAll(ctx context.Context, root *os.Root, base, now map[string]string) (merges []Merge, err error) {
	both := map[string]string{}
	maps.Copy(both, base)
	maps.Copy(both, now)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		m, err := mergeFile(ctx, root, name, base, now)
		if err != nil {
			return nil, fmt.Errorf("merge %s: %w", name, err)
		}
		merges = append(merges, m)
	}
	return merges, nil
}

func mergeFile(ctx context.Context, root *os.Root, name string, base, now map[string]string) (Merge, error) {
	m := Merge{Path: name, Status: Unchanged}
	was, hadBase := base[name]
	becomes, hasNow := now[name]
	file := filepath.FromSlash(name)
	_, err := atomicfile.Stat(root, file)
	isMissing := errors.Is(err, fs.ErrNotExist)
	var data []byte
	if err == nil {
		data, err = root.ReadFile(file)
		m.Before = append([]byte{}, data...)
	}
	if err != nil && !isMissing {
		return m, err
	}
	if bytes.Contains(data, []byte("\r\n")) { // as Git checks out on Windows
		was, becomes = toCRLF(was), toCRLF(becomes)
	}
	switch {
	case !hasNow && !isMissing:
		m.Status = Obsolete
	case isMissing && hadBase, !hasNow:
		m.Status = Removed
	case isMissing:
		m.Status, m.After = Created, []byte(becomes)
	case string(data) == becomes, hadBase && was == becomes:
	case hadBase && string(data) == was:
		m.Status, m.After = Updated, []byte(becomes)
	default:
		after, conflicts, err := mergeText(ctx, string(data), was, becomes)
		if err != nil {
			return m, err
		}
		m.Status, m.After = Merged, after
		if conflicts {
			m.Status = Conflicted
		}
	}
	return m, nil
}

func toCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// mergeText merges the change from base to theirs into ours with git, perhaps with conflict markers.
func mergeText(ctx context.Context, ours, base, theirs string) (merged []byte, conflicts bool, err error) {
	dir, err := os.MkdirTemp("", "slipway-merge-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	args := []string{"merge-file", "--stdout", "-L", "this repository", "-L", "the scaffold before", "-L", "the scaffold now"}
	for i, text := range []string{ours, base, theirs} {
		name := filepath.Join(dir, []string{"ours", "base", "theirs"}[i])
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, false, err
		}
		args = append(args, name)
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	merged, err = process.Output(cmd)
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return merged, false, nil
	case isExit && exit.ExitCode() > 0 && exit.ExitCode() < 128: // the number of conflicts
		return merged, true, nil
	}
	return nil, false, fmt.Errorf("git merge-file: %w", err)
}

// WriteMerges writes the files that merges change, and then the record.
func WriteMerges(root *os.Root, merges []Merge, s Scaffold) error {
	for _, m := range merges {
		if m.After == nil {
			continue
		}
		mode := fs.FileMode(0o644)
		if info, err := root.Lstat(filepath.FromSlash(m.Path)); err == nil {
			mode = info.Mode().Perm()
		}
		if err := atomicfile.WriteIn(root, m.Path, mode, m.After); err != nil {
			return err
		}
	}
	return WriteScaffold(root, s)
}
