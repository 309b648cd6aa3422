package rules

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func generatedStale(p *validate.Pass) {
	listed, kinds := []string{}, []string{} // the first extension of each type
	for _, item := range p.Doc.Items(extensionsPointer) {
		kind, _ := p.Doc.Text(item + "/type")
		if len(registrations(kind)) > 0 && !slices.Contains(kinds, kind) {
			listed, kinds = append(listed, item), append(kinds, kind)
		}
	}
	if len(listed) == 0 || !inspect.Exists(p, path.Join(p.Dir, inspect.ModuleFile)) {
		return // module-js-missing reports it
	}
	found, err := callsIn(p)
	if err != nil {
		p.Skipf("cannot read the frontend: %v", err)
		return
	}
	for i, item := range listed {
		if !slices.ContainsFunc(registrations(kinds[i]), func(call string) bool { return found[call] }) {
			p.Reportf(p.Opening(item), `"generated" lists a %s, but no script of the plugin registers one`, kinds[i])
		}
	}
}

// registrations returns the functions with which a frontend registers a type of
// extension. Minifiers do not rename them, because they are methods of the host.
func registrations(kind string) []string {
	return map[string][]string{
		"link":      {"addLink", "configureExtensionLink"},
		"component": {"addComponent", "configureExtensionComponent"},
	}[kind]
}

// callsIn returns the registrations that occur in the scripts of the plugin.
func callsIn(p *validate.Pass) (found map[string]bool, err error) {
	found = map[string]bool{}
	left := int64(inspect.MaxScriptBytes)
	err = fs.WalkDir(p.FS, p.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".js") {
			return err
		}
		data, err := inspect.ReadFile(p, p.Root, name, left)
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
