package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/internal/verbs"
)

// version describes how the running program was built. The commit is unknown for a
// program that was not built in a git repository.
type version struct {
	Version    string `json:"version"` // a tag, or (devel)
	Commit     string `json:"commit,omitempty"`
	CommitDate string `json:"commitDate,omitempty"` // RFC 3339
	Dirty      bool   `json:"dirty"`                // the working tree had changes
	Go         string `json:"go"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
}

func readVersion() version {
	v := version{Version: origin.Version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.readSettings(info.Settings)
	}
	return v
}

// readSettings reads what the go command records about the repository.
func (v *version) readSettings(settings []debug.BuildSetting) {
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
func (v version) String() string {
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

// listFormats returns the formats of version and of other lists.
func listFormats() []string { return []string{"text", "json"} }

func versionCommand(v version) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print version information",
		Args:  arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains(listFormats(), format) {
				return &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("--format: %w", nearest.Unknown("format", format, listFormats()))}
			}
			if format == "text" {
				_, err := fmt.Fprint(c.OutOrStdout(), v)
				return err
			}
			e := json.NewEncoder(c.OutOrStdout())
			e.SetIndent("", "  ")
			return e.Encode(v)
		},
	}
	c.Flags().StringVar(&format, "format", "text", "output format: text or json")
	return c
}
