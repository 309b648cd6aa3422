// Package rulebook explains rules: as a list, as a page for a terminal and as one
// document of all of them. What it says of a rule is in the rule and its example,
// which the tests of validate/rules hold true.
//
// It owns the words around that. It refuses to know any rule: the caller passes them.
package rulebook
