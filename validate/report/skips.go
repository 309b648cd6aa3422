package report

import "github.com/slipway-dev/slipway/validate"

// skipGroup is the rules that did not run on a file for the same reason.
type skipGroup struct {
	file, reason string
	isBroken     bool
	rules        []string
}

// groups groups skips by file and reason, in the order of the first of each.
func groups(skips []validate.Skip) []*skipGroup {
	type key struct {
		file, reason string
		isBroken     bool
	}
	var list []*skipGroup
	at := map[key]*skipGroup{}
	for _, s := range skips {
		k := key{s.File, s.Reason, s.IsBroken}
		g := at[k]
		if g == nil {
			g = &skipGroup{file: s.File, reason: s.Reason, isBroken: s.IsBroken}
			at[k], list = g, append(list, g)
		}
		name := s.Rule
		if name == "" {
			name = "all rules"
		}
		g.rules = append(g.rules, name)
	}
	return list
}
