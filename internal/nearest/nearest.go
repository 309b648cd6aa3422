// Package nearest finds the name that a misspelled word stands for. It defines only the
// metric; the caller provides the names.
package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// longest limits the length of words; longer ones are not near any name.
const longest = 64

// Name returns the name that word most likely misspells, or "". At most a third of the
// letters, and at most three, may differ. Case does not matter.
func Name(word string, names []string) string {
	best, least := "", 4
	word = strings.ToLower(word)
	for _, name := range names {
		limit := min(max(len(word), len(name))/3, 3, least-1)
		if len(word)-len(name) > limit || len(name)-len(word) > limit {
			continue
		}
		if d := distance(word, strings.ToLower(name), limit); d <= limit {
			best, least = name, d
		}
	}
	return best
}

// Distance returns the number of bytes that must be inserted, deleted, changed or swapped
// with their neighbor to turn a into b.
func Distance(a, b string) int { return distance(a, b, max(len(a), len(b))) }

// distance returns limit+1 for any distance above the limit.
func distance(a, b string, limit int) int {
	if len(b) > longest || len(a) > longest {
		if a == b {
			return 0
		}
		return limit + 1
	}
	var rows [3][longest + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if least > limit+1 { // a swap refers to the row before the last
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

const fewNames = 30

// Unknown returns the error for a word that is none of the known ones. It suggests
// the nearest of them, or lists them all; of many, it lists the three that differ least.
func Unknown(what, word string, known []string) error {
	if near := Name(word, known); near != "" {
		return fmt.Errorf("unknown %s %q; did you mean %q?", what, word, near)
	}
	if len(known) > fewNames {
		sorted := slices.SortedStableFunc(slices.Values(known), func(a, b string) int { return cmp.Compare(Distance(word, a), Distance(word, b)) })
		return fmt.Errorf("unknown %s %q; the nearest are %s", what, word, strings.Join(sorted[:3], ", "))
	}
	return fmt.Errorf("unknown %s %q; use one of %s", what, word, strings.Join(known, ", "))
}
