// Package testkit has what the tests of most packages need: to end at an error, to write and read files, to
// compare a text with a golden file. What only one package needs stays there.
package testkit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Must returns the value of a call that must not fail, as in Must(f())(t).
func Must[T any](v T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		OK(tb, err)
		return v
	}
}

// OK ends the test if a call failed, as in OK(t, f(), g()).
func OK(tb testing.TB, errs ...error) {
	tb.Helper()
	if err := errors.Join(errs...); err != nil {
		tb.Fatal(err)
	}
}

// ReadFile returns the text of a file.
func ReadFile(tb testing.TB, file string) string {
	tb.Helper()
	return string(Must(os.ReadFile(file))(tb))
}

// WriteFile writes a file, and the directories above it. It makes a script executable, which begins with #!.
func WriteFile(tb testing.TB, file, text string) {
	tb.Helper()
	OK(tb, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
	if strings.HasPrefix(text, "#!") {
		OK(tb, os.Chmod(file, 0o755))
	}
}

// WriteFiles writes files below a directory. The keys are their paths there, with slashes.
func WriteFiles(tb testing.TB, dir string, files map[string]string) {
	tb.Helper()
	for name, text := range files {
		WriteFile(tb, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
}

// Tree lists the path, mode and digest of each file below a directory.
func Tree(tb testing.TB, dir string) string {
	tb.Helper()
	var b strings.Builder
	OK(tb, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text := ReadFile(tb, filepath.Join(dir, name))
			fmt.Fprintf(&b, "%s %s %x\n", name, Must(d.Info())(tb).Mode(), sha256.Sum256([]byte(text)))
		}
		return err
	}))
	return b.String()
}

// Golden compares a text with a file, which it writes first if isUpdate is set.
func Golden(tb testing.TB, isUpdate bool, file, got string) {
	tb.Helper()
	if isUpdate {
		WriteFile(tb, file, got)
	}
	if diff := cmp.Diff(ReadFile(tb, file), got); diff != "" {
		tb.Errorf("%s is stale; run this test with -update (-want +got):\n%s", file, diff)
	}
}

// Git runs git in a directory, without the user's configuration, on 2026-03-04, and returns what it prints.
func Git(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	const at = "2026-03-04T05:06:07Z"
	cmd := exec.CommandContext(tb.Context(), "git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com",
		"-c", "core.excludesFile=" + os.DevNull}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }) // a hook runs the tests with those of its repository
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}
