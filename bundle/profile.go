package bundle

import (
	"fmt"
	"strings"
)

// Profile holds the names that one kind of host uses for the same things. Code outside
// sdk takes these names from here; other differences depend on Name.
type Profile struct {
	Name                string
	DependencyKey       string // of the required service range in "dependencies"
	LegacyDependencyKey string // of the deprecated version pattern in "dependencies"
	EnvPrefix           string // of the environment variables of a backend
}

// Profiles returns every profile, the default first.
func Profiles() []Profile {
	return []Profile{
		{Name: "service", DependencyKey: "serviceDependency", LegacyDependencyKey: "serviceVersion", EnvPrefix: "SVC_"},
		{Name: "grafana", DependencyKey: "grafanaDependency", LegacyDependencyKey: "grafanaVersion", EnvPrefix: "GF_"},
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

// DetectProfile returns the first profile whose keys a plugin.json uses. ok is false
// if it uses none of them.
func DetectProfile(doc *Document) (profile Profile, ok bool) {
	for _, p := range Profiles() {
		if doc.Has("/dependencies/"+p.DependencyKey) || doc.Has("/dependencies/"+p.LegacyDependencyKey) {
			return p, true
		}
	}
	return Profile{}, false
}
