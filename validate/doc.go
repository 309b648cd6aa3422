// Package validate checks plugins: it finds the plugin.json files of a tree, runs rules
// over each, and returns all findings with their places in one report.
//
// It owns the engine: what a Rule, a Finding and a Report are, which plugins are source
// and which are built, and the order of the output. It refuses to contain rules (see
// validate/rules), to print (see validate/report), to change files, to use the network,
// and to treat a check that did not run as passed.
package validate
