// Package compat shows what the rules of package validate find about the versions of existing hosts: a
// matrix of aspects and versions, and the widest range of versions that is true. It has no checks of
// its own.
//
// What a backend does with calls is the subject of package conformance.
package compat
