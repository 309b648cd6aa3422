package rules

import (
	"go/ast"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func accessOSEnvironment() validate.Rule {
	return validate.Rule{
		ID:      "access-os-environment",
		Summary: "backend that accesses all environment variables",
		Why: "The environment may hold secrets of the host, and a host passes on few variables. The catalog does not accept plugins that " +
			"read all of them.",
		Help:  "read what users configure from the settings of the instance",
		Where: validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachGoCall(p, "os", func(f *inspect.GoFile, call *ast.CallExpr, name string) {
				p.Reportf(f.Place(p, call.Fun), "os.%s accesses all environment variables", name)
			}, "Environ", "Clearenv", "ExpandEnv")
		},
	}
}
