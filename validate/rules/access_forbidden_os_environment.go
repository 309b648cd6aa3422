package rules

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func accessForbiddenOSEnvironment(p *validate.Pass) {
	ofPlugins := []string{"SVC_", "GF_PLUGIN", "GF_VERSION", "GF_EDITION", "GF_APP_URL", "GF_INSTANCE_", "GF_ENTERPRISE_",
		"AWS_AUTH_", "GFAZPL_", "AZURE_"} // what hosts set for them begins with one of these
	inspect.EachGoCall(p, "os", func(f *inspect.GoFile, call *ast.CallExpr, name string) {
		if len(call.Args) == 0 {
			return
		}
		variable, ok := f.StringOf(call.Args[0])
		if ok && !slices.ContainsFunc(ofPlugins, func(prefix string) bool { return strings.HasPrefix(variable, prefix) }) {
			p.Reportf(f.Place(p, call), "os.%s accesses %q, which is not for plugins", name, variable)
		}
	}, "Getenv", "LookupEnv", "Setenv", "Unsetenv")
}
