package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func reactRemoved(p *validate.Pass) {
	m := inspect.Module.Of(p)
	var found []string
	for _, text := range []string{ // properties, whose names minifiers keep
		".findDOMNode(", ".unmountComponentAtNode(", ".createFactory(", ".renderToNodeStream(",
		".__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED", "react-dom/test-utils",
	} {
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
}
