package verbs

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestGoSums requires the form that Grafana's SDK writes and its catalog reads.
func TestGoSums(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, map[string]string{
		"src/plugin.json": `{"id": "acme-x-app", "type": "app"}`, "go.mod": "module x\n", "pkg/main.go": "package main\n",
		"magefile.go": "//go:build mage\n", "pkg/.hidden/a.go": "package a\n", "node_modules/m/x.go": "package m\n",
		"pkg/node_modules/m/y.go": "package m\n", "pkg/go": "x", "pkg/a.go.txt": "x", ".slipway/kept/a.go": "package a\n",
	})
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero.go")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	want := ""
	for _, f := range [][2]string{
		{"magefile.go", "//go:build mage\n"}, {"pkg/.hidden/a.go", "package a\n"}, {"pkg/main.go", "package main\n"},
	} {
		want += fmt.Sprintf("%x:%s\n", sha256.Sum256([]byte(f[1])), f[0])
	}
	var out bytes.Buffer
	for range 2 { // the second run replaces the file
		testkit.OK(t, runGoSums(&out, dir))
		if got := testkit.ReadFile(t, filepath.Join(dir, "dist", "go_plugin_build_manifest")); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	if code(runGoSums(&out, filepath.Join(dir, "none"))) != ExitUsage {
		t.Error("no usage error for a directory that does not exist")
	}
}
