package rules

import (
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestHash(p *validate.Pass) {
	m := inspect.Manifest.Of(p)
	switch {
	case m.File == "":
		return
	case m.Err != nil:
		p.Reportf(validate.Place{File: m.File}, "cannot read the manifest: %v", m.Err)
		return
	}
	checkOwner(p, m)
	found := inspect.Modified.Of(p)
	if found.Err != nil {
		p.Skipf("cannot compare the files with the manifest: %v", found.Err)
	}
	wrong := 0
	for _, f := range found.Files {
		if _, isListed := m.Files[f.Path]; !isListed {
			continue // manifest-undeclared reports it
		}
		if wrong++; wrong > maxWrongEntries {
			p.Skipf("%s has more than %d wrong entries", signature.File, maxWrongEntries)
			return
		}
		problem := f.Error()
		switch {
		case f.Err == archive.ErrMissing:
			problem = f.Path + " is listed but does not exist"
		case f.Err == archive.ErrChanged:
			problem = f.Path + " has changed since the manifest was written"
		case !errors.Is(f.Err, archive.ErrMissing) && !errors.Is(f.Err, archive.ErrChanged):
			p.Skipf("cannot compare %s with the manifest: %v", f.Path, f.Err)
			continue
		}
		p.Report(validate.Finding{Place: m.Key(p, "/files/"+bundle.EscapePointer(f.Path)), Message: problem, Help: helpModified})
	}
}

// maxWrongEntries is how many entries are reported: each takes time in proportion to the
// manifest.
const maxWrongEntries = 100

const helpModified = signature.Modified + "; sign the plugin again after its last change, and change nothing in it afterwards"

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
			Help:    helpModified,
			Related: []validate.Related{{Place: p.Value(c.pointer), Message: "the " + c.key + " is set here"}},
		})
	}
}
