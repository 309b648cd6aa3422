package script

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// scanner splits a file into tokens. JavaScript has no tokens without a parser: whether
// "/" and "<" are operators depends on what comes before them, so the scanner follows the
// brackets and JSX by recursion.
type scanner struct {
	file   *File
	hasJSX bool
	at     int
	depth  int
	around int // index of the opening bracket around the current position, or -1

	isAfterHead  bool // the last token is the ) of an if, while, for or with
	isAfterBlock bool // the last token is the } of a block, not of an object
	isAfterJSX   bool // the last token is the > of an element
}

// maxDepth limits how deeply brackets and elements are nested.
const maxDepth = 500

// errorAt is thrown by fail and caught by run.
type errorAt struct{ *Error }

func (s *scanner) fail(offset int, problem string) {
	panic(errorAt{&Error{Offset: offset, Problem: problem}})
}

func (s *scanner) run() (err error) {
	defer func() {
		if v := recover(); v != nil {
			e, ok := v.(errorAt)
			if !ok {
				panic(v)
			}
			err = e.Error
		}
	}()
	if bytes.HasPrefix(s.file.Data, []byte("\xEF\xBB\xBF")) {
		s.at = 3
	}
	if bytes.HasPrefix(s.file.Data[s.at:], []byte("#!")) {
		s.at += s.lineLength()
	}
	s.tokens("", false)
	return nil
}

// tokens reads up to the closing bracket, or to the end of the file. If inJSX is set, the
// tokens are in braces of JSX, where an element may be first.
func (s *scanner) tokens(closing string, inJSX bool) {
	if s.depth++; s.depth > maxDepth {
		s.fail(s.at, "brackets are nested too deeply")
	}
	opening, outer := len(s.file.Tokens)-1, s.around
	s.around = opening
	for {
		s.trivia()
		if s.at >= len(s.file.Data) {
			if closing != "" {
				s.fail(s.file.Tokens[opening].From, "no "+closing+" for this bracket")
			}
			break
		}
		if c := s.file.Data[s.at]; c == ')' || c == ']' || c == '}' {
			if string(c) != closing {
				s.fail(s.at, string(c)+" without its opening bracket")
			}
			s.around = outer
			s.close(opening)
			break
		}
		s.token(inJSX && len(s.file.Tokens) == opening+1)
	}
	s.depth--
}

// token reads one token, or a bracket or an element with all that it contains.
func (s *scanner) token(isFirstInJSX bool) {
	rest := s.file.Data[s.at:]
	c := rest[0]
	switch {
	case isNameStart(c):
		s.emit(Name, s.nameLength(rest))
	case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		s.emit(Number, numberLength(rest))
	case c == '"' || c == '\'':
		s.quoted(c, false)
	case c == '`':
		s.template()
	case c == '/' && s.startsExpression():
		s.regexp()
	case c == '<' && s.hasJSX && (isFirstInJSX || s.allowsElement()) && !s.startsTypeParameters():
		s.element()
	case c == '(':
		isHead := s.file.Is(len(s.file.Tokens)-1, "if", "while", "for", "with", "await") && !s.file.Is(len(s.file.Tokens)-2, ".", "?.")
		s.emit(Punct, 1)
		s.tokens(")", false)
		s.isAfterHead = isHead
	case c == '[':
		s.emit(Punct, 1)
		s.tokens("]", false)
	case c == '{':
		isBlock := !s.startsExpression() || s.file.Is(len(s.file.Tokens)-1, ")", "=>", ";", "{", "}", "else", "do")
		s.emit(Punct, 1)
		s.tokens("}", false)
		s.isAfterBlock = isBlock
	default:
		s.emit(Punct, punctLength(rest))
	}
}

func (s *scanner) emit(kind Kind, length int) {
	s.file.Tokens = append(s.file.Tokens, Token{Kind: kind, From: s.at, To: s.at + length, Pair: -1, Around: s.around})
	s.at += length
	s.isAfterHead, s.isAfterBlock, s.isAfterJSX = false, false, false
}

// close reads the bracket that closes the one with the index.
func (s *scanner) close(opening int) {
	s.emit(Punct, 1)
	closing := len(s.file.Tokens) - 1
	s.file.Tokens[opening].Pair, s.file.Tokens[closing].Pair = closing, opening
}

// trivia skips spaces and records comments.
func (s *scanner) trivia() {
	for s.at < len(s.file.Data) {
		rest := s.file.Data[s.at:]
		switch {
		case rest[0] <= ' ':
			s.at++
		case bytes.HasPrefix(rest, []byte("//")):
			s.comment(s.lineLength())
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				s.fail(s.at, "comment without an end")
			}
			s.comment(end + 4)
		case rest[0] >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(rest)
			if !strings.ContainsRune("\u00A0\uFEFF\u2028\u2029\u3000", r) && (r < 0x2000 || r > 0x200A) {
				return
			}
			s.at += n
		default:
			return
		}
	}
}

func (s *scanner) comment(length int) {
	s.file.Comments = append(s.file.Comments, Span{From: s.at, To: s.at + length})
	s.at += length
}

func (s *scanner) lineLength() int {
	rest := s.file.Data[s.at:]
	if n := bytes.IndexAny(rest, "\r\n"); n >= 0 {
		return n
	}
	return len(rest)
}

// quoted reads a string. One in an attribute of JSX has no escapes and may contain lines.
func (s *scanner) quoted(quote byte, isAttribute bool) {
	for i := s.at + 1; i < len(s.file.Data); i++ {
		switch c := s.file.Data[i]; {
		case c == quote:
			s.emit(String, i+1-s.at)
			return
		case isAttribute:
		case c == '\n':
			s.fail(s.at, "string without an end")
		case c == '\\':
			if i++; i+1 < len(s.file.Data) && s.file.Data[i] == '\r' && s.file.Data[i+1] == '\n' {
				i++
			}
		}
	}
	s.fail(s.at, "string without an end")
}

// template reads a template and the code of its substitutions.
func (s *scanner) template() {
	start, opening, outer := s.at, len(s.file.Tokens), s.around
	s.emit(Punct, 1)
	s.around = opening
	part := s.at
	text := func(end int) {
		if s.at = part; end > part {
			s.emit(Template, end-part)
		}
	}
	for i := s.at; i < len(s.file.Data); i++ {
		switch c := s.file.Data[i]; {
		case c == '\\':
			i++
		case c == '`':
			text(i)
			s.around = outer
			s.close(opening)
			return
		case c == '$' && i+1 < len(s.file.Data) && s.file.Data[i+1] == '{':
			text(i)
			s.emit(Punct, 2)
			s.tokens("}", false)
			part = s.at
			i = s.at - 1
		}
	}
	s.fail(start, "template without an end")
}

func (s *scanner) regexp() {
	inClass := false
	for i := s.at + 1; i < len(s.file.Data) && s.file.Data[i] != '\n'; i++ {
		switch c := s.file.Data[i]; {
		case c == '\\':
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '/' && !inClass:
			flags := s.nameLength(s.file.Data[i+1:])
			s.emit(Regexp, i+1+flags-s.at)
			return
		}
	}
	s.fail(s.at, "regular expression without an end")
}

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '#' || c == '\\' || c >= utf8.RuneSelf
}

// nameLength returns the length of the name that the text starts with, also one with
// escapes such as \u0061.
func (s *scanner) nameLength(text []byte) int {
	n := 0
	for n < len(text) && (isNameStart(text[n]) || text[n] >= '0' && text[n] <= '9') {
		if bytes.HasPrefix(text[n:], []byte(`\u{`)) {
			n += max(bytes.IndexByte(text[n:], '}'), 0)
		}
		n++
	}
	return n
}

func numberLength(text []byte) int {
	n := 1
	for n < len(text) {
		c := text[n]
		isExponent := (c == '+' || c == '-') && (text[n-1]|0x20) == 'e' && (text[0] != '0' || n < 2 || text[1]|0x20 != 'x')
		if !isExponent && c != '.' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		n++
	}
	return n
}

// punctLength knows the punctuators of several characters that matter for what follows them,
// or that must not be taken for two. Those that start with < or > are read one by one,
// because in types they are brackets.
func punctLength(text []byte) int {
	if len(text) < 2 || strings.IndexByte(".=>+-&|?*", text[1]) < 0 { // as most of them
		return 1
	}
	for _, p := range []string{"...", "===", "!==", "**=", "&&=", "||=", "??=", "=>", "==", "!=", "++", "--", "&&", "||", "??", "?.", "**",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="} {
		if bytes.HasPrefix(text, []byte(p)) && (p != "?." || len(text) < 3 || text[2] < '0' || text[2] > '9') {
			return len(p)
		}
	}
	return 1
}
