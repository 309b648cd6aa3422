package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/validate"
)

// PluginManifest is what Grafana signed of a plugin: its files with their SHA-256 sums.
type PluginManifest struct {
	File string `json:"-"` // "" if the plugin has none
	Err  error  `json:"-"` // why it could not be read

	signature.Manifest

	text []byte // the file
	skip int    // bytes of the text before the JSON
	doc  *bundle.Document
}

// Manifest holds the manifest of a plugin. A nested plugin has none of its own.
var Manifest = validate.NewFact(func(p *validate.Pass) *PluginManifest {
	m := &PluginManifest{}
	file := path.Join(p.Dir, signature.File)
	if p.IsNested || !Exists(p, file) {
		return m
	}
	const maxBytes = 8 << 20
	m.File = file
	if m.text, m.Err = ReadFile(p, p.Root, file, maxBytes); m.Err == nil {
		m.Manifest = *signature.Read(m.text, p.Signers)
		m.read()
	}
	return m
})

// Differences are the files that differ from a manifest, or why they could not be compared.
type Differences struct {
	Files []*archive.FileError
	Err   error
}

// Modified holds the files that differ from the manifest of a plugin.
var Modified = validate.NewFact(func(p *validate.Pass) (d Differences) {
	if m := Manifest.Of(p); m.File != "" && m.Err == nil {
		d.Files, d.Err = archive.Compare(p.FS, p.Dir, &m.Manifest)
	}
	return d
})

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
