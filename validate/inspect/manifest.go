package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/validate"
)

// manifestNames returns the names that a manifest may have. A plugin with several is
// compared with the first, which a dashboard service has signed.
func manifestNames() []string { return []string{signature.File, "MANIFEST", archive.ManifestFile} }

// Omits reports whether the manifest does not list a file: one of a dashboard service lists all others, and no other
// manifest lists manifests.
func (m *PluginManifest) Omits(name string) bool {
	return name == path.Base(m.File) || !m.IsSigned() && (archive.IsSigning(name) || slices.Contains(manifestNames(), name))
}

// maxManifestBytes is the size beyond which a manifest is not read.
const maxManifestBytes = 8 << 20

// PluginManifest lists the files of a plugin with their SHA-256 sums.
type PluginManifest struct {
	File string `json:"-"` // "" if the plugin has none
	Err  error  `json:"-"` // why it could not be read

	signature.Manifest // of a MANIFEST.json, only Plugin, Version and Files

	text []byte // the file
	skip int    // bytes of the text before the JSON
	doc  *bundle.Document
}

// Manifest holds the manifest of a plugin. A nested plugin has none of its own.
var Manifest = validate.NewFact(func(p *validate.Pass) *PluginManifest {
	m := &PluginManifest{}
	if p.IsNested {
		return m
	}
	for _, name := range manifestNames() {
		if file := path.Join(p.Dir, name); Exists(p, file) {
			m.File = file
			break
		}
	}
	if m.File == "" {
		return m
	}
	if m.text, m.Err = ReadFile(p, p.Root, m.File, maxManifestBytes); m.Err == nil {
		if m.IsSigned() {
			m.Manifest = *signature.Read(m.text, p.Signers)
		}
		m.read()
	}
	return m
})

// IsSigned reports whether the manifest is one that a dashboard service signs.
func (m *PluginManifest) IsSigned() bool { return path.Base(m.File) == signature.File }

// read parses the JSON, which may be inside a signed message.
func (m *PluginManifest) read() {
	start := max(bytes.Index(m.text, []byte("-----BEGIN PGP SIGNED MESSAGE-----")), 0)
	m.skip = start + max(bytes.IndexByte(m.text[start:], '{'), 0)
	var raw json.RawMessage
	if m.Err = json.NewDecoder(bytes.NewReader(m.text[m.skip:])).Decode(&raw); m.Err != nil {
		return
	}
	m.doc, m.Err = bundle.ParseDocument(m.File, raw)
	if m.Err == nil && m.Files == nil {
		m.Err = json.Unmarshal(raw, m)
	}
	if m.Err == nil && m.Files == nil {
		m.Err = errors.New(`missing key "files"`)
	}
}

// Key returns the position of the key at a pointer.
func (m *PluginManifest) Key(p *validate.Pass, pointer string) validate.Place {
	span := m.doc.Key(pointer)
	return PlaceIn(p, m.File, m.text, m.skip+span.Start.Offset, m.skip+span.End.Offset)
}
