// Package validate checks plugins: it finds the plugin.json files of a tree,
// runs rules over each and returns every finding, with its place, in one report.
//
// It owns the engine: what a Rule, a Finding and a Report are, which folder is
// source and which is built, and the order of the output. It refuses to know any
// rule (those are in validate/rules), to print (validate/report), to change a
// file, to use the network, and to call a check passed that did not run.
package validate
