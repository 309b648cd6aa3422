package archive

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// files is a tree of files by path.
type files map[string]string

// plugin returns a built plugin with a backend, a nested plugin with a backend of
// its own and one that shares the first.
func plugin() files {
	return files{
		"plugin.json":                   `{"id": "acme-tide-app", "backend": true, "executable": "gpx_tide", "info": {"version": "1.2.3"}}`,
		"module.js":                     "export {};\n",
		"README.md":                     "# Tide\n",
		"gpx_tide_linux_amd64":          "tide for linux\n",
		"gpx_tide_windows_amd64.exe":    "tide for windows\n",
		"gpx_tide_linux_amd64.md":       "not an executable\n",
		"gpx_tide_linux":                "not an executable\n",
		"data/plugin.json":              `{"id": "acme-tide-datasource", "executable": "bin/gpx_data"}`,
		"data/bin/gpx_data_linux_amd64": "data for linux\n",
		"panel/plugin.json":             `{"id": "acme-tide-panel", "executable": "../gpx_tide"}`,
	}
}

// write writes the files into a new directory.
func (f files) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, f)
	return dir
}

func readTest(t *testing.T, parts ...string) string {
	t.Helper()
	data := testkit.Must(os.ReadFile(filepath.Join(parts...)))(t)
	return string(data)
}

func testTime() time.Time { return time.Date(2026, 1, 31, 12, 30, 15, 7, time.FixedZone("", 3600)) }

func link(target, name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("this system has no symbolic links: %v", err)
		}
	}
}

func removeTest(t *testing.T, parts ...string) {
	t.Helper()
	testkit.OK(t, os.Remove(filepath.Join(parts...)))
}

// errorText is a comparable form of an error.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprint(err)
}
