package loader

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
)

// ordered is a plugin in the order of the starts.
type ordered struct {
	mounted
	after []string // ids of the plugins that start first
	cycle []string // ids of plugins that require each other, itself included; nil if it is in no cycle
}

// startOrder returns the plugins so that each follows those that it depends on. Plugins in a
// cycle do not wait for each other. The order depends on that of mounts only.
func startOrder(mounts []mounted) (list []ordered) {
	plugins := map[string]mounted{}
	for _, m := range mounts {
		plugins[m.Metadata.ID] = m
	}
	cycles := map[string][]string{} // by the ids of their plugins
	isDone := map[string]bool{}
	var path []string // from a plugin to the one that is visited, each of which depends on the next
	var visit func(id string)
	visit = func(id string) {
		if at := slices.Index(path, id); at >= 0 {
			cycle := slices.Clone(path[at:])
			for _, member := range cycle {
				cycles[member] = cycle
			}
			return
		}
		if isDone[id] {
			return
		}
		path = append(path, id)
		p := ordered{mounted: plugins[id]}
		for _, d := range p.Metadata.Dependencies.Plugins {
			if _, isMounted := plugins[d.ID]; isMounted {
				visit(d.ID)
				if isDone[d.ID] && !slices.Contains(cycles[id], d.ID) {
					p.after = append(p.after, d.ID)
				}
			}
		}
		path, isDone[id] = path[:len(path)-1], true
		list = append(list, p)
	}
	for _, m := range mounts {
		visit(m.Metadata.ID)
	}
	for i := range list {
		list[i].cycle = cycles[list[i].Metadata.ID]
	}
	return list
}

// required returns the mounted plugins with the ids. The caller must hold the lock.
func (l *Loader) required(ids []string) (list []*Plugin) {
	for _, id := range ids {
		if p, ok := l.plugins[id]; ok {
			list = append(list, p)
		}
	}
	return list
}

// awaitRequired waits until the plugins that this one depends on have started or failed to
// start. It cannot deadlock: each of them was mounted earlier.
func (p *Plugin) awaitRequired(ctx context.Context) {
	for _, other := range p.after {
		_ = other.Settled(ctx) // fails only if ctx ends
	}
	p.after = nil // so that removed plugins can be garbage-collected
}

// unmet returns what the mounted plugins lack: required keys of plugin.json, the version of
// the host, and other plugins. These plugins run anyway: most of them work.
func (o Options) unmet(mounts []ordered) (list []bundle.Fault) {
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
		if p.cycle != nil {
			report(bundle.FaultDependencyCycle, "is in a cycle of plugins that require each other: %s", strings.Join(p.cycle, ", "))
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

// inRange reports whether a range admits a version; ok is false if either is missing or
// invalid.
func inRange(text, version string) (admits, ok bool) {
	r, noRange := ranges.Parse(text)
	v, noVersion := semver.NewVersion(version)
	if noRange != nil || noVersion != nil {
		return false, false
	}
	return r.Admits(v), true
}
