package bundle

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestPlatformsOfGo requires that the executable of every platform of the go command is
// recognized by its name, for the operating systems that run backends.
func TestPlatformsOfGo(t *testing.T) {
	t.Parallel()
	out := testkit.Must(exec.CommandContext(t.Context(), "go", "tool", "dist", "list").Output())(t)
	known := 0
	for _, item := range strings.Fields(string(out)) {
		list, err := ParsePlatforms(item)
		if err != nil {
			continue // such as js/wasm
		}
		known++
		if name, p, ok := SplitExecutable(list[0].Executable("gpx_x")); !ok || name != "gpx_x" || p.String() != item {
			t.Errorf("%s: the executable is read as that of %q for %s", item, name, p)
		}
	}
	if known < 30 {
		t.Errorf("only %d of the platforms are known:\n%s", known, out)
	}
}

func TestSplitExecutable(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"gpx_clock_linux_amd64":   "gpx_clock linux/amd64",
		"gpx_x_windows_arm64.exe": "gpx_x windows/arm64",
		"gpx_windows_amd64":       "gpx windows/amd64",
		"gpx_openbsd_riscv64":     "gpx openbsd/riscv64",
		"_linux_mips64le":         " linux/mips64le",
		"linux_amd64":             "",
		"gpx_x_linux_amd64.go":    "",
		"gpx_plan9_amd64":         "",
		"gpx_linux_z80":           "",
		"gpx":                     "",
		"":                        "",
	} {
		name, platform, ok := SplitExecutable(file)
		got := ""
		if ok {
			got = name + " " + platform.String()
		}
		if got != want {
			t.Errorf("SplitExecutable(%q) = %q, want %q", file, got, want)
		}
	}
}
