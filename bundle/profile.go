package bundle

import (
	"fmt"
	"strings"
)

// Profile holds the names that one kind of host uses for the same things, and what these hosts do differently.
// Code outside sdk takes both from here; nothing depends on Name.
type Profile struct {
	Name                string
	DependencyKey       string // of the required service range in "dependencies"
	LegacyDependencyKey string // of the deprecated version pattern in "dependencies"
	EnvPrefix           string // of the environment variables of a backend
	SchemaPath          string // what the address of its schema contains
	SchemaURL           string // of its schema

	IsLenient      bool // its hosts load plugins that break the contract where they, or a published schema, allow it
	MaxIDParts     int  // of an id, in the published schema; 0 means any number
	HasMoreActions bool // its hosts have actions and scopes that package access does not list
	HasExtensions  bool // plugin.json declares in "extensions" what a frontend registers, and not in "generated"
}

// Profiles returns every profile, the default first.
func Profiles() []Profile {
	return []Profile{
		{
			Name: "service", DependencyKey: "serviceDependency", LegacyDependencyKey: "serviceVersion", EnvPrefix: "SVC_",
			SchemaPath: "/slipway-dev/",
			SchemaURL:  "https://raw.githubusercontent.com/slipway-dev/slipway/main/validate/schema/plugin.schema.json",
		},
		{
			Name: "grafana", DependencyKey: "grafanaDependency", LegacyDependencyKey: "grafanaVersion", EnvPrefix: "GF_",
			SchemaPath: "grafana",
			SchemaURL:  "https://raw.githubusercontent.com/grafana/grafana/main/docs/sources/developers/plugins/plugin.schema.json",
			IsLenient:  true, MaxIDParts: 3, HasMoreActions: true, HasExtensions: true,
		},
	}
}

// Published returns the profile of the published SDKs and of existing hosts.
func Published() Profile { return Profiles()[1] }

// ProfileByName returns the named profile; "" is the default profile.
func ProfileByName(name string) (Profile, error) {
	if name == "" {
		return Profiles()[0], nil
	}
	var known []string
	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return Profile{}, fmt.Errorf("unknown profile %q: use %s", name, strings.Join(known, " or "))
}

// DetectProfile returns the first profile whose keys a plugin.json uses, or else that of its
// "$schema". ok is false if it has neither.
func DetectProfile(doc *Document) (profile Profile, ok bool) {
	for _, p := range Profiles() {
		if doc.Has("/dependencies/"+p.DependencyKey) || doc.Has("/dependencies/"+p.LegacyDependencyKey) {
			return p, true
		}
	}
	schema, _ := doc.Text("/$schema")
	for _, p := range Profiles() {
		if strings.Contains(schema, p.SchemaPath) {
			return p, true
		}
	}
	return Profile{}, false
}
