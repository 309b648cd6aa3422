package script

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestReadImports(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`import a, { b as c } from 'd'; f(`:                    "d: default b",
		`import 'a'; const b = Array.from('c')`:                "",
		`f(); export * from "a"; g({ b: 1 })`:                  "a: *",
		"import { a }\n// from 'b'\nfrom\n'c'; f('x from ')":   "c: a",
		`import { a } from 'b'; f(() => { g("c from 'd'") })`:  "b: a",
		"import { a } from 'b'; f(`c from 'd' ${e}`)":          "b: a",
		`import { a } from 'b'; const c = <d>from 'e' f</d>`:   "b: a",
		`f(() => { g() }); import { a } from 'b'; import 'c';`: "b: a",
	} {
		all := testkit.Must(ReadImports("a.tsx", []byte(text)))(t)
		var got []string
		for _, m := range all {
			line := m.Module + ":"
			for _, n := range m.Names {
				line += " " + n.Name
			}
			got = append(got, line)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if all, err := ReadImports("a.ts", []byte(`import { a } from 'b'; f(() => { "c from 'd'" }`)); err == nil {
		t.Errorf("a file that cannot be read: %v", all)
	}
}
