package packages

import "github.com/Masterminds/semver/v3"

// satisfies reports whether a version is in a range. Only those of npm's syntax have versions.
func satisfies(version, wanted string) bool {
	v, err := semver.NewVersion(version)
	if err != nil {
		return false
	}
	c, err := semver.NewConstraint(wanted)
	return err == nil && c.Check(v)
}
