// Package archive packs a built plugin: the manifest, the zip, its checksums, the
// SBOM and the signature.
//
// It owns the formats of those files and reads them back to verify a plugin. It
// neither builds plugins nor judges their content, and it holds no list of trusted
// keys.
package archive
