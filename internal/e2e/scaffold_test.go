//go:build e2e && unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
)

// scaffolding is a scaffold and the time that its steps took.
type scaffolding struct {
	kind       templates.Type
	profile    string
	hasBackend bool
	times      []string
}

func (s *scaffolding) id() string {
	return fmt.Sprintf("acme-%s%t-%s", s.profile, s.hasBackend, s.kind.Name)
}

// scaffoldings returns every type, with and without a backend where there is a choice, in
// every profile. With -short, only the data source has every profile.
func scaffoldings(t *testing.T) (list []*scaffolding) {
	t.Helper()
	for _, kind := range templates.Types() {
		for _, hasBackend := range []bool{true, false} {
			if hasBackend != kind.HasBackend && !kind.BackendOptional {
				continue
			}
			for i, profile := range templates.ProfileNames() {
				if testing.Short() && i > 0 && kind.Name != string(bundle.TypeDatasource) {
					t.Logf("%s, profile %s, backend %t: left out by -short", kind.Name, profile, hasBackend)
					continue
				}
				list = append(list, &scaffolding{kind: kind, profile: profile, hasBackend: hasBackend})
			}
		}
	}
	return list
}

// step runs the command slipway or go and records the time.
func (s *scaffolding) step(t *testing.T, name, dir, program string, args ...string) (out string, took time.Duration) {
	t.Helper()
	started := time.Now()
	out = run(t, 0, dir, program, args...)
	took = time.Since(started)
	s.times = append(s.times, fmt.Sprintf("%s %d ms", name, took.Milliseconds()))
	return out, took
}

// fastest limits the time of a scaffold without downloads. It applies to the fastest one,
// so that a busy machine does not fail the test.
const fastest = 200 * time.Millisecond

// TestScaffolds takes each scaffold from an empty directory to a package, and runs all of
// them in one host.
func TestScaffolds(t *testing.T) {
	dir := t.TempDir()
	s := &script{slipway: slipwayCommand(t), repo: filepath.Join(dir, "plugins")}
	testkit.OK(t, os.Mkdir(s.repo, 0o755))
	list := scaffoldings(t)
	least := time.Hour
	for _, c := range list {
		least = min(least, c.scaffold(t, s.slipway, s.repo))
	}
	if least > fastest {
		t.Errorf("the fastest scaffold took %s, want at most %s", least, fastest)
	}
	t.Parallel() // the rest has no limits on its time
	t.Run("packages", func(t *testing.T) {
		for _, c := range list {
			t.Run(c.id(), func(t *testing.T) {
				t.Parallel()
				c.pack(t, s.slipway, filepath.Join(s.repo, c.id()))
			})
		}
	})
	h := s.host(t)
	mounted := map[string]bool{}
	for _, p := range h.call(t, "", 200, "GET", "/api/plugins", nil).([]any) {
		mounted[p.(map[string]any)["id"].(string)] = true
	}
	if failed := h.call(t, "", 200, "GET", "/api/plugins/errors", nil); len(failed.([]any)) > 0 {
		t.Errorf("not mounted: %v", failed)
	}
	for _, c := range list {
		health := "no backend"
		if c.hasBackend {
			result := h.call(t, "", 200, "GET", "/api/plugins/"+c.id()+"/health", nil).(map[string]any)
			health = fmt.Sprintf("health %v", result["status"])
			if result["status"] != "OK" {
				t.Errorf("%s: %v", c.id(), result)
			}
		}
		if !mounted[c.id()] {
			t.Errorf("%s is not mounted", c.id())
		}
		t.Logf("%-14s %-7s backend %-5t  %s, mounted, %s", c.kind.Name, c.profile, c.hasBackend, strings.Join(c.times, ", "), health)
	}
	h.terminate(t)
}

// scaffold creates the repository of a plugin and returns how long that took.
func (s *scaffolding) scaffold(t *testing.T, slipway, plugins string) time.Duration {
	t.Helper()
	_, took := s.step(t, "scaffold", plugins, slipway, "scaffold", s.kind.Name, s.id(), "--profile="+s.profile, fmt.Sprintf("--backend=%t", s.hasBackend))
	return took
}

// pack tests, builds and packs a plugin.
func (s *scaffolding) pack(t *testing.T, slipway, repo string) {
	t.Helper()
	profiles := []string{s.profile}
	if s.profile == "both" {
		profiles = []string{"service", "grafana"}
	}
	validate := func(target string) {
		for _, profile := range profiles {
			if out, _ := s.step(t, "validate "+target, repo, slipway, "validate", target, "--strict", "--profile="+profile); !strings.HasPrefix(out, "no findings in 1 ") {
				t.Errorf("%s, %s with profile %s:\n%s", s.id(), target, profile, out)
			}
		}
	}
	validate(".")
	if s.hasBackend {
		s.step(t, "vet", repo, "go", "vet", "./...")
		if out, _ := s.step(t, "test", repo, "go", "test", "-vet=off", "./..."); !strings.HasPrefix(out, "ok ") {
			t.Errorf("%s: %s", s.id(), out)
		}
	}
	s.step(t, "build", repo, slipway, "build", "--platforms=host")
	validate("dist")
	s.step(t, "package", repo, slipway, "package")
	for name, want := range map[string]bool{"dist/module.js": s.kind.HasFrontend, "release/" + s.id() + "-0.1.0.cdx.json": true} {
		if _, err := os.Stat(filepath.Join(repo, filepath.FromSlash(name))); (err == nil) != want {
			t.Errorf("%s: %s exists: %t, want %t", s.id(), name, err == nil, want)
		}
	}
}
