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

// nearest returns the name that word is most likely a misspelling of, or "".
// A third of the letters may differ, three at most; case does not count.
func nearest(word string, names []string) string {
	best, least := "", 4
	for _, name := range names {
		limit := min(max(len(word), len(name))/3, 3)
		if len(word)-len(name) > limit || len(name)-len(word) > limit {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(name)); d <= limit && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete, change or swap with their
// neighbour to get from a to b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
