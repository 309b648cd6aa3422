package bundle

import "strings"

// What a key and a token of a pointer write differently.
var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapePointer escapes one token of a JSON pointer (RFC 6901).
func EscapePointer(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return pointerEscaper.Replace(token)
}

// UnescapePointer turns one token of a JSON pointer into the key it stands for.
func UnescapePointer(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return pointerUnescaper.Replace(token)
}
