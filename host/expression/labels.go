package expression

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"
)

// braces returns labels as messages show them.
func braces(labels map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, name+"="+labels[name])
	}
	return "{" + shorten(strings.Join(list, ", ")) + "}"
}

// larger returns the labels that contain the other ones, or false if neither does.
func larger(a, b map[string]string) (map[string]string, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	for name, value := range b {
		if other, ok := a[name]; !ok || other != value {
			return a, false
		}
	}
	return a, true
}

// merge returns the labels of a row with those of a field.
func merge(row, field map[string]string) map[string]string {
	switch {
	case len(field) == 0:
		return row
	case len(row) == 0:
		return field
	}
	labels := maps.Clone(field)
	maps.Copy(labels, row)
	return labels
}

// distinguish makes sure that labels identify the items. If only the names of the fields
// differ, as in a table with a column per series, the label __name__ is added.
func distinguish(refID string, items []item, names []string) error {
	same := duplicate(items)
	if same < 0 {
		return nil
	}
	named := slices.Clone(items)
	for i := range named {
		named[i].labels = merge(map[string]string{"__name__": names[i]}, items[i].labels)
	}
	if duplicate(named) >= 0 {
		return problemf("add labels that tell them apart", "$%s has several results with the labels %s", refID, braces(items[same].labels))
	}
	copy(items, named)
	return nil
}

// duplicate returns the position of an item with the labels of an earlier one, or -1.
func duplicate(items []item) int {
	seed := maphash.MakeSeed()
	seen := map[uint64][]int{}
	for n, i := range items {
		var hash uint64 // a sum, because a map has no order
		for name, value := range i.labels {
			hash += maphash.Comparable(seed, [2]string{name, value})
		}
		for _, other := range seen[hash] {
			if maps.Equal(items[other].labels, i.labels) {
				return n
			}
		}
		seen[hash] = append(seen[hash], n)
	}
	return -1
}
