package rules

import (
	"testing"
	"testing/fstest"
)

// TestPluginAboveItsFrontend requires the help to say that the frontend is in src, or has a name in another case.
func TestPluginAboveItsFrontend(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"plugin.json":   {Data: []byte(`{"id": "acme-clock-panel", "name": "Clock", "type": "panel"}`)},
		"package.json":  {Data: []byte(`{}`)},
		"src/module.js": {Data: []byte(`export const plugin = 1;`)},
	}
	found := of("frontend-missing", run(t, tree))
	if len(found) != 1 || found[0].Help != "move plugin.json to src, next to module.js" {
		t.Errorf("findings %+v", found)
	}
	tree["Module.ts"] = tree["src/module.js"] // which a Mac reads as module.ts
	delete(tree, "src/module.js")
	if found := of("frontend-missing", run(t, tree)); len(found) != 1 || found[0].Help != "rename Module.ts to module.ts" {
		t.Errorf("another case: findings %+v", found)
	}
}
