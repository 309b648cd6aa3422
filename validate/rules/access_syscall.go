package rules

import (
	"go/ast"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func accessSyscall() validate.Rule {
	return validate.Rule{
		ID:      "access-syscall",
		Summary: "backend that calls package syscall",
		Why: "System calls bypass what limits a plugin, and those of one operating system do not compile for another. The catalog does not " +
			"accept plugins that make them.",
		Help:  "use a package of the standard library that does the same on every platform",
		Where: validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachGoCall(p, "syscall", func(f *inspect.GoFile, call *ast.CallExpr, name string) {
				p.Reportf(f.Place(p, call.Fun), "syscall.%s belongs to syscall, which the catalog does not accept in plugins", name)
			})
		},
	}
}
