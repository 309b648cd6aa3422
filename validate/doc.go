// Package validate checks plugins: it finds the plugin.json files of a tree, runs rules
// over each, and returns all findings with their positions in one report.
//
// It contains the engine: it defines what a Rule, a Finding and a Report are,
// determines which plugins are source and which are built, and orders the output. It
// contains no rules (see validate/rules) and prints nothing (see validate/report). It
// does not change files, use the network, or treat a check that did not run as passed.
package validate
