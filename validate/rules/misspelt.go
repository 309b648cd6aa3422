package rules

import (
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/nearest"
)

// joinMisspelt makes one fault of a required property that is missing and the
// unknown one beside it that was meant to be it.
func joinMisspelt(profile bundle.Profile, faults []fault) []fault {
	missing := map[string][]string{} // by the pointer of the object
	for _, f := range faults {
		if f.keyword == "required" {
			in, name := parent(f.pointer)
			missing[in] = append(missing[in], name)
		}
	}
	for i, f := range faults {
		if f.keyword != "additionalProperties" {
			continue
		}
		in, key := parent(f.pointer)
		names := missing[in]
		meant := ofProfile(profile, key)
		if !slices.Contains(names, meant) {
			meant = nearest.Name(key, names)
		}
		faults[i].meant = meant
		missing[in] = slices.DeleteFunc(names, func(name string) bool { return name == meant })
	}
	return slices.DeleteFunc(faults, func(f fault) bool {
		in, name := parent(f.pointer)
		return f.keyword == "required" && !slices.Contains(missing[in], name)
	})
}

// ofProfile returns the name that the profile has for a key of another profile,
// or "".
func ofProfile(profile bundle.Profile, key string) string {
	for _, other := range bundle.Profiles() {
		switch key {
		case profile.DependencyKey, profile.LegacyDependencyKey:
			return ""
		case other.DependencyKey:
			return profile.DependencyKey
		case other.LegacyDependencyKey:
			return profile.LegacyDependencyKey
		}
	}
	return ""
}
