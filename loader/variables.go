package loader

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Variables returns the names of the environment variables that a host can set for
// backends, sorted. Each exists under the prefix of every profile.
func Variables() []string {
	const set = "x"
	var host []string
	for _, name := range telemetry() {
		host = append(host, hostPrefix+name+"="+set)
	}
	env := environment(
		Options{AppURL: set, HostVersion: set, Toggles: []string{set}, Environ: host},
		&bundle.Metadata{Info: bundle.Info{Version: set}}, Settings{}, set,
	)
	names := make([]string, len(env))
	for i, entry := range env {
		names[i], _, _ = strings.Cut(entry, "=")
	}
	slices.Sort(names)
	return names
}
