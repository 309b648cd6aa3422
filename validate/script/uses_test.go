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
		f, err := Parse("a.tsx", []byte("import { X } from 'x';\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		uses, guards := 0, 0
		for u := range f.Uses("X", false) {
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
	f, err := Parse("a.ts", []byte(`import * as X from 'a'; X.a(); let b: X.c; typeof X.d; f(X)`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for u := range f.Uses("X", true) {
		got = append(got, fmt.Sprint(u.Member, u.IsGuard))
	}
	if strings.Join(got, " ") != "afalse dtrue" {
		t.Errorf("members: %v", got)
	}
}
