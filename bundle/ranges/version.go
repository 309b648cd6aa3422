package ranges

import (
	"cmp"
	"fmt"
	"strings"
)

// Version is a semantic version without build metadata.
type Version struct {
	Major, Minor, Patch uint64
	Pre                 string // "alpha.1"; "" for a release
}

// String returns the version in its usual notation.
func (v Version) String() string {
	s := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Pre != "" {
		s += "-" + v.Pre
	}
	return s
}

// Compare returns -1, 0 or +1 if v is lower than, equal to or higher than w. A
// prerelease is lower than its release.
func (v Version) Compare(w Version) int {
	return cmp.Or(
		cmp.Compare(v.Major, w.Major),
		cmp.Compare(v.Minor, w.Minor),
		cmp.Compare(v.Patch, w.Patch),
		comparePre(v.Pre, w.Pre),
	)
}

// release returns the version without its prerelease part.
func (v Version) release() Version {
	v.Pre = ""
	return v
}

// first returns the lowest prerelease of the version's release.
func (v Version) first() Version {
	v.Pre = "0"
	return v
}

// next returns the lowest version above v.
func (v Version) next() Version {
	if v.Pre != "" {
		v.Pre += ".0"
		return v
	}
	v.Patch++
	return v.first()
}

func comparePre(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(len(b), len(a)) // only a release has length 0, and it is higher
	}
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		if c := compareIdentifier(as[i], bs[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

// compareIdentifier orders numbers below words. Numbers may be of any size and have no
// leading zeros.
func compareIdentifier(a, b string) int {
	an, bn := isNumber(a), isNumber(b)
	switch {
	case an && bn:
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	case an:
		return -1
	case bn:
		return 1
	}
	return cmp.Compare(a, b)
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }
