package zipfs

import (
	"cmp"
	"fmt"
	"slices"
)

// refusal returns why no entry of the zip is read, or "".
func (a *Archive) refusal(size int64, limits Limits) string {
	if a.nodes >= limits.Entries*maxNodes {
		return "its entries are in too many directories"
	}
	var total int64
	for _, e := range a.Entries {
		total += e.Size
		if total > limits.TotalBytes {
			return fmt.Sprintf("its files unpack to more than %s", megabytes(limits.TotalBytes))
		}
	}
	return a.overlap(size)
}

// overlap describes two entries that share bytes of the file, or returns "". Only zip
// bombs have such entries.
func (a *Archive) overlap(size int64) string {
	type span struct {
		from, to int64
		entry    *Entry
	}
	var all []span
	for i := range a.Entries {
		e := &a.Entries[i]
		if e.Packed == 0 {
			continue
		}
		from, err := e.file.DataOffset()
		if err != nil || from > size-e.Packed {
			if e.Refusal == "" {
				e.Refusal = "its data is outside the zip"
			}
			continue
		}
		all = append(all, span{from, from + e.Packed, e})
	}
	slices.SortStableFunc(all, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	for i := 1; i < len(all); i++ {
		if all[i].from < all[i-1].to {
			return fmt.Sprintf("its entries %.200q and %.200q overlap", all[i-1].entry.Name, all[i].entry.Name)
		}
	}
	return ""
}
