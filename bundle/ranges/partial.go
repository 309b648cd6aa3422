package ranges

import "github.com/Masterminds/semver/v3"

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
