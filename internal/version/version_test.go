package version

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestVersionIn(t *testing.T) {
	t.Parallel()
	stamped := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.modified", Value: "true"}}
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"installed":                 {debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v1.2.3"}}, "v1.2.3"},
		"built in git":              {debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v0.0.0-20260101000000-abcdef+dirty"}, Settings: stamped}, devel},
		"installed at a commit":     {debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v1.2.4-0.20260101000000-abcdef012345"}}, "v1.2.4-0.20260101000000-abcdef012345"},
		"built in git at a commit":  {debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v1.2.4-0.20260101000000-abcdef012345"}, Settings: stamped}, devel},
		"built in git at a tag":     {debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v1.2.3"}, Settings: stamped}, "v1.2.3"},
		"built in git with changes": {debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v1.2.3+dirty"}, Settings: stamped}, devel},
		"built elsewhere":           {debug.BuildInfo{Main: debug.Module{Path: Module, Version: devel}}, devel},
		"required":                  {debug.BuildInfo{Main: debug.Module{Path: "x", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: Module, Version: "v1.2.3"}}, Settings: stamped}, "v1.2.3"},
		"replaced locally":          {debug.BuildInfo{Main: debug.Module{Path: "x"}, Deps: []*debug.Module{{Path: Module, Version: "v1.2.3", Replace: &debug.Module{Path: "../x"}}}}, devel},
	} {
		if got := versionIn(&c.info); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		Module + "/internal/version/version.go":      "with -trimpath",
		"/src/slipway/internal/version/version.go":   "/src/slipway/internal/version/version.go is missing",
		`C:/src/slipway/internal/version/version.go`: "C:/src/slipway/internal/version/version.go is missing",
	} {
		err := unknown(file)
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "-trimpath") != (want == "with -trimpath") {
			t.Errorf("%s: %v, want it to contain %q", file, err, want)
		}
	}
}

func TestIsCheckout(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, want := range map[string]bool{
		"src@v2/slipway":    true, // not in the module cache
		"mod/slipway@v1.0":  false,
		"vendor/x/nomodule": false,
	} {
		dir := filepath.Join(root, filepath.FromSlash(name))
		testkit.OK(t, os.MkdirAll(dir, 0o755))
		if filepath.Base(dir) != "nomodule" {
			testkit.OK(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644))
		}
		if got := isCheckout(dir); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}
