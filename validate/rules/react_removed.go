package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// removedFromReact returns what React 19 has removed. Minifiers keep the names of properties.
func removedFromReact() []string {
	return []string{
		".findDOMNode(", ".unmountComponentAtNode(", ".createFactory(", ".renderToNodeStream(",
		".__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED", "react-dom/test-utils",
	}
}

func reactRemoved() validate.Rule {
	return validate.Rule{
		ID:      "react-removed",
		Summary: "frontend that uses what React 19 has removed",
		Why: "Hosts share their React with plugins, and new ones share version 19. A call of a function that it lacks ends with an " +
			"exception. A library may contain such a call and not use it in a newer React, so try the plugin.",
		Help:   "update the libraries that use it, and replace what your own code uses",
		Where:  validate.Dist | validate.Zip,
		Aspect: "react",
		Check: func(p *validate.Pass) {
			m := inspect.Module.Of(p)
			var found []string
			for _, text := range removedFromReact() {
				if bytes.Contains(m.Data, []byte(text)) {
					found = append(found, text)
				}
			}
			if len(found) > 0 {
				at := bytes.Index(m.Data, []byte(found[0]))
				d, _ := declaredIn(p, inspect.HostRanges.Of(p))
				p.Report(validate.Finding{
					Place:   inspect.PlaceIn(p, m.File, m.Data, at, at+len(found[0])),
					Message: fmt.Sprintf("module.js contains %s, which React 19 has removed", strings.Join(found, ", ")),
					Hosts:   d.withReact19(),
				})
			}
		},
	}
}
