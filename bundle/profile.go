package bundle

import "fmt"

// Profile names the keys by which one service knows the same things. It is data:
// code asks it for a name and never which profile it is.
type Profile struct {
	Name                string // as given to -profile
	DependencyKey       string // required range, in "dependencies"
	LegacyDependencyKey string // deprecated pattern, in "dependencies"
	EnvPrefix           string // of the variables a backend receives
}

// Profiles lists every profile, the default first.
func Profiles() []Profile {
	return []Profile{
		{Name: "service", DependencyKey: "serviceDependency", LegacyDependencyKey: "serviceVersion", EnvPrefix: "SVC_"},
		{Name: "grafana", DependencyKey: "grafanaDependency", LegacyDependencyKey: "grafanaVersion", EnvPrefix: "GF_"},
	}
}

// ProfileByName returns the named profile; "" is the default one.
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
	return Profile{}, fmt.Errorf("unknown profile %q: use one of %v", name, known)
}
