package report

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/validate"
)

// skipGroup is the rules that did not run on a file for the same reason.
type skipGroup struct {
	file, reason string
	isBroken     bool
	rules        []string // empty if the reason concerns all rules
}

func (g *skipGroup) line() string {
	switch len(g.rules) {
	case 0:
		return g.reason
	case 1:
		return fmt.Sprintf("%s did not run: %s", g.rules[0], g.reason)
	}
	return fmt.Sprintf("%d rules did not run: %s", len(g.rules), g.reason)
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
		if s.Rule != "" && !slices.Contains(g.rules, s.Rule) {
			g.rules = append(g.rules, s.Rule)
		}
	}
	return list
}
