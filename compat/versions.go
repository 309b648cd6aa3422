package compat

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
)

// profile reports which key names plugin.json uses. A nested plugin needs none: that of the
// plugin around it counts.
func (p plugin) profile() []Row {
	row := Row{Aspect: "profile", Here: Yes, Existing: Yes}
	var found []string
	for _, one := range bundle.Profiles() {
		if p.document.Has("/dependencies/" + one.DependencyKey) {
			found = append(found, one.Name)
		}
	}
	row.Found = strings.Join(found, " and ")
	if p.document.Has("/dependencies/" + bundle.Published().DependencyKey) {
		return []Row{row}
	}
	if len(found) == 0 && p.isNested {
		return nil
	}
	row.Existing = Partly
	row.Help = fmt.Sprintf("add dependencies.%s: without it, existing hosts do not check the version and their tools reject the plugin",
		bundle.Published().DependencyKey)
	if len(found) == 0 {
		row.Found, row.Here = "neither", Partly
	}
	return []Row{row}
}

// kind reports a type of plugin that existing hosts treat in their own way. Secrets managers were
// removed before 12.0 (https://github.com/grafana/grafana/pull/101467).
func (p plugin) kind(o Options) []Row {
	row := Row{Aspect: "type", Found: string(p.metadata.Type), Here: Yes, Existing: No}
	switch p.metadata.Type {
	case bundle.TypeRenderer:
		if p.metadata.Executable == bundle.RendererExecutable {
			return nil
		}
		row.Help = fmt.Sprintf(`existing hosts start %s_%s for a renderer, whatever "executable" says, and exit if it is missing: write `+
			`"executable": %[1]q and build it again`, bundle.RendererExecutable, "<os>_<arch>")
	case bundle.TypeSecretsManager:
		const executable = "secrets_plugin_start"
		if p.metadata.Executable == executable {
			row.Existing = Partly
			if o.Existing != "" {
				row.Existing = admits("<12", o.Existing)
			}
		}
		row.Help = "existing hosts from version 12 on do not have this type, and earlier ones start " + executable + "_<os>_<arch> for it"
	default:
		return nil
	}
	if row.Existing == Yes {
		row.Help = ""
	}
	return []Row{row}
}

// versions compares the ranges in plugin.json with the versions of the hosts, and names the
// plugins that must be present.
func (p plugin) versions(o Options) (rows []Row) {
	for _, one := range bundle.Profiles() {
		pointer := "/dependencies/" + one.DependencyKey
		if !p.document.Has(pointer) {
			continue
		}
		text, _ := p.document.Text(pointer)
		row := Row{Aspect: one.DependencyKey, Found: text, Here: Yes, Existing: Yes}
		if one == bundle.Published() {
			if row.Existing = admits(text, o.Existing); row.Existing == No {
				row.Existing = Partly // only the installation compares versions
			}
		}
		if text == p.metadata.Dependencies.ServiceRange { // the one that counts here
			if row.Here = admits(text, o.Version); row.Here == No {
				row.Here = Partly // this host reports it and runs the plugin: most such plugins work
			}
		}
		row.Help = versionHelp(row, o)
		rows = append(rows, row)
	}
	for _, d := range p.metadata.Dependencies.Plugins {
		rows = append(rows, Row{
			Aspect: "plugin", Found: strings.TrimSpace(d.ID + " " + d.Version), Here: Partly, Existing: Partly,
			Help: "install it in the host as well",
		})
	}
	return rows
}

// admits reports whether a range admits a version. Hosts run a plugin whose range they cannot
// read.
func admits(text, version string) Verdict {
	r, err := ranges.Parse(text)
	if err != nil || !r.IsSatisfiable() {
		return Partly
	}
	exact, err := ranges.Parse(version)
	if err != nil { // the version is not known
		return Yes
	}
	if v, ok := exact.Lowest(); ok && !r.Admits(v) {
		return No
	}
	return Yes
}

func versionHelp(row Row, o Options) string {
	switch {
	case row.Aspect == bundle.Published().DependencyKey && admits(row.Found, o.Existing) == No:
		return fmt.Sprintf("the existing host has version %s: it does not install the plugin from its catalog, but runs it if it is mounted "+
			"or copied into the directory of plugins", o.Existing)
	case admits(row.Found, "") == Partly:
		return "write a range that a version can satisfy, such as >=10.3.0"
	case row.Here == Partly:
		return fmt.Sprintf("this host has version %s: it runs the plugin and reports the difference; set %s to a version within the range",
			o.Version, o.VersionOption)
	}
	return ""
}
