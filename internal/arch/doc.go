// Package arch contains tests of the source itself: which package may import which, how
// packages are documented, and whether the documents are up to date. It consists of tests.
// The tables arrows and never, in arch_test.go, hold the rules: for example, only sdk,
// loader and internal/wire import go-plugin.
package arch
