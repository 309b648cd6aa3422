//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestReproducible checks that two clones give the same dist and zips, regardless of
// their directory, the umask, the user's directory, the time and the age of the files.
// It is not parallel, because the umask and the environment belong to the process.
func TestReproducible(t *testing.T) {
	origin := filepath.Join(t.TempDir(), "acme-x-datasource")
	mustRun(t, "scaffold", "datasource", "acme-x-datasource", "--dir="+origin)
	module := filepath.Join(origin, "src", "module")
	testkit.OK(t,
		os.WriteFile(module+".ts", []byte("import logo from './img/logo.svg';\nimport './style.css';\nexport const plugin: string = logo;\n"), 0o644),
		os.WriteFile(filepath.Join(origin, "src", "style.css"), []byte(".a { color: red }\n"), 0o644),
		os.WriteFile(filepath.Join(origin, "src", "img", "tool.sh"), []byte("#!/bin/sh\n"), 0o755),
		os.WriteFile(filepath.Join(origin, ".gitignore"), []byte("/dist/\n/release/\n"), 0o644),
	)
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "one"}} {
		testkit.Git(t, origin, args...)
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // they follow HOME
		out := testkit.Must(exec.CommandContext(t.Context(), "go", "env", name).Output())(t)
		t.Setenv(name, strings.TrimSpace(string(out)))
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")

	var results []string
	for _, c := range []struct {
		dir   string
		umask int
		age   time.Duration
	}{{"one", 0o022, 0}, {"another directory", 0o077, 365 * 24 * time.Hour}} {
		func() {
			defer syscall.Umask(syscall.Umask(c.umask))
			home := t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
			clone := filepath.Join(t.TempDir(), c.dir)
			testkit.Git(t, origin, "clone", "-q", ".", clone)
			testkit.OK(t, filepath.WalkDir(filepath.Join(clone, "src"), func(file string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				return os.Chtimes(file, time.Time{}, time.Now().Add(-c.age))
			}))
			mustRun(t, "build", "--platforms=host", "--dir="+clone)
			mustRun(t, "package", "--dir="+clone)
			results = append(results, testkit.Tree(t, filepath.Join(clone, "dist"))+testkit.Tree(t, filepath.Join(clone, "release")))
		}()
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{"gpx_x_", "module.js ", "plugin.json ", "img/tool.sh -rwxr-xr-x", ".zip ", ".cdx.json "} {
		if !strings.Contains(results[0], want) {
			t.Errorf("no %q in\n%s", want, results[0])
		}
	}
}

func mustRun(t *testing.T, args ...string) {
	t.Helper()
	if stdout, stderr, code := slipway(t, args...); code != 0 {
		t.Fatalf("%v exited with status %d:\n%s%s", args, code, stdout, stderr)
	}
}
