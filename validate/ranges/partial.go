package ranges

// partial is a version of which the end may be left open: 10, 10.x, 10.3, 10.3.1.
type partial struct {
	Version
	known int // how many of major, minor, patch are numbers
}

// after is the first release beyond all that the open partial stands for.
func (p partial) after() Version {
	if p.known == 1 {
		return Version{Major: p.Major + 1}
	}
	return Version{Major: p.Major, Minor: p.Minor + 1}
}

// interval returns what an operator makes of a partial.
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

// upper is the interval up to the partial and all that it stands for.
func (p partial) upper() interval {
	switch p.known {
	case 0:
		return all()
	case 3:
		return upTo(p.Version)
	}
	return below(p.after().first())
}

// breaking is the first release that may break what worked with the partial: the
// leftmost number that is not 0 goes up.
func (p partial) breaking() Version {
	switch {
	case p.Major > 0 || p.known == 1:
		return Version{Major: p.Major + 1}
	case p.Minor > 0 || p.known == 2:
		return Version{Minor: p.Minor + 1}
	}
	return Version{Patch: p.Patch + 1}
}
