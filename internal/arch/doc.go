// Package arch contains tests of the source itself: which package may import which, how
// packages are documented, and whether the documents are up to date. It consists of tests.
package arch
