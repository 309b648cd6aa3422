// Package ranges parses the version ranges in plugin.json, such as ">=9.4.0 <11 ||
// ^12", in the grammar of node-semver.
//
// It determines which versions a range admits, and which is the lowest. Versions are
// those of package semver, whose constraints have another grammar and do not say where
// an error is. Unlike node-semver, package ranges rejects the empty range, which in a
// plugin.json is a mistake and does not mean every version.
package ranges
