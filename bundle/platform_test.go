package bundle

import "testing"

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
