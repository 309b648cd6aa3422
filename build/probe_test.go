//go:build unix

package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestProbe starts backends of our SDK and of go-plugin alone.
func TestProbe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const module = "github.com/slipway-dev/slipway/"
	packages := []string{"examples/renderer", "sdk/testdata/footprint/bare"}
	for _, name := range packages {
		file := filepath.Join(dir, filepath.Base(name))
		cmd := exec.CommandContext(t.Context(), "go", "build", "-o", file, module+name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as mage build does
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			if err := probe(t.Context(), file, os.Environ(), time.Minute); err != nil {
				t.Error(err)
			}
		})
	}
}

// script writes an executable that the shell runs.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backend")
	testkit.WriteFile(t, file, "#!/bin/sh\n"+text+"\n")
	return file
}

func TestProbeFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"prints first":       {"echo starting up; sleep 600", `it printed "starting up" to standard output before the handshake`},
		"a line without end": {"head -c 100000 /dev/zero | tr '\\0' x; sleep 600", `it printed "xxxx`},
		"exits":              {"echo config missing >&2; exit 3", "it ended before the handshake (exit status 3)"},
		"panics": {"printf 'panic: no region\\n\\ngoroutine 1 [running]:\\nmain.main()\\n\\ta/main.go:7 +0x25\\n' >&2; exit 2",
			"it crashed before the handshake (exit status 2): panic: no region (a/main.go:7)\n"},
		"exits with success": {"exit 0", "main must call Serve"},
		"standard error":     {"seq 1000 >&2; exit 1", "standard error:\n    981\n    982\n"},
		"another protocol":   {"echo '1|1|unix|/none|netrpc'; sleep 600", `it printed "1|1|unix|/none|netrpc", the handshake of another protocol`},
		"another network":    {"echo '1|2|udp|127.0.0.1:9|grpc'; sleep 600", "before the handshake"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := probe(t.Context(), script(t, c.text), os.Environ(), time.Minute); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one containing %q", err, c.want)
			}
		})
	}
	t.Run("hangs", func(t *testing.T) {
		t.Parallel()
		if err := probe(t.Context(), script(t, "sleep 600"), os.Environ(), 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not respond within 50ms") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a helper outlives it", func(t *testing.T) {
		t.Parallel()
		if _, err := exec.LookPath("setsid"); err != nil {
			t.Skip(err)
		}
		fifo := filepath.Join(t.TempDir(), "fifo")
		testkit.OK(t, syscall.Mkfifo(fifo, 0o600))
		t.Cleanup(func() {
			f := testkit.Must(os.OpenFile(fifo, os.O_RDWR, 0))(t)
			_ = f.Close() // ends the helper
		})
		if err := probe(t.Context(), script(t, "setsid cat "+fifo+" & sleep 600"), os.Environ(), 200*time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not respond") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("cannot be started", func(t *testing.T) {
		t.Parallel()
		file := script(t, "")
		testkit.WriteFile(t, file, "\x7fELF, but no more")
		if err := probe(t.Context(), file, os.Environ(), time.Minute); err == nil || !strings.Contains(err.Error(), "it cannot be started") {
			t.Errorf("error %v", err)
		}
	})
}

// TestCheck requires that a build starts what it compiled, unless it was checked before,
// and keeps dist if that fails.
func TestCheck(t *testing.T) {
	t.Parallel()
	o := options(repo(t), bundle.Host())
	r := mustBuild(t, o)
	before := testkit.Tree(t, r.Dist)
	o.Backend.SkipCheck = false
	mustBuild(t, o) // nothing changed, so nothing is started
	testkit.WriteFile(t, filepath.Join(o.Dir, "pkg", "main.go"), "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello again\") }\n")
	if _, err := Plugin(t.Context(), o); err == nil || !strings.Contains(err.Error(), `it printed "hello again"`) || !strings.Contains(err.Error(), "backend.check") {
		t.Errorf("error %v", err)
	}
	if after := testkit.Tree(t, r.Dist); after != before {
		t.Errorf("dist changed to\n%s\nfrom\n%s", after, before)
	}
	o.Platforms = []bundle.Platform{{OS: "windows", Arch: "amd64"}}
	mustBuild(t, o) // not for this machine
}
