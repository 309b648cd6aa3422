package script

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func parsed(t *testing.T, name, text string) *File {
	t.Helper()
	return testkit.Must(Parse(name, []byte(text)))(t)
}

// show returns the tokens of a file: names and numbers as they are, strings as S, parts of
// templates as T, and regular expressions as R.
func show(f *File) string {
	var words []string
	for i, t := range f.Tokens {
		switch t.Kind {
		case String:
			words = append(words, "S")
		case Template:
			words = append(words, "T")
		case Regexp:
			words = append(words, "R")
		default:
			words = append(words, f.Text(i))
		}
	}
	return strings.Join(words, " ")
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.ts", `a = "it's" + 'a \' b' // c`, `a = S + S`},
		{"a.ts", "x(`a ${b + `c${d}`} e`, f)", "x ( ` T ${ b + ` T ${ d } ` } T ` , f )"},
		{"a.ts", "`\\`${ {a: 1}.a }`", "` T ${ { a : 1 } . a } `"},
		{"a.ts", `a = b / c / d`, `a = b / c / d`},
		{"a.ts", `a = /[/"]\//g.test(b)`, `a = R . test ( b )`},
		{"a.ts", `if (a) /b'/.test(c); (a) / b / c`, `if ( a ) R . test ( c ) ; ( a ) / b / c`},
		{"a.ts", "function f() {}\n/a'/.test(b)", `function f ( ) { } R . test ( b )`},
		{"a.ts", `x = { a: 1 } / 2 / 3; return /a/`, `x = { a : 1 } / 2 / 3 ; return R`},
		{"a.ts", `a! / b; !/a'/.test(b); a++ / b / c; a.return / b / c`, `a ! / b ; ! R . test ( b ) ; a ++ / b / c ; a . return / b / c`},
		{"a.ts", `x = <T>y; a?.b; a ?.5 : 1e+3; 0x1F_n`, `x = < T > y ; a ?. b ; a ? .5 : 1e+3 ; 0x1F_n`},
		{"a.ts", "#!/usr/bin/env node\n/* ' */ @a class B { #c = 1 }", `@ a class B { #c = 1 }`},
		{"a.ts", `return <div className="a">it's</div>;`, `return < div className = S > < / div > ;`}, // some compilers accept it
		{"a.tsx", `x = <A b="it's \" c={d > 1 && <E />}>don't {f /* ' */} <br/>{"}"}</A>;`,
			`x = < A b = S c = { d > 1 && < E / > } > { f } < br / > { S } < / A > ;`},
		{"a.tsx", `return (<><B.C<D<E>> data-f {...g}>/ ' "</B.C></>)`, `return ( < > < B . C < D < E > > data-f { ... g } > < / B . C > < / > )`},
		{"a.tsx", `const f = <T,>(a: T) => a < b; const g = <T extends C>(a: T) => <i>'</i>`,
			`const f = < T , > ( a : T ) => a < b ; const g = < T extends C > ( a : T ) => < i > < / i >`},
		{"a.tsx", `type F = <T>(a: T) => T; interface G { get?<T>(a: string): T }`,
			`type F = < T > ( a : T ) => T ; interface G { get ? < T > ( a : string ) : T }`},
		{"a.tsx", `x = a ? <b>(it's)</b> : <i extends/>; of<string>('a')`, `x = a ? < b > < / b > : < i extends / > ; of < string > ( S )`},
		{"a.tsx", `const a = useState<B[]>([]), c = (d as E<F>) / 2; <p/>`, `const a = useState < B [ ] > ( [ ] ) , c = ( d as E < F > ) / 2 ; < p / >`},
	} {
		f, err := Parse(c.name, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got := show(f); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a = 'b\n'":                     "string without an end at byte 4",
		"a(`b${c":                       "no } for this bracket at byte 4",
		"(a]":                           "] without its opening bracket at byte 2",
		"{ a":                           "no } for this bracket at byte 0",
		"/* a":                          "comment without an end at byte 0",
		"x = /a\n/":                     "regular expression without an end at byte 4",
		"x = <a>b":                      "element without a closing tag at byte 4",
		"x = <a b=c>":                   "no value for this attribute at byte 9",
		strings.Repeat("[", maxDepth+1): "brackets are nested too deeply at byte 500",
	} {
		if _, err := Parse("a.jsx", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	f := parsed(t, "a.tsx", "// a\nx = <A /* b */>// text {/* c */}</A> // d")
	var got []string
	for _, c := range f.Comments {
		got = append(got, string(f.Data[c.From:c.To]))
	}
	if want := "// a,/* b */,/* c */,// d"; strings.Join(got, ",") != want {
		t.Errorf("comments %q, want %s", got, want)
	}
}

// FuzzParse requires that no text makes Parse panic, and that brackets are in pairs.
func FuzzParse(f *testing.F) {
	f.Add("x = <A b={`${c}`}>d</A>; /e/")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.ts", "a.tsx"} {
			file, err := Parse(name, []byte(text))
			if err != nil {
				continue
			}
			end := 0
			for i, token := range file.Tokens {
				if token.From < end || token.To <= token.From || token.Pair >= 0 && file.Tokens[token.Pair].Pair != i {
					t.Fatalf("token %d: %+v", i, token)
				}
				if around := token.Around; around >= i || around >= 0 && (file.Tokens[around].Pair <= i) {
					t.Fatalf("token %d is not in its brackets: %+v", i, token)
				}
				end = token.To
			}
			file.Declares("x")
			file.Imports()
			for i, name := range file.WindowMembers() {
				file.Arguments(i)
				_ = name
			}
		}
	})
}
