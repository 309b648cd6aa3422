package rules

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// manifestNames are the names that a manifest has, with and without a signature.
func manifestNames() []string { return []string{"MANIFEST.txt", "MANIFEST"} }

// maxPluginFiles is the number of files beyond which a plugin is not compared with
// its manifest, and maxManifestBytes the size beyond which that is not read.
const (
	maxPluginFiles   = 20000
	maxManifestBytes = 8 << 20
)

// manifest is the list of the files of a plugin and their SHA-256 sums.
type manifest struct {
	file string // "" if there is none
	data []byte // the JSON in it
	skip int    // bytes of the file before that
	all  []byte // the file
	doc  *bundle.Document

	Plugin, Version string
	Files           map[string]string
	err             error
}

type manifestKey struct{}

// manifestOf reads the manifest of a plugin once for all rules that ask. A nested
// plugin has none of its own.
func manifestOf(p *validate.Pass) *manifest {
	return validate.Fact(p, manifestKey{}, func() *manifest {
		m := &manifest{}
		if isNested(p) {
			return m
		}
		for _, name := range manifestNames() {
			if file := path.Join(p.Dir, name); exists(p, file) {
				m.file = file
				break
			}
		}
		if m.file == "" {
			return m
		}
		if m.all, m.err = readFile(p, p.Root, m.file, maxManifestBytes); m.err == nil {
			m.read()
		}
		return m
	})
}

// read takes the JSON out of what may be a signed message.
func (m *manifest) read() {
	m.skip = max(bytes.IndexByte(m.all, '{'), 0)
	var raw json.RawMessage
	if m.err = json.NewDecoder(bytes.NewReader(m.all[m.skip:])).Decode(&raw); m.err != nil {
		return
	}
	m.data = m.all[m.skip : m.skip+len(raw)]
	m.doc, m.err = bundle.ParseDocument(m.file, m.data)
	if m.err == nil {
		m.err = json.Unmarshal(m.data, m)
	}
	if m.err == nil && m.Files == nil {
		m.err = errors.New("it has no \"files\"")
	}
}

// at returns the place of the value at a pointer of the manifest.
func (m *manifest) at(p *validate.Pass, pointer string) validate.Place {
	span := m.doc.Key(pointer)
	return placeIn(p, m.file, m.all, m.skip+span.Start.Offset, m.skip+span.End.Offset)
}

// sum returns the SHA-256 sum of a file of the plugin in hexadecimal digits.
func sum(p *validate.Pass, name string) (string, error) {
	f, err := openFile(p, p.Root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// filesOf lists the files of the plugin, as paths from its folder.
func filesOf(p *validate.Pass) (files []string, err error) {
	err = fs.WalkDir(p.FS, p.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if len(files) == maxPluginFiles {
			return fmt.Errorf("the plugin has more than %d files", maxPluginFiles)
		}
		files = append(files, below(p.Dir, name))
		return nil
	})
	return slices.DeleteFunc(files, func(f string) bool { return slices.Contains(manifestNames(), f) }), err
}
