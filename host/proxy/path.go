package proxy

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/host"
)

// maxPath is the maximum length of an escaped path in bytes.
const maxPath = 8 << 10

// maxDecodes is how often a segment may be percent-encoded.
const maxDecodes = 4

// path is a path that all servers read alike. Its segments are decoded, and none of
// them is empty or a dot segment.
type path struct {
	segments []string
	isDir    bool // ends with a slash
}

// parsePath parses an escaped path, with or without a leading slash. It refuses
// (host.ErrInvalid) any path that some server could take for another one.
func parsePath(escaped string) (path, error) {
	if len(escaped) > maxPath {
		return path{}, host.Invalid("path", "must not be longer than %d bytes", maxPath)
	}
	if strings.ContainsAny(escaped, "?#") {
		return path{}, host.Invalid("path", "must not contain ? or #")
	}
	rest := strings.TrimPrefix(escaped, "/")
	if rest == "" {
		return path{isDir: escaped != ""}, nil
	}
	var p path
	rest, p.isDir = strings.CutSuffix(rest, "/")
	for raw := range strings.SplitSeq(rest, "/") {
		segment, err := url.PathUnescape(raw)
		if err != nil {
			return path{}, host.Invalid("path", "must not contain a %% that two hexadecimal digits do not follow")
		}
		if err := CheckSegment(segment); err != nil {
			return path{}, err
		}
		p.segments = append(p.segments, segment)
	}
	if len(p.String()) > maxPath { // escaping can make it longer than it was
		return path{}, host.Invalid("path", "must not be longer than %d bytes", maxPath)
	}
	return p, nil
}

// String returns the escaped path with a leading slash.
func (p path) String() string {
	var b strings.Builder
	for _, s := range p.segments {
		b.WriteString("/" + url.PathEscape(s))
	}
	if p.isDir || len(p.segments) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

// join returns the path with rest below it.
func (p path) join(rest path) path {
	all := append(p.segments[:len(p.segments):len(p.segments)], rest.segments...)
	return path{segments: all, isDir: rest.isDir || len(rest.segments) == 0 && p.isDir}
}

// CheckSegment returns an error (host.ErrInvalid) if some server could take a decoded
// path segment for another one, for example by decoding it again.
func CheckSegment(segment string) error {
	text := segment
	for range maxDecodes {
		switch name, _, _ := strings.Cut(lookalikes(text), ";"); {
		case !utf8.ValidString(text):
			return host.Invalid("path", "must be valid UTF-8")
		case strings.ContainsFunc(text, unicode.IsControl):
			return host.Invalid("path", "must not contain control characters")
		case strings.ContainsAny(lookalikes(text), `/\`):
			return host.Invalid("path", "must not contain a backslash or an encoded slash")
		case hasUnicodeEscape(text):
			return host.Invalid("path", "must not contain %%u escapes")
		case name == "":
			return host.Invalid("path", "must not contain empty segments")
		case strings.Trim(name, ".") == "" || strings.TrimFunc(name, isDotOrNothing) == "" && strings.Contains(name, "."):
			return host.Invalid("path", "must not contain the segments . or ..")
		}
		again := decodeAgain(text)
		if again == text {
			return nil
		}
		text = again
	}
	return host.Invalid("path", "must not be encoded more than %d times", maxDecodes)
}

// isDotOrNothing reports whether r is a dot or a character that some systems ignore
// beside dots.
func isDotOrNothing(r rune) bool {
	return r == '.' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
}

// lookalikes replaces the characters that a server which normalises Unicode takes for
// dots, slashes, backslashes, semicolons and percent signs.
func lookalikes(text string) string {
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

// decodeAgain decodes all valid escapes and keeps any other %.
func decodeAgain(text string) string {
	text = lookalikes(text)
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1:i+3]) {
			decoded, _ := url.PathUnescape(text[i : i+3]) // isHex has checked it
			b.WriteString(decoded)
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// hasUnicodeEscape reports whether text contains a %uXXXX escape of old servers.
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
