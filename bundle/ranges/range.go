package ranges

import (
	"slices"

	"github.com/Masterminds/semver/v3"
)

// Range is the set of versions that any of its alternatives admits.
type Range struct {
	alternatives []interval
}

// interval is the set of versions from low to below high. As in node-semver, it admits
// prereleases only of the releases of those in named.
type interval struct {
	low, release *semver.Version   // the lower bound, and its release
	high         *semver.Version   // nil without an upper bound
	named        []*semver.Version // the prereleases in the text
}

// IsSatisfiable reports whether the range admits any version.
func (r Range) IsSatisfiable() bool {
	_, ok := r.Lowest()
	return ok
}

// Lowest returns the lowest version that the range admits, which is 0.0.0 without a
// lower bound. ok is false if the range admits no version.
func (r Range) Lowest() (lowest *semver.Version, ok bool) {
	return r.lowestIn(all())
}

// AdmitsBelow reports whether the range admits a version below v. Prereleases of v do
// not count: they have the features of v.
func (r Range) AdmitsBelow(v *semver.Version) bool {
	lowest, ok := r.Lowest()
	return ok && lowest.LessThan(v) && !isOf(lowest, v)
}

// Admits reports whether the range admits v. It admits a prerelease only if an
// alternative contains a prerelease of the same release.
func (r Range) Admits(v *semver.Version) bool {
	return slices.ContainsFunc(r.alternatives, func(i interval) bool {
		return i.holds(v) && (v.Prerelease() == "" || i.names(v))
	})
}

// LowestWithin returns the lowest version from the release low to below high that the range admits.
func (r Range) LowestWithin(low, high *semver.Version) (lowest *semver.Version, ok bool) {
	return r.lowestIn(interval{low: low, release: low, high: high})
}

func (r Range) lowestIn(within interval) (lowest *semver.Version, ok bool) {
	for _, i := range r.alternatives {
		if v, has := i.and(within).lowest(); has && (!ok || v.LessThan(lowest)) {
			lowest, ok = v, true
		}
	}
	return lowest, ok
}

// Width classifies how many versions a range admits.
type Width int

// The widths of a range.
const (
	Many       Width = iota
	OneVersion       // which may be a prerelease
	OneMinor         // patches of one minor version
)

// Width returns how many versions the range admits. Alternatives count as Many, because
// their author chose them deliberately.
func (r Range) Width() Width {
	lowest, ok := r.Lowest()
	if !ok || len(r.alternatives) > 1 || r.alternatives[0].high == nil {
		return Many
	}
	high, end := r.alternatives[0].high, lowest.IncMinor()
	switch {
	case !high.GreaterThan(next(lowest)):
		return OneVersion
	case !high.GreaterThan(&end):
		return OneMinor
	}
	return Many
}

// simplified reduces the range to an alternative that admits every release, if there
// is one. As in node-semver, that drops the prereleases of the other alternatives.
func (r Range) simplified() Range {
	if i := slices.IndexFunc(r.alternatives, interval.isAll); i >= 0 {
		r.alternatives = r.alternatives[i : i+1]
	}
	return r
}

func all() interval { return interval{low: belowZero, release: zero} }

func none() interval { return interval{low: belowZero, release: zero, high: belowZero} }

func (i interval) isAll() bool {
	return i.high == nil && i.release.Equal(zero) && len(i.named) == 0
}

func (i interval) lowest() (v *semver.Version, ok bool) {
	if v = i.low; !i.names(v) {
		v = i.release
	}
	return v, i.holds(v)
}

func (i interval) holds(v *semver.Version) bool {
	return !v.LessThan(i.low) && (i.high == nil || v.LessThan(i.high))
}

// names reports whether the text has a prerelease of the same release.
func (i interval) names(v *semver.Version) bool {
	return slices.ContainsFunc(i.named, func(n *semver.Version) bool { return isOf(n, v) })
}

func (i interval) and(j interval) interval {
	if i.low.LessThan(j.low) {
		i.low, i.release = j.low, j.release
	}
	if j.high != nil && (i.high == nil || j.high.LessThan(i.high)) {
		i.high = j.high
	}
	i.named = append(i.named, j.named...)
	return i
}

// partial is a version whose end may be open, such as 10, 10.x, 10.3 or 10.3.1.
type partial struct {
	numbers [3]uint64 // major, minor, patch
	pre     string
	known   int // how many of the numbers there are
}

// interval returns the versions that an operator and a partial admit.
func (p partial) interval(operator string) interval {
	switch {
	case p.known == 0 && (operator == "<" || operator == ">"):
		return none()
	case p.known == 0:
		return all()
	}
	isOpen := p.known < 3
	low := semver.New(p.numbers[0], p.numbers[1], p.numbers[2], p.pre, "")
	above := next(low) // those that p matches
	if isOpen {
		above = p.raised(p.known - 1)
	}
	i := interval{low: low}
	switch operator {
	case ">":
		if i.low = above; isOpen {
			i.low = Release(above)
		}
	case ">=":
	case "<":
		if i.low, i.high = belowZero, low; isOpen {
			i.high = with(low, "0")
		}
	case "<=":
		i.low, i.high = belowZero, above
	case "~":
		i.high = p.raised(min(p.known, 2) - 1)
	case "^":
		i.high = p.raised(p.leading())
	default:
		i.high = above
	}
	i.release = Release(i.low)
	if p.pre != "" {
		i.named = []*semver.Version{low}
	}
	return i
}

// raised returns the lowest version in which number i is the next one.
func (p partial) raised(i int) *semver.Version {
	var n [3]uint64
	copy(n[:], p.numbers[:i+1])
	n[i]++
	return semver.New(n[0], n[1], n[2], "0", "")
}

// leading returns the index of the number that breaking changes raise: the leftmost that is not zero.
func (p partial) leading() (i int) {
	for i < p.known-1 && p.numbers[i] == 0 {
		i++
	}
	return i
}

// The lowest release, and what is below it.
var (
	zero      = semver.New(0, 0, 0, "", "")
	belowZero = semver.New(0, 0, 0, "0", "")
)

// Release returns a version without its prerelease.
func Release(v *semver.Version) *semver.Version { return with(v, "") }

// with returns a version with another prerelease.
func with(v *semver.Version, pre string) *semver.Version {
	if pre == v.Prerelease() {
		return v
	}
	return semver.New(v.Major(), v.Minor(), v.Patch(), pre, "")
}

// next returns the lowest version above v.
func next(v *semver.Version) *semver.Version {
	if pre := v.Prerelease(); pre != "" {
		return with(v, pre+".0")
	}
	return semver.New(v.Major(), v.Minor(), v.Patch()+1, "0", "")
}

// isOf reports whether two versions are the same release, or prereleases of it.
func isOf(v, w *semver.Version) bool {
	return v.Major() == w.Major() && v.Minor() == w.Minor() && v.Patch() == w.Patch()
}
