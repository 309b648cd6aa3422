// Package provenance compares an archive with the plugin repository that it claims to be built from.
//
// It runs no build. Assets must be those of the source, byte for byte; plugin.json must be that of the
// source apart from what a build adds; and bundles, executables and lists of Go files must name the
// files of the source. What code does that was compiled or bundled is not compared: an archive without
// differences can still be the work of somebody who changed it carefully.
package provenance
