package frontend

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/google/go-cmp/cmp"
)

// What each class has is what swc 1.13 makes of it with create-plugin's options (target es2015), with f a function
// that calls its argument and returns "f". A module that awaits has the same fields.
func TestFields(t *testing.T) {
	t.Parallel()
	const undefined = "undefined"
	for code, want := range map[string]map[string]any{
		"class A { a = f(() => this.b = 1); private b!: number; constructor(readonly n = 'n') {} }": {"n": "n", "a": "f", "b": int64(1)},
		"class A { a = f(() => this.b = 1); private b!: number; constructor(n = 'n') {} }":          {"a": "f", "b": undefined},
		"class A {\n  a = f(() => {\n    this.b = this.c = 2\n  })\n  b: Map<string, () => void>\n  // of\n  readonly c?: 'x'\n    | 'y'\n" +
			"  d = this.c\n  constructor(private n = 'n', public m: { a: string } = f()) {}\n  g(): { a: 1 } { return null }\n}": {"n": "n", "m": "f", "a": "f", "b": int64(2), "c": int64(2), "d": int64(2)},
		"class A { a = f(() => this.b = 1); b = 2; c = this.b; constructor(readonly n = 'n') {} }":                                       {"n": "n", "a": "f", "b": int64(2), "c": int64(2)},
		"class B { p = 1; q = 1 } class A extends B { z = 1; p!: number; declare q: number; constructor(readonly n = 'n') { super() } }": {"n": "n", "z": int64(1), "p": undefined, "q": int64(1)},
		"class A { a = f(() => A.s = 1); static s?: number; b = A.s; c?: string; constructor(readonly n = 'n') {} }":                     {"n": "n", "a": "f", "b": int64(1), "c": undefined},
		"class A { a = this.n + '!'; h = f(() => this.b = 1); b; get c() { return 1 } set c(v) {} static async g<T = 1>(x = 2): Promise<T> { return null }\n" +
			"  readonly?: boolean; [k: string]: any; constructor(); constructor(private n = 'n') {} }": {"n": "n", "a": "n!", "h": "f", "b": int64(1), "readonly": undefined},
		"abstract class B { a = f(() => this.b = 1); protected abstract b: number; constructor(readonly n = 'n') {} } class A extends B { b }":                                {"n": "n", "a": "f", "b": undefined},
		"const A = class { a = f(() => this.b = new (class { c = f(() => this.d = 1); d?: any; constructor() {} })().d ?? 'in'); b: any; constructor(protected n = 'n') {} }": {"n": "n", "a": "f", "b": "in"},
		"class A { static a = 1; b; constructor(readonly n = 'n') {} }":                                                                                                       {"n": "n", "b": undefined},
	} {
		for file, await := range map[string]string{"src/a.ts": "", "src/a.tsx": "await 0;"} {
			r := mustBundle(t, map[string]string{
				file: "declare let f: any;\n" + code + "\nexport const a: any = new A();",
				"src/module.ts": "(globalThis as any).f = (g?: any) => { g?.(); return 'f' };\n" + await +
					"const { a } = require('./a');\nexport const own = Object.fromEntries(Object.getOwnPropertyNames(a).map((k) => [k, a[k] ?? 'undefined']));",
			})
			_, exports := load(t, r, nil)
			if p, ok := exports.Export().(*goja.Promise); ok {
				exports = p.Result().ToObject(nil)
			}
			got := exports.Get("own").Export().(map[string]any)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s: %s", file, code, diff)
			}
		}
	}
}
