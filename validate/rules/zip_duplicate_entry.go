package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func zipDuplicateEntry(p *validate.Pass) {
	var problems []string
	first := map[string]string{} // name in lower case -> name
	isDir := map[string]bool{}
	for _, e := range p.Archive.Entries {
		name := path.Clean(strings.ReplaceAll(e.Name, `\`, "/"))
		key := strings.ToLower(name)
		earlier, isKnown := first[key]
		switch {
		case isKnown && e.Mode.IsDir() && isDir[key]:
			continue // the same directory twice is harmless
		case isKnown && earlier == name:
			problems = append(problems, fmt.Sprintf("duplicate zip entry %.200q", name))
		case isKnown:
			problems = append(problems, fmt.Sprintf("zip entries %.200q and %.200q differ only in case", earlier, name))
		}
		first[key], isDir[key] = name, e.Mode.IsDir()
	}
	reportZip(p, problems)
}
