package script

import (
	"fmt"
	"path"
	"slices"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. Comments are not among the tokens, and the text of JSX is left out.
const (
	Punct    Kind = iota
	Name          // an identifier or keyword, or the name of an attribute in JSX
	String        // with its quotes
	Template      // a part of a template without its substitutions; the backquotes are Punct
	Number
	Regexp
)

// Token is a token of a File.
type Token struct {
	Kind     Kind
	From, To int // offsets in File.Data
	Pair     int // index of the other bracket, for ( ) [ ] { } ${ } and the backquotes; otherwise -1
	Around   int // index of the opening bracket around it, or -1
}

// Span is a range of bytes.
type Span struct{ From, To int }

// File is a file as tokens.
type File struct {
	Data     []byte
	Tokens   []Token
	Comments []Span // in the order of the file

	hasJSX    bool
	imports   []Import          // nil until they are needed
	named     map[string][]int  // tokens by their name; nil until they are needed
	constants map[string]string // by name; nil until one is needed
}

// Error is a place in a file that cannot be read.
type Error struct {
	Offset  int
	Problem string
}

// Error returns the problem and its offset.
func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.Problem, e.Offset) }

// Extensions returns the extensions of the files that Parse reads.
func Extensions() []string {
	return []string{".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"}
}

// IsTypeScript reports whether the name of a file is that of a TypeScript file.
func IsTypeScript(name string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".cts"}, path.Ext(name))
}

// Parse reads a file. A name such as a.ts means that it probably has no JSX, because some
// type assertions look like it; some compilers accept it there. The error is an *Error.
func Parse(name string, data []byte) (*File, error) {
	hasJSX := !slices.Contains([]string{".ts", ".mts", ".cts"}, path.Ext(name))
	f, err := parse(data, hasJSX)
	if err != nil && !hasJSX {
		if f, errJSX := parse(data, true); errJSX == nil {
			return f, nil
		}
	}
	return f, err
}

func parse(data []byte, hasJSX bool) (*File, error) {
	const bytesPerToken = 2 // seldom fewer, even in minified files, so that the slice need not grow
	s := &scanner{file: &File{Data: data, hasJSX: hasJSX, Tokens: make([]Token, 0, len(data)/bytesPerToken)}, hasJSX: hasJSX}
	if err := s.run(); err != nil {
		return nil, err
	}
	return s.file, nil
}

// Text returns the text of the token with an index, or "" if there is none.
func (f *File) Text(i int) string {
	if i < 0 || i >= len(f.Tokens) {
		return ""
	}
	t := f.Tokens[i]
	return string(f.Data[t.From:t.To])
}

// Is reports whether a token is one of the names or punctuators. A string never is.
func (f *File) Is(i int, texts ...string) bool {
	if i < 0 || i >= len(f.Tokens) || f.Tokens[i].Kind > Name {
		return false
	}
	t := f.Tokens[i]
	for _, text := range texts {
		if string(f.Data[t.From:t.To]) == text {
			return true
		}
	}
	return false
}

// Between returns the span from the first to the last of two tokens.
func (f *File) Between(first, last int) Span {
	return Span{From: f.Tokens[first].From, To: f.Tokens[last].To}
}
