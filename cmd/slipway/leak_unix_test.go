//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const clockJSON = `{"id": "acme-clock-panel", "type": "panel", "name": "Clock",
 "info": {"version": "1.0.0", "updated": "2026-01-31", "keywords": ["time"], "logos": {"small": "img/logo.svg", "large": "img/logo.svg"}},
 "dependencies": {"serviceDependency": ">=10.3.0"}, "extra": 1}`

// clock writes a plugin repository and returns its directory.
func clock(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	for name, text := range map[string]string{
		"src/plugin.json": clockJSON, "src/img/logo.svg": "<svg/>\n", "README.md": "# Clock\n", "LICENSE": "MIT\n", "CHANGELOG.md": "1\n",
		"dist/plugin.json": clockJSON, "dist/img/logo.svg": "<svg/>\n", "package.json": `{"version": "1.0.0"}`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		testkit.WriteFile(t, file, text)
	}
	return dir
}

// execute runs the command and returns its exit status and everything that it printed.
func execute(t *testing.T, args ...string) (code int, printed string) {
	t.Helper()
	stdout, stderr, code := slipway(t, args...)
	return code, stdout + stderr
}

// TestCanary puts links to a file outside of a plugin in every place that is read. No
// format may print anything that the file contains.
func TestCanary(t *testing.T) {
	t.Parallel()
	const canary = "CANARY"
	outside := filepath.Join(t.TempDir(), "outside")
	const text = `{"` + canary + `": "CANARY-VALUE", "version": "CANARY", "findings": "CANARY"} CANARY: <svg><script>CANARY</script></svg> [CANARY](CANARY.md)` + "\n"
	for _, name := range []string{"plugin.json", "README.md", "img/logo.svg", "src/plugin.json", "nested/plugin.json"} {
		file := filepath.Join(outside, filepath.FromSlash(name))
		testkit.WriteFile(t, file, text)
	}
	for _, place := range []string{
		"src/plugin.json", "src", "src/img/logo.svg", "src/img", "README.md", "LICENSE", "CHANGELOG.md", "src/README.md", "src/nested",
		"src/nested/plugin.json", "dist", "dist/plugin.json", "dist/img/logo.svg", "dist/README.md", "dist/MANIFEST.txt", "dist/nested",
		"package.json", "slipway.yaml", "baseline.json", "plugin.zip",
	} {
		for _, kind := range []string{"absolute", "relative", "chain", "git"} {
			t.Run(place+" "+kind, func(t *testing.T) {
				t.Parallel()
				dir := clock(t)
				from := filepath.Join(dir, filepath.FromSlash(place))
				to := filepath.Join(outside, "plugin.json")
				if base := filepath.Base(place); filepath.Ext(base) == "" && base != "LICENSE" {
					to = outside
				}
				if kind == "git" { // the data of Git contains credentials
					testkit.OK(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
					to = filepath.Join(dir, ".git", "config")
					testkit.OK(t, os.WriteFile(to, []byte(text), 0o644))
				}
				err := errors.Join(os.RemoveAll(from), os.MkdirAll(filepath.Dir(from), 0o755))
				if kind != "absolute" {
					rel, relErr := filepath.Rel(filepath.Dir(from), to)
					to, err = rel, errors.Join(err, relErr)
				}
				if kind == "chain" {
					err = errors.Join(err, os.Symlink(to, filepath.Join(filepath.Dir(from), "middle")))
					to = "middle"
				}
				testkit.OK(t, err, os.Symlink(to, from))
				inDist := strings.HasPrefix(place, "dist")
				paths := []string{dir, from}
				if inDist { // which is checked only if it is named
					paths = append(paths, filepath.Join(dir, "dist"))
				}
				for _, path := range paths {
					for _, args := range [][]string{
						{"--format=text"}, {"--format=json"}, {"--format=sarif"}, {"--format=junit"}, {"--format=github"},
						{"--diff"}, {"--verbose"}, {"--fix"}, {"--baseline=" + filepath.Join(dir, "baseline.json")}, {"--config=" + from},
					} {
						code, printed := execute(t, append(append([]string{"validate"}, args...), path)...)
						if strings.Contains(printed, canary) {
							t.Errorf("validate %s %s printed the canary:\n%s", args, path, printed)
						}
						isFile := place == "slipway.yaml" || place == "baseline.json" || place == "plugin.zip" || strings.HasSuffix(place, "package.json")
						isMissed := !isFile && !inDist && place != "src/nested" // without that directory, nothing is missing
						if args[0] == "--format=text" && path == dir && isMissed && code != verbs.ExitFindings {
							t.Errorf("exit status %d without the content, want %d:\n%s", code, verbs.ExitFindings, printed)
						}
					}
				}
				if data, err := os.ReadFile(filepath.Join(outside, "plugin.json")); err != nil || string(data) != text {
					t.Errorf("the file outside is %q (%v)", data, err)
				}
			})
		}
	}
}

// TestWrongInputs replays inputs that were once misread. Each line states what is
// printed, and the exit status.
func TestWrongInputs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(dir string) error
		args []string // DIR is the repository
		code int
		want string
	}{
		{"plugin.json is a link to the environment", link("/proc/self/environ", "src/plugin.json"), nil, 1, "src/plugin.json: error unreadable-file: plugin.json is not read: it is a symbolic link that leaves the repository"},
		{"named pipe as README", pipe("README.md"), nil, 1, "README.md: error unreadable-file: README.md is not read: it is not a regular file but a named pipe"},
		{"named pipe as logo", pipe("src/img/logo.svg"), nil, 1, "logo.svg is not read: it is not a regular file but a named pipe"},
		{"named pipe that two keys name", pipe("src/img/logo.svg"), nil, 1, "; 1 check did not run"},
		{"slipway.yaml is a directory", func(dir string) error { return os.Mkdir(filepath.Join(dir, "slipway.yaml"), 0o755) }, nil, 2, "it is not a regular file but a directory"},
		{"directory name that is not UTF-8", func(dir string) error { return os.Mkdir(filepath.Join(dir, "bad\xff"), 0o755) }, nil, 0, "not checked: the name of the directory is not UTF-8"},
		{"empty path", nothing, []string{""}, 2, "the path is empty; use . for the current directory"},
		{"missing directory of the output", nothing, []string{"--output=DIR/none/report", "DIR"}, 3, "none: no such file or directory; choose a writable file with --output"},
		{"gzip", file("p.tar.gz", "\x1f\x8b\x08"), []string{"DIR/p.tar.gz"}, 2, "it is a gzip archive: validate a zip or the unpacked directory"},
		{"UTF-32", file("src/plugin.json", "{\x00\x00\x00"), nil, 1, "UTF-32, little-endian"},
		{"one line for the rules that did not run", file("src/plugin.json", "{"), nil, 1, "rules did not run: plugin.json is not valid JSON\n\n"},
		{"they have names if asked for", file("src/plugin.json", "{"), []string{"--verbose", "DIR"}, 1, " alerting-needs-backend,"},
		{"a fix that cannot be written", linked, []string{"--fix", "DIR"}, 3, "src/plugin.json:1:78: error json-syntax"},
		{"a fix that cannot be written, for programs", linked, []string{"--fix", "--format=json", "DIR"}, 3, `"exitCode": 3`},
		{"a fix that cannot be written, for GitHub", linked, []string{"--fix", "--format=github", "DIR"}, 3, "not fixed: \"src/plugin.json\" is a symbolic link"},
		{"fixes in several repositories", two, []string{"--fix", "DIR/.."}, 2, "would change 2 files across 2 plugin repositories; validate one repository at a time, or use --all"},
		{"fixes in all repositories", two, []string{"--fix", "--all", "DIR/.."}, 1, "1 fix\n"},
		{"control characters", file("src/plugin.json", "{\"\\u001b[31m\\n::error::x\": \x1b[31m1}"), []string{"--format=github", "DIR"}, 1, "::error file="},
		{"sparse gigabyte", func(dir string) error { return os.Truncate(filepath.Join(dir, "src/plugin.json"), 1<<30) }, nil, 3, "plugin.json is larger than 256 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := clock(t)
			if err := c.make(dir); errors.Is(err, syscall.EILSEQ) {
				t.Skip("this file system refuses names that are not UTF-8, as APFS does")
			} else if err != nil {
				t.Fatal(err)
			}
			args := []string{"validate"}
			for _, a := range c.args {
				args = append(args, strings.ReplaceAll(a, "DIR", dir))
			}
			if c.args == nil {
				args = append(args, dir)
			}
			code, printed := execute(t, args...)
			if code != c.code || !strings.Contains(printed, c.want) {
				t.Errorf("exit status %d, want %d and %q in:\n%s", code, c.code, c.want, printed)
			}
			if strings.Contains(printed, "\x1b") || strings.Contains(printed, "\n::error::x") {
				t.Errorf("printed raw: %q", printed)
			}
		})
	}
}

func nothing(string) error { return nil }

func file(name, text string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644) }
}

func link(to, name string) func(string) error {
	return func(dir string) error {
		from := filepath.Join(dir, name)
		return errors.Join(os.Remove(from), os.Symlink(to, from))
	}
}

func pipe(name string) func(string) error {
	return func(dir string) error {
		return errors.Join(os.Remove(filepath.Join(dir, name)), syscall.Mkfifo(filepath.Join(dir, name), 0o644))
	}
}

const fixable = `{"id": "acme-clock-panel", "type": "panel", "alerting": true, "name": "Clock",}`

// linked makes plugin.json a link within the repository, which a fix does not replace.
func linked(dir string) error {
	return errors.Join(file("real.json", fixable)(dir), link("../real.json", "src/plugin.json")(dir))
}

// two adds another repository, and something to fix in both.
func two(dir string) error {
	other := filepath.Join(filepath.Dir(dir), "other")
	err := os.MkdirAll(filepath.Join(other, "src"), 0o755)
	return errors.Join(err, file("src/plugin.json", fixable)(other), file("src/plugin.json", fixable)(dir), os.RemoveAll(filepath.Join(dir, "dist")))
}
