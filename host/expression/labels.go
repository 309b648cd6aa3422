package expression

import (
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// braces returns labels as messages show them.
func braces(labels data.Labels) string { return "{" + shorten(labels.String()) + "}" }

// larger returns the labels that contain the other ones, or false if neither does.
func larger(a, b data.Labels) (data.Labels, bool) {
	if len(a) < len(b) {
		return b, b.Contains(a)
	}
	return a, a.Contains(b)
}

// merge returns the labels of a row with those of a field.
func merge(row, field data.Labels) data.Labels {
	switch {
	case len(field) == 0:
		return row
	case len(row) == 0:
		return field
	}
	labels := row.Copy()
	for k, v := range field {
		if _, ok := labels[k]; !ok {
			labels[k] = v
		}
	}
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
		labels := named[i].labels.Copy()
		labels["__name__"] = names[i]
		named[i].labels = labels
	}
	if duplicate(named) >= 0 {
		return problemf("add labels that tell them apart", "$%s has several results with the labels %s", refID, braces(items[same].labels))
	}
	copy(items, named)
	return nil
}

// duplicate returns the position of an item with the labels of an earlier one, or -1.
func duplicate(items []item) int {
	seen := map[data.Fingerprint][]int{}
	for n, i := range items {
		key := i.labels.Fingerprint()
		for _, other := range seen[key] {
			if items[other].labels.Equals(i.labels) {
				return n
			}
		}
		seen[key] = append(seen[key], n)
	}
	return -1
}
