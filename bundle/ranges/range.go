package ranges

import "slices"

// Range is the set of versions that any of its alternatives admits.
type Range struct {
	alternatives []interval
}

// interval is the set of versions from low to below high. As in node-semver, it admits
// prereleases only of the releases in pre.
type interval struct {
	low, high Version
	isBounded bool      // high applies
	pre       []Version // the releases of the prereleases in the text
}

// IsSatisfiable reports whether the range admits any version.
func (r Range) IsSatisfiable() bool {
	_, ok := r.Lowest()
	return ok
}

// Lowest returns the lowest version that the range admits, which is 0.0.0 without a
// lower bound. ok is false if the range admits no version.
func (r Range) Lowest() (lowest Version, ok bool) {
	for _, i := range r.alternatives {
		if v, has := i.lowest(); has && (!ok || v.Compare(lowest) < 0) {
			lowest, ok = v, true
		}
	}
	return lowest, ok
}

// AdmitsBelow reports whether the range admits a version below v. Prereleases of v do
// not count: they have the features of v.
func (r Range) AdmitsBelow(v Version) bool {
	lowest, ok := r.Lowest()
	return ok && lowest.Compare(v.first()) < 0
}

// Admits reports whether the range admits v. It admits a prerelease only if an
// alternative contains a prerelease of the same release.
func (r Range) Admits(v Version) bool {
	return slices.ContainsFunc(r.alternatives, func(i interval) bool {
		return i.holds(v) && (v.Pre == "" || slices.Contains(i.pre, v.release()))
	})
}

// LowestWithin returns the lowest release from low to below high that the range admits.
func (r Range) LowestWithin(low, high Version) (lowest Version, ok bool) {
	within := interval{low: low, high: high.first(), isBounded: true}
	for _, i := range r.alternatives {
		if v, has := i.and(within).lowest(); has && (!ok || v.Compare(lowest) < 0) {
			lowest, ok = v, true
		}
	}
	return lowest, ok
}

// simplified reduces the range to an alternative that admits every release, if there
// is one. As in node-semver, that drops the prereleases of the other alternatives.
func (r Range) simplified() Range {
	if i := slices.IndexFunc(r.alternatives, interval.isAll); i >= 0 {
		r.alternatives = r.alternatives[i : i+1]
	}
	return r
}

// all returns the interval of all releases.
func all() interval { return interval{low: Version{}.first()} }

// none returns the empty interval.
func none() interval { return interval{high: Version{}.first(), isBounded: true} }

func (i interval) isAll() bool {
	return !i.isBounded && i.low.release() == Version{} && len(i.pre) == 0
}

func (i interval) lowest() (Version, bool) {
	if i.low.Pre != "" && slices.Contains(i.pre, i.low.release()) {
		return i.low, i.holds(i.low)
	}
	v := i.low.release()
	return v, i.holds(v)
}

func (i interval) holds(v Version) bool {
	return v.Compare(i.low) >= 0 && (!i.isBounded || v.Compare(i.high) < 0)
}

// and returns the versions that are in both intervals.
func (i interval) and(j interval) interval {
	if j.low.Compare(i.low) > 0 {
		i.low = j.low
	}
	if j.isBounded && (!i.isBounded || j.high.Compare(i.high) < 0) {
		i.high, i.isBounded = j.high, true
	}
	i.pre = append(i.pre, j.pre...)
	return i
}

// from, above, below and upTo return an interval with one bound.
func from(v Version) interval  { return interval{low: v, pre: named(v)} }
func above(v Version) interval { return interval{low: v.next(), pre: named(v)} }
func below(v Version) interval {
	return interval{low: Version{}.first(), high: v, isBounded: true, pre: named(v)}
}
func upTo(v Version) interval {
	return interval{low: Version{}.first(), high: v.next(), isBounded: true, pre: named(v)}
}

func named(v Version) []Version {
	if v.Pre == "" {
		return nil
	}
	return []Version{v.release()}
}
