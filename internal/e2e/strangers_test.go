//go:build e2e && unix

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// strangersVariable is the environment variable with the source to clone from: a URL or
// a directory to which "owner/name" is appended, such as https://github.com.
const strangersVariable = "SLIPWAY_STRANGERS"

// wantBuilt is how many of the repositories in testdata/strangers.txt must build.
const wantBuilt = 20

// stranger is a plugin repository that Slipway was not written for.
type stranger struct {
	name, commit string
	dir          string // of the plugin, relative to the repository
}

// TestStrangers builds unmodified repositories of other authors: their frontends, with
// the packages that their lockfiles specify, and their backends for this platform. It
// prints one line for each, with the first error of those that do not build.
func TestStrangers(t *testing.T) {
	from := os.Getenv(strangersVariable)
	if from == "" {
		t.Skipf("%s is not set: set it to the URL or the directory to clone repositories from, such as https://github.com", strangersVariable)
	}
	list := strangers(t)
	slipway := slipwayCommand(t)
	built, ran := 0, 0
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			result, err := s.build(t, slipway, from)
			ran++
			if err != nil {
				t.Logf("%s: not built: %v", s.name, err)
				return
			}
			built++
			t.Logf("%s: built: %s", s.name, result)
		})
	}
	t.Logf("built %d of %d", built, ran)
	if ran == len(list) && built < wantBuilt {
		t.Errorf("built %d repositories, want at least %d", built, wantBuilt)
	}
}

// strangers reads testdata/strangers.txt.
func strangers(t *testing.T) (list []stranger) {
	t.Helper()
	text := must(os.ReadFile(filepath.Join("testdata", "strangers.txt")))(t)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		s := stranger{dir: "."}
		s.name, s.commit, _ = strings.Cut(fields[0], "@")
		if len(fields) > 1 {
			s.dir = fields[1]
		}
		list = append(list, s)
	}
	return list
}

// build clones and builds the repository and returns what is in its dist.
func (s stranger) build(t *testing.T, slipway, from string) (string, error) {
	clone := filepath.Join(t.TempDir(), filepath.Base(s.name))
	for _, args := range [][]string{
		{"init", "--quiet", clone},
		{"-C", clone, "fetch", "--quiet", "--depth=1", strings.TrimSuffix(from, "/") + "/" + s.name, s.commit},
		{"-C", clone, "checkout", "--quiet", s.commit},
	} {
		run(t, 0, "", "git", args...)
	}
	dir := filepath.Join(clone, filepath.FromSlash(s.dir))
	times := make([]time.Duration, 2)
	for i, args := range [][]string{{"deps"}, {"build", "--platforms=host"}} {
		started := time.Now()
		cmd := exec.CommandContext(t.Context(), slipway, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("slipway %s: %w\n%s", args[0], err, out)
		}
		times[i] = time.Since(started)
	}
	frontends, executables, err := inspectDist(filepath.Join(dir, "dist"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d frontends, %d executables; deps %.1fs, build %.1fs",
		frontends, executables, times[0].Seconds(), times[1].Seconds()), nil
}

// inspectDist counts the plugins in a dist that have a frontend and those that have a
// backend. Each plugin must have the files that its plugin.json promises.
func inspectDist(dist string) (frontends, executables int, err error) {
	err = filepath.WalkDir(dist, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != bundle.MetadataFile {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		m, err := bundle.ParseMetadata(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		dir := filepath.Dir(file)
		module, err := os.ReadFile(filepath.Join(dir, "module.js"))
		if err != nil || !bytes.HasPrefix(module, []byte("define(")) {
			return fmt.Errorf("%s has no module.js for AMD: %v", dir, err)
		}
		frontends++
		if !m.Backend {
			return nil
		}
		if _, err := os.Stat(filepath.Join(dir, bundle.Host().Executable(m.Executable))); err != nil {
			return err
		}
		executables++
		return nil
	})
	return frontends, executables, err
}
