package rules

import (
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func outdatedSqldsVersion(p *validate.Pass) {
	const module = "github.com/grafana/sqlds"
	inspect.EachGoFile(p, func(f *inspect.GoFile) {
		for _, spec := range f.Syntax.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if name == module || name == module+"/v2" || strings.HasPrefix(name, module+"/v2/") {
				p.Reportf(f.Place(p, spec.Path), "%s is an outdated version of sqlds", name)
			}
		}
	}, module)
}
