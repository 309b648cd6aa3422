package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// recorded is a test that only records how it would end.
type recorded struct {
	testing.TB
	ended string
}

func (r *recorded) Helper()                        {}
func (r *recorded) Fatal(args ...any)              { r.ended = "fatal: " + fmt.Sprint(args...) }
func (r *recorded) Errorf(format string, _ ...any) { r.ended = "error: " + format[:2] }

func TestKit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, script := filepath.Join(dir, "a", "file"), filepath.Join(dir, "script")
	WriteFiles(t, dir, map[string]string{"a/file": "old", "script": "x"})
	WriteFile(t, script, "#!/bin/sh\n")
	for want, run := range map[string]func(tb testing.TB){
		"":                                 func(tb testing.TB) { OK(tb); OK(tb, nil); Golden(tb, false, file, "old") },
		"fatal: " + os.ErrNotExist.Error(): func(tb testing.TB) { OK(tb, nil, os.ErrNotExist) },
		"fatal: " + os.ErrExist.Error():    func(tb testing.TB) { Must(0, os.ErrExist)(tb) },
		"error: %s":                        func(tb testing.TB) { Golden(tb, false, file, "new") },
	} {
		r := &recorded{TB: t}
		if run(r); r.ended != want {
			t.Errorf("ended with %q, want %q", r.ended, want)
		}
	}
	if text := ReadFile(t, file); text != "old" {
		t.Errorf("the golden file is now %q", text)
	}
	if mode := Must(os.Stat(script))(t).Mode(); mode.Perm() != 0o755 && runtime.GOOS != "windows" {
		t.Errorf("the script has the mode %s", mode)
	}
}
