// Package ranges reads ranges of versions as plugin.json writes them, such as
// ">=9.4.0 <11 || ^12", in the grammar of node-semver.
//
// It owns what a range admits: whether it can be satisfied and how low it goes.
// It refuses one thing that node-semver takes, the empty range, because in a
// plugin.json that is an oversight and not a wish for every version.
package ranges
