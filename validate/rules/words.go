package rules

import (
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// parent splits a pointer into that of the object around it and the key.
func parent(pointer string) (around, key string) {
	slash := max(strings.LastIndexByte(pointer, '/'), 0)
	return pointer[:slash], bundle.UnescapePointer(strings.TrimPrefix(pointer[slash:], "/"))
}

// dotted writes a pointer the way people do: roles[0].role.name.
func dotted(pointer string) string {
	var b strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if _, err := strconv.Atoi(token); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(bundle.UnescapePointer(token))
	}
	return b.String()
}

// either writes a list of choices: a, b or c.
func either(choices []string) string {
	if n := len(choices); n > 1 {
		return strings.Join(choices[:n-1], ", ") + " or " + choices[n-1]
	}
	return strings.Join(choices, "")
}
