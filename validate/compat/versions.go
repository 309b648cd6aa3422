package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate/shared"
)

// Versions returns the set of some minor versions of existing hosts, such as 12.4.
func Versions(list []string) (s shared.Set, err error) {
	all := names(everyVersion())
	for _, v := range list {
		i := slices.Index(all, v)
		if i < 0 {
			return 0, fmt.Errorf("invalid version %q: write minor versions from %s to %s, such as 12.4", v, all[0], all[len(all)-1])
		}
		s |= 1 << i
	}
	return s, nil
}

func everyVersion() shared.Set { return 1<<len(shared.Minors()) - 1 }

// names returns the versions of a set, oldest first.
func names(s shared.Set) (list []string) {
	for i := range shared.Minors() {
		if s.Has(i) {
			list = append(list, shared.Minor(i))
		}
	}
	return list
}

// widened returns a range that admits what the declared one does, and in full each minor version of which
// that admits nothing. So if a plugin allows 11.6 only from a patch on, the patches before do not matter.
func widened(text string) string {
	r, err := ranges.Parse(text)
	var parts []string
	if text != "" && err == nil {
		parts = append(parts, text)
	}
	for i, v := range shared.Minors() {
		if _, ok := shared.Lowest(r, i); !ok {
			parts = append(parts, "~"+v.String())
		}
	}
	return strings.Join(parts, " || ")
}

// ends returns the oldest and the newest version of a set, and the last of each major version. For the
// empty set, it returns those of all versions.
func ends(s shared.Set) (ends shared.Set) {
	if s == 0 {
		s = everyVersion()
	}
	last := map[uint64]int{} // by major version
	oldest := -1
	for i, v := range shared.Minors() {
		if !s.Has(i) {
			continue
		}
		last[v.Major()] = i
		if oldest < 0 {
			oldest = i
		}
	}
	for _, i := range last {
		ends |= 1 << i
	}
	return ends | 1<<oldest
}

// widest returns the range of the newest versions of a set that have no gap between them.
func widest(good shared.Set) string {
	minors := shared.Minors()
	low, high := good.Latest()
	switch high {
	case -1:
		return ""
	case len(minors) - 1:
		return ">=" + minors[low].String()
	}
	return fmt.Sprintf(">=%s <%s", minors[low], minors[high+1])
}
