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
		Summary:   "no two entries of a zip unpack to the same file",
		Why:       "Which of two entries of one name counts depends on the program that reads the zip, so one thing may be checked and another one run. Windows and macOS also take names for the same that differ only in case.",
		Help:      "pack again with one entry for each file",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			var faults []string
			first := map[string]string{} // name in lower case -> name
			folders := map[string]bool{}
			for _, e := range p.Archive.Entries {
				name := path.Clean(strings.ReplaceAll(e.Name, `\`, "/"))
				key := strings.ToLower(name)
				before, again := first[key]
				switch {
				case again && e.Mode.IsDir() && folders[key]:
					continue // a folder that is named twice is the same folder
				case again && before == name:
					faults = append(faults, fmt.Sprintf("the zip has two entries %.200q", name))
				case again:
					faults = append(faults, fmt.Sprintf("the entries %.200q and %.200q of the zip differ only in case", before, name))
				}
				first[key], folders[key] = name, e.Mode.IsDir()
			}
			reportZip(p, faults)
		},
	}
}
