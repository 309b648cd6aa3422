package script

import "bytes"

// startsExpression reports whether an expression may start at the current position, after
// the last token, so that "/" starts a regular expression there.
func (s *scanner) startsExpression() bool {
	last := len(s.file.Tokens) - 1
	if last < 0 {
		return true
	}
	if s.file.Tokens[last].Kind == Name {
		return s.isKeyword(last, "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else", "yield",
			"await", "default", "extends")
	}
	if s.file.Tokens[last].Kind != Punct {
		return false
	}
	switch s.file.Text(last) {
	case ")":
		return s.isAfterHead
	case "}":
		return s.isAfterBlock
	case "]", "++", "--", "`":
		return false
	case "!":
		return !s.isOperand(last - 1) // after an operand, it is TypeScript's assertion
	}
	return !s.isAfterJSX
}

// isKeyword reports whether a token is one of the keywords and not the name of a member.
func (s *scanner) isKeyword(i int, words ...string) bool {
	return s.file.Is(i, words...) && !s.file.Is(i-1, ".", "?.")
}

// isOperand reports whether an operand may end with the token.
func (s *scanner) isOperand(i int) bool {
	if i < 0 {
		return false
	}
	if s.file.Tokens[i].Kind == Name {
		return !s.isKeyword(i, "return", "typeof", "in", "of", "case", "do", "else", "yield", "await", "void", "delete", "throw", "new")
	}
	return s.file.Tokens[i].Kind != Punct || s.file.Is(i, ")", "]", "}", "`", "!")
}

// allowsElement reports whether an element of JSX may start after the last token.
func (s *scanner) allowsElement() bool {
	last := len(s.file.Tokens) - 1
	return last < 0 || s.isKeyword(last, "return", "yield", "default") ||
		s.file.Is(last, "(", "[", ",", "=", "=>", "?", ":", "&&", "||", "??", "&&=", "||=", "??=")
}

// startsTypeParameters reports whether the "<" at the current position starts the type
// parameters of a function, as TypeScript decides it in a file with JSX, and for types
// such as "<T>(x: T) => T", because no text of JSX may contain "=>".
func (s *scanner) startsTypeParameters() bool {
	rest := skipSpace(s.file.Data[s.at+1:])
	n := s.nameLength(rest)
	if n > 0 && string(rest[:n]) == "const" {
		rest = skipSpace(rest[n:])
		n = s.nameLength(rest)
	}
	if n == 0 {
		return false
	}
	rest = skipSpace(rest[n:])
	if bytes.HasPrefix(rest, []byte("extends")) {
		next := skipSpace(rest[len("extends"):])
		return len(next) > 0 && next[0] != '=' && next[0] != '>' && next[0] != '/'
	}
	if len(rest) == 0 || rest[0] == ',' || rest[0] == '=' {
		return true
	}
	if rest[0] != '>' {
		return false
	}
	rest = skipSpace(rest[1:])
	if len(rest) == 0 || rest[0] != '(' {
		return false
	}
	depth := 0
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth > 0 {
			continue
		}
		after := skipSpace(rest[i+1:])
		isOptional := s.file.Is(len(s.file.Tokens)-1, "?") && s.file.Data[s.at-1] == '?' // a method such as "get?<T>(x: T): T"
		return bytes.HasPrefix(after, []byte("=>")) || isOptional && bytes.HasPrefix(after, []byte(":"))
	}
	return false
}

func skipSpace(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }
