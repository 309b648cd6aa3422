// Package urlpath checks that every server reads a path segment as that one segment,
// including servers that decode percent escapes again, normalize Unicode, split at
// backslashes or drop path parameters.
package urlpath

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDecodes is how often a segment may be percent-encoded.
const maxDecodes = 4

// CheckValue returns an error if the decoded segment could lead a server out of the
// path that it is appended to: if it is empty, if "." or ".." stands in it alone or
// between slashes, or if it contains control characters. Slashes are allowed, since
// url.PathEscape escapes them. The text of the error completes "the segment ...".
func CheckValue(segment string) error { return check(segment, checkValue) }

// CheckName returns the errors from CheckValue, and an error if something between slashes in
// the decoded segment consists of dots or parameters only.
func CheckName(segment string) error { return check(segment, checkName) }

// check applies an additional check to the segment and to each of its decoded forms.
func check(segment string, also func(string) error) error {
	text := segment
	for range maxDecodes {
		folded := foldLookalikes(text)
		switch {
		case !utf8.ValidString(text):
			return errors.New("is not valid UTF-8")
		case strings.ContainsFunc(text, unicode.IsControl):
			return errors.New("must not contain control characters")
		case hasUnicodeEscape(folded):
			return errors.New("must not contain %u escapes")
		case text == "":
			return errors.New("must not be empty")
		}
		if err := also(folded); err != nil {
			return err
		}
		decoded := decode(folded)
		if decoded == folded {
			return nil
		}
		text = decoded
	}
	return fmt.Errorf("must not be encoded more than %d times", maxDecodes)
}

func checkValue(text string) error {
	for part := range strings.FieldsFuncSeq(text, isSlash) {
		if name := visible(part); name == "." || name == ".." {
			return errors.New(`must not contain "." or ".."`)
		}
	}
	return nil
}

func checkName(text string) error {
	for part := range strings.FieldsFuncSeq(text, isSlash) {
		if part[0] == ';' {
			return errors.New("must not be empty")
		}
		if dots := visible(part); strings.Trim(dots, ".") == "" && dots != "" {
			return errors.New(`must not be "." or ".."`)
		}
	}
	return nil
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// visible returns a part of a path without its parameters and what some systems drop around dots.
func visible(part string) string {
	name, _, _ := strings.Cut(part, ";")
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
}

// foldLookalikes replaces what Unicode normalization turns into characters with a meaning in paths.
func foldLookalikes(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return text
	}
	return strings.NewReplacer(
		"\uFF0E", ".", "\u2024", ".", "\uFE52", ".", "\u2025", "..", "\u2026", "...",
		"\uFF0F", "/", "\u2215", "/", "\u2044", "/", "\u29F8", "/",
		"\uFF3C", `\`, "\u2216", `\`, "\uFE68", `\`, "\u29F5", `\`,
		"\uFF1B", ";", "\uFE54", ";", "\uFF05", "%", "\uFE6A", "%",
	).Replace(text)
}

// decode decodes every valid percent escape and keeps any other percent sign.
func decode(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1:i+3]) {
			decoded, _ := url.PathUnescape(text[i : i+3]) // valid, as just checked
			b.WriteString(decoded)
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// hasUnicodeEscape reports whether text contains %uXXXX, which some old servers decode.
func hasUnicodeEscape(text string) bool {
	for rest := strings.ToLower(text); ; {
		_, after, found := strings.Cut(rest, "%u")
		if !found {
			return false
		}
		if len(after) >= 4 && isHex(after[:4]) {
			return true
		}
		rest = after
	}
}

func isHex(text string) bool {
	return strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// Loose returns the names that a careless server reads in a decoded segment: decoded
// repeatedly, split at slashes, without parameters and without trailing dots and spaces.
func Loose(segment string) (names []string) {
	for decoded := decode(foldLookalikes(segment)); decoded != segment; decoded = decode(foldLookalikes(segment)) {
		segment = decoded
	}
	for part := range strings.FieldsFuncSeq(segment, isSlash) {
		name, _, _ := strings.Cut(part, ";")
		names = append(names, strings.TrimRightFunc(name, func(r rune) bool {
			return r == '.' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
		}))
	}
	return names
}
