package frontend

import (
	"maps"
	"strings"
	"testing"
)

// A bundle is the same whether the package that tsconfig.json extends is installed or not: fields are
// defined, and decorators are TypeScript's, unless the repository says otherwise.
func TestBundleWithoutBaseConfig(t *testing.T) {
	t.Parallel()
	base := map[string]string{"node_modules/@grafana/tsconfig/base.json": `{"compilerOptions": {"target": "es2018", "experimentalDecorators": true, "jsx": "react"}}`}
	for _, test := range []struct{ options, has string }{
		{`{}`, "__publicField"},
		{`{"target": "es2018"}`, "this.x ="},
		{`{"useDefineForClassFields": false}`, "this.x ="},
		{`{"experimentalDecorators": false}`, "__decoratorStart"},
	} {
		files := map[string]string{
			"src/module.ts": "declare const d: any; @d class A { x = 1 } export const plugin = new A()",
			"tsconfig.json": `{"extends": "@grafana/tsconfig/base.json", "compilerOptions": ` + test.options + `}`,
		}
		dev := func(o *Options) { o.Dev = true }
		without := mustBundle(t, files, dev)
		maps.Copy(files, base)
		with := mustBundle(t, files, dev)
		code, installed := string(without.Files[0].Contents), string(with.Files[0].Contents)
		if code != installed {
			t.Errorf("%s: the bundle differs where the package is installed:\n%s\n%s", test.options, code, installed)
		}
		if !strings.Contains(code, test.has) {
			t.Errorf("%s: %q is not in the bundle:\n%s", test.options, test.has, code)
		}
		if test.options == `{}` && strings.Contains(code, "__decoratorStart") {
			t.Errorf("decorators are not those of TypeScript:\n%s", code)
		}
	}
}
