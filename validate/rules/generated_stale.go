package rules

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// maxScriptBytes is how much of the frontend is read at most.
const maxScriptBytes = 64 << 20

func generatedStale() validate.Rule {
	return validate.Rule{
		ID:       "generated-stale",
		Severity: validate.Error,
		Summary:  "the frontend registers the kinds of extensions that \"generated\" lists",
		Why:      "The service offers what \"generated\" lists. If the frontend beside it no longer registers it, people click on what is not there.",
		Help:     "build the plugin again, frontend and plugin.json together",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			var listed []string // the first extension of each type
			for _, item := range p.Doc.Items(extensionsPointer) {
				kind, _ := p.Doc.Text(item + "/type")
				if len(registrations(kind)) > 0 && !containsType(p, listed, kind) {
					listed = append(listed, item)
				}
			}
			if len(listed) == 0 || !exists(p, path.Join(p.Dir, moduleFile)) {
				return // module-js-missing speaks of it
			}
			found, err := callsIn(p)
			if err != nil {
				p.Skipf("the frontend was not read: %v", err)
				return
			}
			for _, item := range listed {
				kind, _ := p.Doc.Text(item + "/type")
				isThere := false
				for _, call := range registrations(kind) {
					isThere = isThere || found[call]
				}
				if !isThere {
					p.Reportf(p.Opening(item), "no script of the plugin registers a %s, but \"generated\" lists one", kind)
				}
			}
		},
	}
}

// registrations are the functions by which a frontend adds a type of extension. No
// tool that shortens scripts renames them, since the service knows them by name.
func registrations(kind string) []string {
	return map[string][]string{
		"link":      {"addLink", "configureExtensionLink"},
		"component": {"addComponent", "configureExtensionComponent"},
	}[kind]
}

func containsType(p *validate.Pass, items []string, kind string) bool {
	for _, item := range items {
		if k, _ := p.Doc.Text(item + "/type"); k == kind {
			return true
		}
	}
	return false
}

// callsIn looks for registrations in every script of the plugin.
func callsIn(p *validate.Pass) (found map[string]bool, err error) {
	found = map[string]bool{}
	left := int64(maxScriptBytes)
	err = fs.WalkDir(p.FS, p.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".js") {
			return err
		}
		data, err := readFile(p, p.Root, name, left)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		left -= int64(len(data))
		for _, kind := range []string{"link", "component"} {
			for _, call := range registrations(kind) {
				found[call] = found[call] || bytes.Contains(data, []byte(call))
			}
		}
		return nil
	})
	return found, err
}
