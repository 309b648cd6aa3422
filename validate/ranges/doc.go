// Package ranges parses version ranges of plugin.json, such as ">=9.4.0 <11 || ^12", in
// the grammar of node-semver.
//
// It owns which versions a range admits, and which is the lowest. Unlike node-semver it
// refuses the empty range, which in a plugin.json is a mistake and does not mean every
// version.
package ranges
