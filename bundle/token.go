package bundle

import (
	"bytes"
	"unicode/utf8"
)

// token is a piece of a text that is meant to be JSON.
type token struct {
	kind     tokenKind
	from, to int  // bytes of the text
	isOpen   bool // a string or comment without an end
}

// tokenKind is the first byte of a bracket, colon, comma or quote, or one of the
// constants below.
type tokenKind byte

const (
	tokenEnd     tokenKind = 0
	tokenComment tokenKind = '/'
	tokenWord    tokenKind = 'a' // true, 12, or what should have quotes
	tokenOther   tokenKind = '?' // one character that JSON does not know
)

// nextToken returns the token that begins at or after the offset. A string without
// an end goes to the end of its line, a comment without one to that of the text.
func nextToken(data []byte, at int) token {
	for at < len(data) && bytes.IndexByte([]byte(" \t\r\n"), data[at]) >= 0 {
		at++
	}
	if at == len(data) {
		return token{kind: tokenEnd, from: at, to: at}
	}
	rest := data[at:]
	switch b := rest[0]; {
	case bytes.IndexByte([]byte("{}[]:,"), b) >= 0:
		return token{kind: tokenKind(b), from: at, to: at + 1}
	case b == '"':
		length, isClosed := stringLength(rest)
		return token{kind: '"', from: at, to: at + length, isOpen: !isClosed}
	case b == '#', bytes.HasPrefix(rest, []byte("//")):
		return token{kind: tokenComment, from: at, to: at + lineLength(rest)}
	case bytes.HasPrefix(rest, []byte("/*")):
		i := bytes.Index(rest[2:], []byte("*/"))
		if i < 0 {
			return token{kind: tokenComment, from: at, to: len(data), isOpen: true}
		}
		return token{kind: tokenComment, from: at, to: at + i + 4}
	case isWordByte(b):
		to := at
		for to < len(data) && isWordByte(data[to]) {
			to++
		}
		return token{kind: tokenWord, from: at, to: to}
	}
	_, size := utf8.DecodeRune(rest)
	return token{kind: tokenOther, from: at, to: at + size}
}

// stringLength returns the length of the string that data begins with, up to the
// end of the line if it is not closed there.
func stringLength(data []byte) (length int, isClosed bool) {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1, true
		case '\r', '\n':
			return i, false
		case '\\':
			if i+1 < len(data) && data[i+1] != '\n' && data[i+1] != '\r' {
				i++
			}
		}
	}
	return len(data), false
}

func lineLength(data []byte) int {
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
		return i
	}
	return len(data)
}

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || bytes.IndexByte([]byte("+-._$"), b) >= 0
}
