// Package build builds the dist directory of a plugin repository: executables for every
// platform, frontends, assets, and a plugin.json that describes the build.
//
// MakePlan decides what to run and to write, and changes nothing. Run works in a
// directory next to dist and, once that is complete, replaces the files of dist that differ. The same commit produces
// the same bytes: no time, path or credential of the machine reaches the output. The
// one exception comes from go.mod: the path of a local replacement is part of the Go
// build info of the executables.
package build
