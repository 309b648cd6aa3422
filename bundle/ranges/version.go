package ranges

import "github.com/Masterminds/semver/v3"

// The lowest release, and what is below it.
var (
	zero      = semver.New(0, 0, 0, "", "")
	belowZero = semver.New(0, 0, 0, "0", "")
)

// Release returns a version without its prerelease.
func Release(v *semver.Version) *semver.Version { return with(v, "") }

// with returns a version with another prerelease.
func with(v *semver.Version, pre string) *semver.Version {
	if pre == v.Prerelease() {
		return v
	}
	return semver.New(v.Major(), v.Minor(), v.Patch(), pre, "")
}

// next returns the lowest version above v.
func next(v *semver.Version) *semver.Version {
	if pre := v.Prerelease(); pre != "" {
		return with(v, pre+".0")
	}
	return semver.New(v.Major(), v.Minor(), v.Patch()+1, "0", "")
}

// isOf reports whether two versions are the same release, or prereleases of it.
func isOf(v, w *semver.Version) bool {
	return v.Major() == w.Major() && v.Minor() == w.Minor() && v.Patch() == w.Patch()
}
