package script

import (
	"fmt"
	"strings"
	"testing"
)

// TestUses counts the uses of X as a value, with an exclamation mark for a guard.
func TestUses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`import { X } from 'a'; X(); new X(); f(X); a = X.b; [X]; ({ X }); ({ a: X }); a ? X : X`: "9",
		`return <X a={1}>x</X>`:                                         "2",
		`const a = <div>{b && <X />}</div>`:                             "1",
		`const a = <X<B> />`:                                            "1",
		`class A extends X<B> implements X {}`:                          "1",
		`class A<T extends X> extends B {}`:                             "0",
		`interface A extends B, X { a: X; b?: X; c(): X }`:              "0",
		`type A = X | B<X, X> | { a: X; b: X[] } | [X, X]`:              "0",
		`function f(a: X, b?: X, { c }: X = {}): X { }`:                 "0",
		`const f = (a: X): X => a; const b: X = c as X`:                 "0",
		`const a: Array<X> = useState<X>(), b: () => X = c;`:            "0",
		`class A { a: X; b = X.c; d?: X; private e: X = f; }`:           "1",
		`type A = typeof X; let b: typeof X`:                            "0",
		`export default { a: X, b: { c: X } }`:                          "2",
		`x = y ? { a: X } : X; switch (a) { case X.b: }`:                "3",
		`const a = { X: 1, b() {} }; <B X={1} />; a.X; a?.X`:            "0",
		`type T<U = X> = U extends X ? X : X`:                           "0",
		`if (X) {} typeof X === 'a'; X?.(); X && X(); !X; a(X ? X : 1)`: "6!2",
		"const a = `${X.b}`; export { X }":                              "2",
		`export type { X } from 'a'; import type { X } from 'b'`:        "0",
		`f({ a: b ? c : X, d: X })`:                                     "2",
		`const { X } = a; f(function (X) {})`:                           "0",
		`const f = () => (X.a() ? <B /> : c(X)); g(() => (X))`:          "3",
	} {
		f := parsed(t, "a.tsx", "import { X } from 'x';\n"+text)
		uses, guards := 0, 0
		for u := range f.Uses(ImportedName{Local: "X"}, false) {
			if u.IsGuard {
				guards++
			} else {
				uses++
			}
		}
		got := fmt.Sprint(uses)
		if guards > 0 {
			got = fmt.Sprintf("%d!%d", guards, uses)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestMembers lists the members that are used of whole modules, with an exclamation mark for a guard.
func TestMembers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`import * as X from 'a'; X.a(); let b: X.c; typeof X.d; f(X)`:                "a d!",
		`import * as X from 'a'; X['a']; X?.["b"].c; X[d]; X[e + 'f']; (X).g`:        "a b g",
		`import * as X from 'a'; const { a, b: c, 'd': e, ...f } = X`:                "a b d",
		`import * as X from 'a'; const { a = b, c } = X; if (c) {}`:                  "a! c!",
		`import * as X from 'a'; const { a: { b } } = X; f(({ c }: D = X) => c)`:     "a",
		`import * as X from 'a'; const b = X; b.a; let c: b.d; b.e?.()`:              "a e!",
		`import * as X from 'a'; let b = X; b = c; b.a`:                              "",
		`import * as X from 'a'; { const b = X; b.a } b.c; const d = (b) => b.e`:     "a",
		`import * as X from 'a'; X.b = 1; ({ X: 1 }); <X.c />`:                       "b c",
		`import * as X from 'a'; function f(X: any) { X.a } X.b; g((X) => X.c, X.d)`: "b d",
		`import X = require('a'); X.b; const { c } = X`:                              "b c",
		`const X = require('a'); X.b; require('a').c; const { d } = require('a')`:    "b c d",
		`const X = await import('a'); X.b; (await import('a')).c`:                    "b c",
		`const { a, b } = (await import(/* c */ 'a')), d = 1; b && b()`:              "a b!",
		`import('a').then((m) => m.b); import('a').then(({ c: d }) => d)`:            "b c",
		`import('a').then(async function (m) { return m['b'] })`:                     "b",
		`import('a').then(m => { const m = c; m.b }); import('a').catch(d)`:          "",
		`const p = import('a'); p.b; let c: typeof import('a'); f.require('a').d`:    "",
		`let a: import('a').B; lazy(() => import('a')); b = c as import('a').D`:      "",
	} {
		f := parsed(t, "a.tsx", text)
		var got []string
		for _, m := range f.Imports() {
			for _, n := range m.Names {
				for u := range f.Uses(n, true) {
					if u.IsGuard {
						u.Member += "!"
					}
					got = append(got, u.Member)
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
