package templates

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// Result lists the files of a scaffold. Paths are relative to Dir.
type Result struct {
	Dir         string // absolute
	Created     []string
	Overwritten []string // existed with other content
	Unchanged   []string
	Edited      []string // of an app that contains the plugin
}

// Scaffold renders a plugin repository and writes it. It writes nothing if any file
// is not writable. If writing fails later, it returns both an error and the files
// written so far.
func Scaffold(o Options) (*Result, error) {
	rendered, err := Render(o)
	if err != nil {
		return nil, err
	}
	if o.Dir == "" {
		o.Dir = o.ID
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("scaffold: %w", err)
	}
	if err := CheckDir(dir, o.Force); err != nil {
		return nil, err
	}
	return write(dir, rendered)
}

// CheckDir returns an error if a directory contains anything but .git, or, unless forced, is in the
// repository of another plugin.
func CheckDir(dir string, force bool) error {
	if err := checkContent(dir, force); err != nil || force {
		return err
	}
	return checkNested(dir)
}

func checkContent(dir string, force bool) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return request("scaffold into %s: %w", dir, ErrNotDirectory)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || force && err == nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("scaffold into %s: %w", dir, err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			return request("scaffold into %s: %w (it contains %s)", dir, ErrNotEmpty, e.Name())
		}
	}
	return nil
}

// write writes the files that differ, after checking that all of them are writable.
func write(dir string, rendered []File) (*Result, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := &Result{Dir: dir}
	var differ []File
	exists := map[string]bool{}
	for _, f := range rendered {
		before, err := readWritable(root, filepath.FromSlash(f.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			differ = append(differ, f)
		case err != nil:
			return nil, fmt.Errorf("scaffold into %s: cannot write %s: %w; nothing was written; move the file away or make it writable", dir,
				f.Path, err)
		case bytes.Equal(before, f.Data):
			r.Unchanged = append(r.Unchanged, f.Path)
		default:
			exists[f.Path] = true
			differ = append(differ, f)
		}
	}
	for _, f := range differ {
		if err := atomicfile.WriteIn(root, f.Path, 0o644, f.Data); err != nil {
			return r, fmt.Errorf("write %s: %w", f.Path, err)
		}
		if exists[f.Path] {
			r.Overwritten = append(r.Overwritten, f.Path)
		} else {
			r.Created = append(r.Created, f.Path)
		}
	}
	return r, nil
}

// readWritable reads a file that is about to be overwritten. It fails if the file is
// not writable.
func readWritable(root *os.Root, target string) (before []byte, err error) {
	if _, err := atomicfile.Stat(root, target); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(target, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	before, err = io.ReadAll(f)
	return before, errors.Join(err, f.Close())
}
