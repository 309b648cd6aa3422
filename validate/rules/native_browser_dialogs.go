package rules

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func nativeBrowserDialogs(p *validate.Pass) {
	dialogs := []string{"alert", "confirm", "prompt"}
	inspect.EachTypeScript(p, func(s *inspect.Script) {
		report := func(i int) {
			if _, isCall := s.Arguments(i); isCall {
				p.Reportf(s.At(p, i, i), "%s opens a dialog of the browser", strings.Trim(s.Text(i), `'"`))
			}
		}
		for _, name := range dialogs {
			for i := range s.Globals(name) {
				report(i)
			}
		}
		for i, name := range s.WindowMembers() {
			if slices.Contains(dialogs, name) {
				report(i)
			}
		}
	}, "alert(", "confirm(", "prompt(", "window")
}
