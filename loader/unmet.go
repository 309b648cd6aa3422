package loader

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
)

// unmet returns what the mounted plugins lack: required keys of plugin.json, the version of
// the host, and other plugins. These plugins run anyway: most of them work.
func (o Options) unmet(mounts []bundle.Plugin) (list []bundle.Fault) {
	byID := map[string]*bundle.Metadata{}
	for _, p := range mounts {
		byID[p.Metadata.ID] = p.Metadata
	}
	for _, p := range mounts {
		report := func(code bundle.FaultCode, format string, args ...any) {
			list = append(list, bundle.Fault{Code: code, Path: filepath.Join(p.Dir, bundle.MetadataFile), PluginID: p.Metadata.ID,
				Reason: fmt.Sprintf(format, args...)})
		}
		if missing := p.Metadata.Missing; len(missing) > 0 {
			report(bundle.FaultIncomplete, "missing %s", strings.Join(missing, ", "))
		}
		needs := p.Metadata.Dependencies
		service := needs.ServiceRange
		if service == "" {
			service = needs.ServiceVersion
		} else if _, err := ranges.Parse(service); err != nil {
			report(bundle.FaultInvalidRange, "invalid range %q of service versions", service)
		}
		if admits, ok := inRange(service, o.HostVersion); ok && !admits {
			report(bundle.FaultServiceRange, "requires version %s of the service, but this host reports %s", service, o.HostVersion)
		}
		for _, d := range needs.Plugins {
			found := byID[d.ID]
			if found == nil {
				report(bundle.FaultDependencyMissing, "requires the plugin %q, which is not mounted", d.ID)
				continue
			}
			if d.Type != "" && d.Type != found.Type {
				report(bundle.FaultDependencyType, "requires the plugin %q of type %s, but its type is %s", d.ID, d.Type, found.Type)
			}
			if admits, ok := inRange(d.Version, found.Info.Version); ok && !admits {
				report(bundle.FaultDependencyRange, "requires version %s of the plugin %q, but version %s is mounted", d.Version, d.ID,
					found.Info.Version)
			}
		}
	}
	return list
}

// inRange reports whether a range admits a version; ok is false unless both are valid.
func inRange(text, version string) (admits, ok bool) {
	r, noRange := ranges.Parse(text)
	v, noVersion := semver.NewVersion(version)
	if noRange != nil || noVersion != nil {
		return false, false
	}
	return r.Admits(v), true
}

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
