package rules

import (
	"go/ast"

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
		Check: func(p *validate.Pass) {
			inspect.EachGoCall(p, "fmt", func(f *inspect.GoFile, call *ast.CallExpr, name string) {
				p.Reportf(f.Place(p, call.Fun), "fmt.%s prints to standard output", name)
			}, "Print", "Printf", "Println")
		},
	}
}
