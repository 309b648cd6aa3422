package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestHash() validate.Rule {
	return validate.Rule{
		ID:      "manifest-hash",
		Summary: "file that does not match the manifest",
		Why:     "A host that checks the manifest compares each file with its checksum and does not load a plugin that has changed.",
		Help:    "package the plugin again",
		Where:   validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			m := inspect.Manifest.Of(p)
			switch {
			case m.File == "":
				return
			case m.Err != nil:
				p.Reportf(validate.Place{File: m.File}, "cannot read the manifest: %v", m.Err)
				return
			}
			if path.Base(m.File) == archive.ManifestFile {
				if _, err := readManifest(p, m.File); err != nil {
					p.Reportf(validate.Place{File: m.File}, "the host does not accept the manifest: %v", err)
				}
			}
			checkOwner(p, m)
			wrong := 0
			for _, name := range slices.Sorted(maps.Keys(m.Files)) {
				problem, err := compare(p, m, name)
				if problem == "" && err == nil {
					continue
				}
				if wrong++; wrong > maxWrongEntries {
					p.Skipf("%s has more than %d wrong entries", path.Base(m.File), maxWrongEntries)
					return
				}
				if err != nil {
					p.Skipf("cannot compare %s with the manifest: %v", name, err)
					continue
				}
				p.Report(validate.Finding{Place: m.Key(p, "/files/"+bundle.EscapePointer(name)), Message: problem, Help: helpModified(m)})
			}
		},
	}
}

// maxWrongEntries is how many entries are reported: each takes time in proportion to the
// manifest.
const maxWrongEntries = 100

// compare returns what is wrong with an entry of the manifest, or "".
func compare(p *validate.Pass, m *inspect.PluginManifest, name string) (problem string, err error) {
	if !fs.ValidPath(name) {
		return fmt.Sprintf("%q is not a path in the plugin", name), nil
	}
	err = archive.File{Path: path.Join(p.Dir, name), Size: -1, SHA256: m.Files[name]}.Compare(p.FS)
	switch {
	case err == archive.ErrMissing:
		return name + " is listed but does not exist", nil
	case err == archive.ErrChanged:
		return name + " has changed since the manifest was written", nil
	case errors.Is(err, archive.ErrMissing), errors.Is(err, archive.ErrChanged):
		return fmt.Sprintf("%s: %v", name, err), nil
	}
	return "", err
}

// helpModified returns the help for a plugin that is not what a dashboard service signed, or "".
func helpModified(m *inspect.PluginManifest) string {
	if !m.IsSigned() {
		return ""
	}
	return signature.Modified + "; sign the plugin again after its last change, and change nothing in it afterwards"
}

// readManifest reads a MANIFEST.json, whose form is stricter than that of other manifests,
// and returns its bytes.
func readManifest(p *validate.Pass, name string) ([]byte, error) {
	const maxBytes = 8 << 20
	data, err := inspect.ReadFile(p, p.Root, name, maxBytes)
	if err != nil {
		return nil, err
	}
	_, err = archive.ParseManifest(data)
	return data, err
}

// checkOwner compares the plugin and version of the manifest with plugin.json.
func checkOwner(p *validate.Pass, m *inspect.PluginManifest) {
	for _, c := range []struct{ in, found, key, pointer string }{
		{"plugin", m.Plugin, "id", "/id"},
		{"version", m.Version, "version", "/info/version"},
	} {
		want, _ := p.Doc.Text(c.pointer)
		if c.found == "" || want == "" || c.found == want {
			continue
		}
		p.Report(validate.Finding{
			Place:   m.Key(p, "/"+c.in),
			Message: fmt.Sprintf("manifest is for %s %q, but plugin.json has %s %q", c.key, c.found, c.key, want),
			Help:    helpModified(m),
			Related: []validate.Related{{Place: p.Value(c.pointer), Message: "the " + c.key + " is set here"}},
		})
	}
}
