package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func manifestHash() validate.Rule {
	return validate.Rule{
		ID:       "manifest-hash",
		Severity: validate.Error,
		Summary:  "the files are those that the manifest lists, unchanged",
		Why:      "The service compares each file with its sum in the manifest and does not load a plugin that was changed since.",
		Help:     "package the plugin again",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			m := manifestOf(p)
			switch {
			case m.file == "":
				return
			case m.err != nil:
				p.Reportf(validate.Place{File: m.file}, "the manifest cannot be read: %v", m.err)
				return
			}
			checkOwner(p, m)
			for _, name := range slices.Sorted(maps.Keys(m.Files)) {
				at := "/files/" + bundle.EscapePointer(name)
				if !fs.ValidPath(name) {
					p.Reportf(m.at(p, at), "the manifest lists %q, which is not a path in the plugin", name)
					continue
				}
				switch got, err := sum(p, path.Join(p.Dir, name)); {
				case errors.Is(err, fs.ErrNotExist):
					p.Reportf(m.at(p, at), "the manifest lists %s, which is not there", name)
				case err != nil:
					p.Skipf("%s was not compared with the manifest: %v", name, err)
				case got != m.Files[name]:
					p.Reportf(m.at(p, at), "%s was changed after the manifest was written", name)
				}
			}
		},
	}
}

// checkOwner compares whose manifest it is.
func checkOwner(p *validate.Pass, m *manifest) {
	for _, c := range []struct{ in, is, key, pointer string }{
		{"plugin", m.Plugin, "id", "/id"},
		{"version", m.Version, "version", "/info/version"},
	} {
		want, _ := p.Doc.Text(c.pointer)
		if c.is == "" || want == "" || c.is == want {
			continue
		}
		p.Report(validate.Finding{
			Place:   m.at(p, "/"+c.in),
			Message: fmt.Sprintf("the manifest is of the %s %q, but plugin.json has the %s %q", c.in, c.is, c.key, want),
			Related: []validate.Related{{Place: p.Value(c.pointer), Message: "the " + c.key + " is here"}},
		})
	}
}
