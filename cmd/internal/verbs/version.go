package verbs

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/slipway-dev/slipway/internal/version"
)

// VersionInfo describes how the program was built. Outside of a git repository, the commit is unknown.
type VersionInfo struct {
	Version    string // a tag, or (devel)
	Commit     string
	CommitDate string // RFC 3339
	Dirty      bool   // the working tree had changes
	Go         string
	OS         string
	Arch       string
}

// ReadVersion returns the version of the running program.
func ReadVersion() VersionInfo {
	v := VersionInfo{Version: version.Current(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.readSettings(info.Settings)
	}
	return v
}

// readSettings reads what the go command records about the repository.
func (v *VersionInfo) readSettings(settings []debug.BuildSetting) {
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.CommitDate = s.Value
		case "vcs.modified":
			v.Dirty = s.Value == "true"
		}
	}
}

// String returns the version in one or two lines.
func (v VersionInfo) String() string {
	text := fmt.Sprintf("slipway %s %s %s/%s\n", v.Version, v.Go, v.OS, v.Arch)
	if v.Commit == "" {
		return text
	}
	text += fmt.Sprintf("commit %s, %s", v.Commit, v.CommitDate)
	if v.Dirty {
		text += ", with uncommitted changes"
	}
	return text + "\n"
}

func versionVerb() Verb {
	return Verb{
		Name: "version", Short: "Print version information",
		Run: func(_ context.Context, c Call) error {
			_, err := fmt.Fprint(c.Stdout, ReadVersion())
			return err
		},
	}
}
