package archive

import (
	"cmp"
	"fmt"
	"slices"
)

// refusal says why no entry of the zip is to be read, "" if entries are.
func (a *Archive) refusal(size int64, limits Limits) string {
	if a.nodes >= limits.Entries*maxNodes {
		return "its entries lie in too many folders"
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

// overlap names two entries that share bytes of the file, as those of a zip do that
// unpacks to far more than its size: no tool for packing writes such a zip.
func (a *Archive) overlap(size int64) string {
	type stretch struct {
		from, to int64
		entry    *Entry
	}
	var all []stretch
	for i := range a.Entries {
		e := &a.Entries[i]
		if e.Packed == 0 {
			continue
		}
		from, err := e.file.DataOffset()
		if err != nil || from > size-e.Packed {
			if e.Refusal == "" {
				e.Refusal = "its bytes are not in the zip"
			}
			continue
		}
		all = append(all, stretch{from, from + e.Packed, e})
	}
	slices.SortStableFunc(all, func(x, y stretch) int { return cmp.Compare(x.from, y.from) })
	for i := 1; i < len(all); i++ {
		if all[i].from < all[i-1].to {
			return fmt.Sprintf("its entries %.200q and %.200q share bytes", all[i-1].entry.Name, all[i].entry.Name)
		}
	}
	return ""
}
