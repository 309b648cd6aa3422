// Package archive packs a built plugin: the zips, their checksums and the SBOM. It opens what was
// packed, and compares it with its checksums and with a list of its files.
//
// It neither builds plugins nor judges their content.
package archive
