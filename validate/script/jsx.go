package script

import "bytes"

// element reads an element of JSX, or a fragment, up to its end.
func (s *scanner) element() {
	if s.depth++; s.depth > maxDepth {
		s.fail(s.at, "elements are nested too deeply")
	}
	start := s.at
	s.emit(Punct, 1) // <
	s.tagName()
	if s.trivia(); s.peek() == '<' {
		s.typeArguments()
	}
	if s.attributes() {
		s.children(start)
	}
	s.isAfterJSX = true
	s.depth--
}

// peek returns the next byte, or 0 at the end of the file.
func (s *scanner) peek() byte {
	if s.at < len(s.file.Data) {
		return s.file.Data[s.at]
	}
	return 0
}

// tagName reads a name such as div, Box.Item or svg:path; a fragment has none.
func (s *scanner) tagName() {
	for s.trivia(); s.jsxName() || s.peek() == '.' || s.peek() == ':'; s.trivia() {
		if s.peek() == '.' || s.peek() == ':' {
			s.emit(Punct, 1)
		}
	}
}

// jsxName reads a name, which may contain hyphens, if there is one.
func (s *scanner) jsxName() bool {
	rest := s.file.Data[s.at:]
	n := 0
	for {
		more := s.nameLength(rest[n:])
		if n += more; n > 0 && n < len(rest) && rest[n] == '-' {
			n++
		} else if more == 0 || n == len(rest) || rest[n] != '-' {
			break
		}
	}
	if n > 0 {
		s.emit(Name, n)
	}
	return n > 0
}

// typeArguments reads those of a component, as in <Select<string> />.
func (s *scanner) typeArguments() {
	depth := 0
	for s.trivia(); s.at < len(s.file.Data); s.trivia() {
		switch s.peek() {
		case '<':
			depth++
			s.emit(Punct, 1)
		case '>':
			depth--
			s.emit(Punct, 1)
		case ')', ']', '}':
			s.fail(s.at, "bracket without its opening one")
		default:
			s.token(false)
		}
		if depth == 0 {
			return
		}
	}
}

// attributes reads up to the end of a tag, and reports whether the element has children.
func (s *scanner) attributes() bool {
	for {
		s.trivia()
		switch c := s.peek(); {
		case c == '>':
			s.emit(Punct, 1)
			return true
		case c == '/':
			s.emit(Punct, 1)
			if s.trivia(); s.peek() != '>' {
				s.fail(s.at, "no > for this tag")
			}
			s.emit(Punct, 1)
			return false
		case c == '{':
			s.braces()
		case c == '=':
			s.emit(Punct, 1)
			s.attributeValue()
		case c == ':':
			s.emit(Punct, 1)
		case !s.jsxName():
			s.fail(s.at, "not an attribute of JSX")
		}
	}
}

func (s *scanner) attributeValue() {
	s.trivia()
	switch c := s.peek(); c {
	case '"', '\'':
		s.quoted(c, true)
	case '{':
		s.braces()
	case '<':
		s.element()
	default:
		s.fail(s.at, "no value for this attribute")
	}
}

// braces reads an expression in braces.
func (s *scanner) braces() {
	s.emit(Punct, 1)
	s.tokens("}", true)
}

// children reads up to the end of the closing tag of the element that starts at an offset.
func (s *scanner) children(start int) {
	for s.at < len(s.file.Data) {
		switch s.peek() {
		case '{':
			s.braces()
		case '<':
			if bytes.HasPrefix(s.file.Data[s.at:], []byte("</")) {
				s.closingTag()
				return
			}
			s.element()
		default:
			s.at++ // text
		}
	}
	s.fail(start, "element without a closing tag")
}

func (s *scanner) closingTag() {
	s.emit(Punct, 1) // <
	s.emit(Punct, 1) // /
	s.tagName()
	if s.peek() != '>' {
		s.fail(s.at, "no > for this tag")
	}
	s.emit(Punct, 1)
}
