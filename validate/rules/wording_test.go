package rules

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/validate"
)

// TestNoGuesses requires that findings and fixes do not guess: they name no key that is merely
// similar or where the author already is, and split no string whose parts are uncertain.
func TestNoGuesses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, want string }{
		{"key of links", `{ "name": "Site",`, `{ "target": "_blank", "name": "Site",`, `unknown key "target" in "info.links[0]" (delete it, or check its spelling) ""`},
		{"key in its own place", `"build": {`, `"build": { "build": 7,`, `unknown key "build" in "info.build" (delete it, or check its spelling) ""`},
		{"keywords in a string", `["tide", "sea"]`, `"tide, sea,"`, `"info.keywords" must be an array, found a string (put the value in [ ]) "[\"tide\",\"sea\"]"`},
		{"one role in a string", `["Viewer", "Service Admin"]`, `"Viewer"`, `"roles[0].grant" must be an array, found a string (put the value in [ ]) "[\"Viewer\"]"`},
		{"several roles in a string", `["Viewer", "Service Admin"]`, `"Viewer, Editor"`, `"roles[0].grant" must be an array, found a string (put the value in [ ]) ""`},
	} {
		p := completePlugin(t, validate.Source)
		p.files["plugin.json"] = &fstest.MapFile{Data: []byte(strings.Replace(string(p.files["plugin.json"].Data), c.old, c.new, 1))}
		for _, f := range p.run(t, All()).Findings {
			edit := ""
			if f.Fix != nil {
				edit = f.Fix.Edits[0].Text
			}
			if got := fmt.Sprintf("%s (%s) %q", f.Message, f.Help, edit); got != c.want {
				t.Errorf("%s: got %s, want %s", c.name, got, c.want)
			}
		}
	}
}
