package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// What is there instead of a missing executable is part of the error.
func TestMissingExecutable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ dir, file, want string }{
		"another name":     {"dist", bundle.Host().Executable("gpx_y"), `not found, but ` + bundle.Host().Executable("gpx_y") + ` is there: correct "executable" in plugin.json, or build the plugin again`},
		"another platform": {"dist", "gpx_x_plan9_mips", "not found (found gpx_x_plan9_mips); this host is " + bundle.Host().String() + ": build or install the plugin for this platform"},
		"no build":         {"src", "main.ts", "not found, because this repository has not been built: build it with slipway build"},
		"nothing":          {"dist", "module.js", "not found; this host is "},
	} {
		dir := filepath.Join(t.TempDir(), c.dir)
		testkit.OK(t, os.CopyFS(dir, fstest.MapFS{c.file: {Data: []byte("x"), Mode: 0o755}}))
		_, err := Executable(bundle.Plugin{Dir: dir, Metadata: &bundle.Metadata{Executable: "gpx_x"}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
