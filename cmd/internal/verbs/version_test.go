package verbs

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	v := VersionInfo{Version: "v1.2.3", Go: "go1.26.5", OS: "linux", Arch: "amd64"}
	if got, want := v.String(), "slipway v1.2.3 go1.26.5 linux/amd64\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.readSettings([]debug.BuildSetting{
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123abcd"},
		{Key: "vcs.time", Value: "2026-11-21T17:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	})
	if got, want := v.String(), "slipway v1.2.3 go1.26.5 linux/amd64\ncommit 0123abcd, 2026-11-21T17:00:00Z, with uncommitted changes\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
