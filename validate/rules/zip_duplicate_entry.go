package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func zipDuplicateEntry() validate.Rule {
	return validate.Rule{
		ID:        "zip-duplicate-entry",
		Severity:  validate.Error,
		Summary:   "zip entries that unpack to the same file",
		Why:       "Which of two entries with one name counts depends on the program that reads the zip, so what runs may not be what was validated. On Windows and macOS, names that differ only in case are the same.",
		Help:      "package again with one entry for each file",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			var problems []string
			first := map[string]string{} // name in lower case -> name
			folders := map[string]bool{}
			for _, e := range p.Archive.Entries {
				name := path.Clean(strings.ReplaceAll(e.Name, `\`, "/"))
				key := strings.ToLower(name)
				before, again := first[key]
				switch {
				case again && e.Mode.IsDir() && folders[key]:
					continue // the same directory twice is harmless
				case again && before == name:
					problems = append(problems, fmt.Sprintf("duplicate zip entry %.200q", name))
				case again:
					problems = append(problems, fmt.Sprintf("zip entries %.200q and %.200q differ only in case", before, name))
				}
				first[key], folders[key] = name, e.Mode.IsDir()
			}
			reportZip(p, problems)
		},
	}
}
