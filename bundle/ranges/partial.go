package ranges

// partial is a version whose end may be open, such as 10, 10.x, 10.3 or 10.3.1.
type partial struct {
	Version
	known int // how many of major, minor, patch are numbers
}

// after returns the first release above every version that an open partial matches.
func (p partial) after() Version {
	if p.known == 1 {
		return Version{Major: p.Major + 1}
	}
	return Version{Major: p.Major, Minor: p.Minor + 1}
}

// interval returns the versions that an operator and a partial admit.
func (p partial) interval(operator string) interval {
	isOpen := p.known < 3
	switch {
	case p.known == 0 && (operator == "<" || operator == ">"):
		return none()
	case p.known == 0:
		return all()
	}
	switch operator {
	case ">":
		if isOpen {
			return from(p.after())
		}
		return above(p.Version)
	case ">=":
		return from(p.Version)
	case "<":
		if isOpen {
			return below(p.first())
		}
		return below(p.Version)
	case "<=":
		return p.upper()
	case "~":
		if p.known > 1 {
			return from(p.Version).and(below(Version{Major: p.Major, Minor: p.Minor + 1}.first()))
		}
		return from(p.Version).and(below(p.after().first()))
	case "^":
		return from(p.Version).and(below(p.breaking().first()))
	}
	return from(p.Version).and(p.upper())
}

// upper returns the interval up to the versions that the partial matches.
func (p partial) upper() interval {
	switch p.known {
	case 0:
		return all()
	case 3:
		return upTo(p.Version)
	}
	return below(p.after().first())
}

// breaking returns the first release with breaking changes: the partial with its
// leftmost nonzero number incremented.
func (p partial) breaking() Version {
	switch {
	case p.Major > 0 || p.known == 1:
		return Version{Major: p.Major + 1}
	case p.Minor > 0 || p.known == 2:
		return Version{Minor: p.Minor + 1}
	}
	return Version{Patch: p.Patch + 1}
}
