package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Parent splits a pointer into the pointer of the enclosing object and the key.
func Parent(pointer string) (in, key string) {
	slash := max(strings.LastIndexByte(pointer, '/'), 0)
	return pointer[:slash], bundle.UnescapePointer(strings.TrimPrefix(pointer[slash:], "/"))
}

// Name names the value at a pointer in a message: "roles[0].role.name", in quotes.
func Name(pointer string) string {
	if pointer == "" {
		return bundle.MetadataFile
	}
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
	return fmt.Sprintf("%q", b.String())
}

// Either joins choices for a message: "a, b or c".
func Either(choices []string) string {
	if n := len(choices); n > 1 {
		return strings.Join(choices[:n-1], ", ") + " or " + choices[n-1]
	}
	return strings.Join(choices, "")
}
