package script

import (
	"fmt"
	"strings"
	"testing"
)

// TestGlobals counts the uses of console and the members of window.
func TestGlobals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`console.log(1)`: "1",
		`logger.console.log("console.log(1)"); // console.log(1)`: "0",
		`import { console } from './a'; console.log(1)`:           "0",
		`import { a as console } from './a'; console.log(1)`:      "0",
		`const console = a; console.log(1)`:                       "0",
		`const { console } = a; console.log(1)`:                   "0",
		`const { a: [console] } = b; console.log(1)`:              "0",
		`function f(a, console) { console.log(1) }`:               "0",
		`f((console: C): void => console.log(1))`:                 "0",
		`f(({ console }) => console.log(1))`:                      "0",
		`f(console => console.log(1))`:                            "0",
		`class A { b(console: C): void { console.log(1) } }`:      "0",
		`for (const [console] of a) console.log(1)`:               "0",
		`try {} catch (console) { console.log(1) }`:               "0",
		`f(console); a = { b: console }; if (console) { c() }`:    "3",
		`x = c ? f(console) : d`:                                  "1",
		`window.open(); window?.open(); window['open']()`:         "open open open",
		`(window as any).open(); (window as unknown as W).a`:      "open a",
		`f(window as any).open(); a.window.open()`:                "",
		`function f(window: Window) { window.open() }`:            "",
		"x = `window.open()` + /window.open/":                     "",
	} {
		f := parsed(t, "a.ts", text)
		got := ""
		if strings.Contains(text, "window") {
			var names []string
			for _, name := range f.WindowMembers() {
				names = append(names, name)
			}
			got = strings.Join(names, " ")
		} else {
			n := 0
			for range f.Globals("console") {
				n++
			}
			got = fmt.Sprint(n)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`f()`:                         "[]",
		`f(a)`:                        "[a]",
		`f(a(b, c), [d, e], "," )`:    `[a(b, c)|[d, e]|","]`,
		"f?.(`a${b}, c`, d => { e })": "[`a${b}, c`|d => { e }]",
		`f`:                           "none",
		`f(a) { b }`:                  "none",
		`x = { f(a): b }`:             "none",
		`x = c ? f(a) : d`:            "[a]",
	} {
		f := parsed(t, "a.ts", text)
		at := 0
		for !f.Is(at, "f") {
			at++
		}
		args, ok := f.Arguments(at)
		var texts []string
		for _, a := range args {
			span := f.Between(a[0], a[1])
			texts = append(texts, text[span.From:span.To])
		}
		got := "[" + strings.Join(texts, "|") + "]"
		if !ok {
			got = "none"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	const text = `import './a.css';
import b, { c, type d, e as f } from "b";
import * as g from 'g';
import type { h } from 'h';
import type from 'i';
export * from 'j';
export { k as l } from 'k';
export const m = 'm';
export { n };
const o = import('o'), p = import.meta.url;
import q = require('r');
`
	f := parsed(t, "a.ts", text)
	var got []string
	for _, m := range f.Imports() {
		line := m.Module
		for _, n := range m.Names {
			line += fmt.Sprintf(" %s>%s", n.Name, n.Local)
		}
		got = append(got, line)
	}
	want := "./a.css\nb default>b c>c d>d e>f\ng *>g\nh h>h\ni default>type\nj *>\nk k>\no *>\nr *>q"
	if strings.Join(got, "\n") != want {
		t.Errorf("imports:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}

func TestLiteral(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a"`:                                "a",
		"`a`":                                "a",
		"`a${b}`":                            "?",
		"const a = 'b'; a":                   "b",
		"const a = `b`\nconst c = 1; a":      "b",
		"const a = 'b' + c; a":               "?",
		"const a = 'b'; { const a = 'c' } a": "?",
		"let a = 'b'; a":                     "?",
	} {
		f := parsed(t, "a.ts", text)
		last := len(f.Tokens) - 1
		first := last
		if f.Is(last, "`") {
			first = f.Tokens[last].Pair
		}
		got, ok := f.Literal(first, last)
		if !ok {
			got = "?"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
