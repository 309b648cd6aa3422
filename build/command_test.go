//go:build unix

package build

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// command returns options to build a repository with its own bundler.
func command(t *testing.T, line, dir string) (Options, *bytes.Buffer) {
	t.Helper()
	o := options(repo(t), bundle.Host())
	var progress bytes.Buffer
	o.Frontend.Command, o.Frontend.Dir, o.Progress = line, dir, &progress
	return o, &progress
}

func TestOwnBundler(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, dir string }{
		"to dist":              {`echo 'a  "line"' && test ! -e dist && mkdir -p dist/img && echo built > dist/module.js && echo theirs > dist/img/l.svg && echo {} > dist/plugin.json`, ""},
		"to another directory": {`echo 'a  "line"' && mkdir -p 'out put/img' && echo built > 'out put/module.js' && echo theirs > 'out put/img/l.svg'`, "out put"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, progress := command(t, c.line, c.dir)
			testkit.WriteFile(t, filepath.Join(o.Dir, "dist", "old.js"), "")
			testkit.WriteFile(t, filepath.Join(o.Dir, "src", "style.scss"), "")
			testkit.OK(t, os.Remove(filepath.Join(o.Dir, "src", "module.js")))
			r := mustBuild(t, o)
			want := []string{"README.md", bundle.Host().Executable("gpx_x"), "img", "module.js", "plugin.json"}
			if got := listing(t, r.Dist); !slices.Equal(got, want) {
				t.Errorf("dist contains %q, want %q", got, want)
			}
			for file, want := range map[string]string{"module.js": "built\n", "img/l.svg": "theirs\n"} {
				if got, err := os.ReadFile(filepath.Join(r.Dist, filepath.FromSlash(file))); err != nil || string(got) != want {
					t.Errorf("%s: %q, %v, want %q", file, got, err, want)
				}
			}
			if m, err := os.ReadFile(filepath.Join(r.Dist, "plugin.json")); err != nil || !strings.Contains(string(m), `"1.2.3"`) {
				t.Errorf("plugin.json is not ours, %v: %s", err, m)
			}
			if !strings.Contains(progress.String(), "\n  a  \"line\"\n") {
				t.Errorf("the output is not in the progress:\n%s", progress)
			}
		})
	}
}

// An update runs the bundler only when it is told to, and otherwise keeps what it wrote.
func TestUpdateWithOwnBundler(t *testing.T) {
	t.Parallel()
	o, _ := command(t, "mkdir -p dist && echo run >> runs && cp runs dist/module.js && echo chunk > dist/chunk.js", "")
	dist := mustBuild(t, o).Dist
	for _, c := range []struct {
		only    Side
		main    string
		want    string
		changed []string
	}{
		{OnlyBackend, "1", "run\n", []string{"backend"}},
		{"", "2", "run\nrun\n", []string{"backend", "frontend"}},
		{OnlyBackend, "3", "run\nrun\n", []string{"backend"}},
		{OnlyFrontend, "4", "run\nrun\nrun\n", []string{"frontend"}},
	} {
		testkit.WriteFile(t, filepath.Join(o.Dir, "pkg", "main.go"), "package main\n\nfunc main() { println("+c.main+") }\n")
		changes := mustUpdate(t, o, c.only)
		if text, err := os.ReadFile(filepath.Join(dist, "module.js")); err != nil || string(text) != c.want {
			t.Errorf("module.js contains %q (%v), want %q", text, err, c.want)
		}
		want := []string{"README.md", "chunk.js", bundle.Host().Executable("gpx_x"), "img", "module.js", "plugin.json"}
		if got := listing(t, dist); !slices.Equal(got, want) {
			t.Errorf("dist contains %q, want %q", got, want)
		}
		if got := changes.Names(); !slices.Equal(got, c.changed) {
			t.Errorf("changed %q, want %q", got, c.changed)
		}
	}
}

// A bundler that writes below dist does so while the previous dist is set aside, as well.
func TestOwnBundlerBelowDist(t *testing.T) {
	t.Parallel()
	o, _ := command(t, "mkdir -p dist/web && date +%N > dist/web/module.js", "dist/web")
	for range 2 {
		if r := mustBuild(t, o); len(r.Warnings) > 0 || exists(filepath.Join(r.Dist, "web")) {
			t.Errorf("warnings %q, dist contains %q", r.Warnings, listing(t, r.Dist))
		}
	}
}

func TestOwnBundlerFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, dir, want string }{
		"status":              {"rm -rf dist; mkdir dist; echo half > dist/module.js; seq 100; echo 'Error: no such loader' >&2; exit 7", "", "exit status 7; dist is unchanged; its last lines:\n    82\n"},
		"no output":           {"exit 3", "", "failed without output: exit status 3"},
		"not found":           {"no-such-bundler --x", "", "exit status 127"},
		"no module.js":        {"mkdir dist", "", "left no module.js in dist: if it writes to another directory, set frontend.dir"},
		"nothing":             {"true", "build", "did not write build"},
		"a link":              {"mkdir out; ln -s /etc/hostname out/module.js", "out", "out/module.js is not a regular file"},
		"a link to elsewhere": {"ln -s .. out", "out", "read the frontend"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := command(t, c.line, c.dir)
			testkit.WriteFile(t, filepath.Join(o.Dir, "dist", "old.js"), "old")
			before := testkit.Tree(t, filepath.Join(o.Dir, "dist"))
			if _, err := Plugin(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one containing %q", err, c.want)
			}
			if after := testkit.Tree(t, filepath.Join(o.Dir, "dist")); after != before {
				t.Errorf("dist changed (-before +after):\n%s", cmp.Diff(before, after))
			}
			for _, entry := range listing(t, o.Dir) {
				if strings.HasPrefix(entry, stagingPrefix) {
					t.Errorf("%s was left behind", entry)
				}
			}
			testkit.OK(t, os.RemoveAll(filepath.Join(o.Dir, "dist")))
			if _, err := Plugin(t.Context(), o); err == nil || exists(filepath.Join(o.Dir, "dist")) {
				t.Errorf("without a previous dist: error %v; dist exists: %t", err, exists(filepath.Join(o.Dir, "dist")))
			}
		})
	}
}

// TestOwnBundlerKilled requires that a build restores the dist that was set aside by one
// that was killed, and only once that one is gone.
func TestOwnBundlerKilled(t *testing.T) {
	t.Parallel()
	o, _ := command(t, "exit 1", "")
	testkit.WriteFile(t, filepath.Join(o.Dir, "dist", "module.js"), "half")
	testkit.WriteFile(t, filepath.Join(o.Dir, stagingPrefix+"1"+asideSuffix, "module.js"), "whole")
	p := mustPlan(t, o)
	unlock := testkit.Must(p.lock(t.Context()))(t)
	waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Run(waiting, p); err == nil || !exists(filepath.Join(o.Dir, stagingPrefix+"1"+asideSuffix)) {
		t.Errorf("a second build did not wait for the first: %v", err)
	}
	unlock()
	if _, err := Plugin(t.Context(), o); err == nil {
		t.Error("no error")
	}
	if got, err := os.ReadFile(filepath.Join(o.Dir, "dist", "module.js")); err != nil || string(got) != "whole" {
		t.Errorf("dist was not restored: %q, %v", got, err)
	}
	o.Environ = append(os.Environ(), runningVariable+"="+p.Repo.Root)
	if _, err := Plugin(t.Context(), o); err == nil || !strings.Contains(err.Error(), "started this one") {
		t.Errorf("a build inside of a build: %v", err)
	}
}

// TestOwnBundlerCanceled requires that nothing that the command started is left.
func TestOwnBundlerCanceled(t *testing.T) {
	t.Parallel()
	o, _ := command(t, "sleep 600 & echo $! > pid.tmp; mv pid.tmp pid; wait", "")
	testkit.WriteFile(t, filepath.Join(o.Dir, "dist", "old.js"), "old")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for !exists(filepath.Join(o.Dir, "pid")) && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := Plugin(ctx, o); err == nil {
		t.Error("no error")
	}
	if got := listing(t, filepath.Join(o.Dir, "dist")); !slices.Equal(got, []string{"old.js"}) {
		t.Errorf("dist contains %q", got)
	}
	pid := testkit.Must(os.ReadFile(filepath.Join(o.Dir, "pid")))(t)
	id := testkit.Must(strconv.Atoi(strings.TrimSpace(string(pid))))(t)
	for isRunning(id) { // until the kernel has ended it
		if t.Context().Err() != nil {
			t.Fatalf("process %d is left", id)
		}
		time.Sleep(time.Millisecond)
	}
}

// isRunning reports whether a process exists and has not ended.
func isRunning(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err == nil {
		return !bytes.Contains(status, []byte(") Z "))
	}
	return !exists("/proc/self/stat") && syscall.Kill(pid, 0) == nil
}

// A file that plugin.json names and the sources lack must be created by the build.
func TestCreated(t *testing.T) {
	t.Parallel()
	o := options(repo(t), bundle.Host())
	testkit.WriteFile(t, filepath.Join(o.Dir, "package.json"), `{"version": "1.2.3", "scripts": {"build": "webpack"}}`)
	mustBuild(t, checked(t, o))
	testkit.OK(t, os.Remove(filepath.Join(o.Dir, "src", "img", "l.svg")))
	if _, err := Plugin(t.Context(), checked(t, o)); err == nil || !strings.Contains(err.Error(), "src/plugin.json:4:50: neither the sources nor this build have img/l.svg") {
		t.Errorf("without the logo: %v", err)
	}
	o.Only = OnlyBackend
	mustBuild(t, checked(t, o))
	o.Only, o.Frontend.Command = "", "mkdir -p dist/img && echo '<svg/>' > dist/img/l.svg && cp src/module.js dist"
	mustBuild(t, checked(t, o))
}

// The command that generates files runs before a build reads the sources, and once under dev.
func TestGenerate(t *testing.T) {
	t.Parallel()
	o := options(repo(t), bundle.Host())
	var progress bytes.Buffer
	o.Progress = &progress
	o.Generate = "echo generating; mkdir -p src/dashboards && date +%N > src/dashboards/a.json"
	file := filepath.Join(mustBuild(t, checked(t, o)).Dist, "dashboards", "a.json")
	first, err := os.ReadFile(file)
	if err != nil || !strings.Contains(progress.String(), "  generate: echo generating") || !strings.Contains(progress.String(), "\n  generating\n") {
		t.Errorf("%v, progress:\n%s", err, &progress)
	}
	o.Update = true
	mustBuild(t, checked(t, o))
	if again, err := os.ReadFile(file); err != nil || string(again) != string(first) {
		t.Errorf("generated again for an update: %v", err)
	}
	o.Update, o.Generate = false, "echo no rule to make >&2; exit 2"
	err = Generate(t.Context(), o)
	const want = "the command of generate, echo no rule to make >&2; exit 2, failed: exit status 2; dist is unchanged; its last lines:\n    no rule to make"
	if err == nil || err.Error() != want {
		t.Errorf("got the error\n%v, want\n%s", err, want)
	}
}
