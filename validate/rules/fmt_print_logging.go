package rules

import (
	"go/ast"
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func fmtPrintLogging(p *validate.Pass) {
	goCalls(p, "fmt", "prints to standard output", "Print", "Printf", "Println")
}

// goCalls reports each call, in the backend, of functions of a package, or of all of them.
func goCalls(p *validate.Pass, pkg, problem string, names ...string) {
	inspect.EachGoCall(p, pkg, func(f *inspect.GoFile, call *ast.CallExpr, name string) {
		p.Reportf(f.Place(p, call.Fun), "%s.%s %s", path.Base(pkg), name, problem)
	}, names...)
}
