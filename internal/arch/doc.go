// Package arch tests the source itself: which package may import which, how packages
// are documented, and whether the documents are up to date. It contains nothing but
// tests. The tables arrows and never, in arch_test.go, contain the rules: for example,
// only loader imports go-plugin.
package arch
