// Package nearest finds what a misspelt word was meant to be. It knows no word.
package nearest

import "strings"

// Name returns the name that word is most likely a misspelling of, or "". A third of
// the letters may differ, three at most; case does not count.
func Name(word string, names []string) string {
	best, least := "", 4
	for _, name := range names {
		limit := min(max(len(word), len(name))/3, 3)
		if len(word)-len(name) > limit || len(name)-len(word) > limit {
			continue
		}
		if d := Distance(strings.ToLower(word), strings.ToLower(name)); d <= limit && d < least {
			best, least = name, d
		}
	}
	return best
}

// Distance is the number of bytes to insert, delete, change or swap with their
// neighbour to get from a to b.
func Distance(a, b string) int {
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
