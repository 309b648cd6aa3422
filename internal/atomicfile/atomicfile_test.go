package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write := func(mode fs.FileMode, text string, err error) error {
		return Write(file, mode, func(w io.Writer) error {
			_, writeErr := io.WriteString(w, text)
			return errors.Join(writeErr, err)
		})
	}
	check := func(text string, mode fs.FileMode) {
		t.Helper()
		data := testkit.Must(os.ReadFile(file))(t)
		if string(data) != text {
			t.Errorf("the file contains %q, want %q", data, text)
		}
		info := testkit.Must(os.Stat(file))(t)
		if runtime.GOOS != "windows" && info.Mode() != mode {
			t.Errorf("the file has mode %v, want %v", info.Mode(), mode)
		}
		entries := testkit.Must(os.ReadDir(dir))(t)
		if len(entries) != 1 {
			t.Errorf("the directory has the entries %v, want only the file", entries)
		}
	}
	testkit.OK(t, write(0o644, "first", nil))
	check("first", 0o644)
	testkit.OK(t, write(0o600, "second", nil))
	check("second", 0o600)
	wrong := errors.New("wrong")
	if err := write(0o644, "third", wrong); !errors.Is(err, wrong) {
		t.Errorf("Write returned %v, want %v", err, wrong)
	}
	check("second", 0o600)
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.OK(t, os.MkdirAll(filepath.Join(dir, "taken", "below"), 0o755))
	testkit.OK(t, Write(filepath.Join(dir, "file"), 0o644, Bytes(nil)))
	root := testkit.Must(os.OpenRoot(dir))(t)
	t.Cleanup(func() { _ = root.Close() })
	if err := Write(filepath.Join(dir, "none", "file"), 0o644, Bytes(nil)); err == nil {
		t.Error("Write made a directory")
	}
	for name, op := range map[string]string{"taken": "rename", filepath.Join("file", "below"): "create"} {
		file := filepath.Join(dir, name)
		if err := Write(file, 0o644, Bytes(nil)); err == nil {
			t.Errorf("Write(%q) returned no error", name)
		}
		err := WriteIn(root, name, 0o644, nil)
		if e, ok := errors.AsType[*fs.PathError](err); !ok || e.Op != op || e.Path != file {
			t.Errorf("WriteIn(%q) returned %v, want the error of %s %s", name, err, op, file)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory has the entries %v (%v), want those from before", entries, err)
	}
}
