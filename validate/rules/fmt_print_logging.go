package rules

import (
	"go/ast"
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func fmtPrintLogging() validate.Rule {
	return validate.Rule{
		ID:      "fmt-print-logging",
		Summary: "backend that prints to standard output",
		Why: "A host reads the handshake of a backend from standard output, so a backend that prints before it does not start. What it " +
			"prints later reaches the log without a level and without the request it belongs to.",
		Help:  "use the logger of the SDK",
		Where: validate.Source,
		Check: goCalls("fmt", "prints to standard output", "Print", "Printf", "Println"),
	}
}

// goCalls returns a check that reports each call, in the backend, of functions of a package, or of all of them.
func goCalls(pkg, problem string, names ...string) func(*validate.Pass) {
	return func(p *validate.Pass) {
		inspect.EachGoCall(p, pkg, func(f *inspect.GoFile, call *ast.CallExpr, name string) {
			p.Reportf(f.Place(p, call.Fun), "%s.%s %s", path.Base(pkg), name, problem)
		}, names...)
	}
}
