package loader

import (
	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
)

// HostVersion returns the version that a host of the plugins in directories reports: the highest that one
// of them requires as a minimum, and at least the given one.
func HostVersion(dirs []string, least *semver.Version) string {
	plugins, _ := bundle.Discover(dirs...) // what is wrong with them is reported when they are mounted
	for _, p := range plugins {
		r, err := ranges.Parse(p.Metadata.Dependencies.ServiceRange)
		if err != nil {
			continue
		}
		if lowest, ok := r.Lowest(); ok && ranges.Release(lowest).GreaterThan(least) { // hosts are releases
			least = ranges.Release(lowest)
		}
	}
	return least.String()
}
