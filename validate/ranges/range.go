package ranges

import "slices"

// Range is a set of versions: what any of its alternatives admits.
type Range struct {
	alternatives []interval
}

// interval holds the versions from low to below high. As in node-semver it
// admits releases, and prereleases only of the versions in pre.
type interval struct {
	low, high Version
	isBounded bool      // high counts
	pre       []Version // releases whose prereleases the range names
}

// IsSatisfiable says whether there can be a version that the range admits.
func (r Range) IsSatisfiable() bool {
	_, ok := r.Lowest()
	return ok
}

// Lowest returns the lowest version that the range admits; 0.0.0 where it has no
// lower bound. ok is false if it admits none.
func (r Range) Lowest() (lowest Version, ok bool) {
	for _, i := range r.alternatives {
		if v, has := i.lowest(); has && (!ok || v.Compare(lowest) < 0) {
			lowest, ok = v, true
		}
	}
	return lowest, ok
}

// AdmitsBelow says whether the range admits a version below v. Prereleases of v
// are not below it: who asks for >=10.3.0-0 has what came with 10.3.0.
func (r Range) AdmitsBelow(v Version) bool {
	lowest, ok := r.Lowest()
	return ok && lowest.Compare(v.first()) < 0
}

// Admits says whether the range admits v. A prerelease it admits only where an
// alternative names one of the same release.
func (r Range) Admits(v Version) bool {
	return slices.ContainsFunc(r.alternatives, func(i interval) bool {
		return i.holds(v) && (v.Pre == "" || slices.Contains(i.pre, v.release()))
	})
}

// simplified leaves out what an alternative that admits every release makes idle,
// and with it, as node-semver does, the prereleases that the others name.
func (r Range) simplified() Range {
	if i := slices.IndexFunc(r.alternatives, interval.isAll); i >= 0 {
		r.alternatives = r.alternatives[i : i+1]
	}
	return r
}

// all is the interval of every version.
func all() interval { return interval{low: Version{}.first()} }

// none is the interval of no version.
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

// from, below and so on build an interval with one bound.
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
