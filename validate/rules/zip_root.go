package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/archive"
)

func zipRoot() validate.Rule {
	return validate.Rule{
		ID:        "zip-root",
		Severity:  validate.Error,
		Summary:   "a zip holds one folder with the plugin in it",
		Why:       "Whoever installs a plugin unpacks its zip into the folder of all plugins. What is not in the plugin's own folder lands among the other plugins.",
		Help:      "pack one folder that holds plugin.json, and nothing beside it",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			folders, beside := zipTop(p.Archive)
			faults := make([]string, 0, len(beside))
			for _, name := range beside {
				faults = append(faults, fmt.Sprintf("%.200q lies at the top of the zip, not in the folder of the plugin", name))
			}
			reportZip(p, faults)
			switch {
			case len(folders) > 1:
				p.Reportf(p.Whole(), "the zip has %d folders at its top, not one: %s", len(folders), someOf(folders))
			case len(folders) == 1 && zipPluginFile(p.Archive) == "":
				p.Reportf(p.Whole(), "the folder %.200q of the zip holds no %s", folders[0], bundle.MetadataFile)
			}
		},
	}
}

// zipTop returns what is at the top of a zip: folders, and what is none.
func zipTop(a *archive.Archive) (folders, beside []string) {
	entries, _ := a.ReadDir(".") // there always is a top
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		} else {
			beside = append(beside, e.Name())
		}
	}
	return folders, beside
}

// zipPluginFile returns the plugin.json of the one folder at the top of a zip, "" if
// there is none.
func zipPluginFile(a *archive.Archive) string {
	folders, _ := zipTop(a)
	if len(folders) != 1 {
		return ""
	}
	name := folders[0] + "/" + bundle.MetadataFile
	if info, err := a.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return name
}

// maxZipFindings is how many entries a rule names one by one: a hostile zip may have
// thousands that are wrong.
const maxZipFindings = 10

// reportZip reports faults of the entries of a zip, the first ones each and then how
// many more there are.
func reportZip(p *validate.Pass, faults []string) {
	for i, fault := range faults {
		if i == maxZipFindings {
			p.Reportf(p.Whole(), "the same is wrong with %d more entries of the zip", len(faults)-i)
			return
		}
		p.Reportf(p.Whole(), "%s", fault)
	}
}

// someOf writes a list of names, a long one not in full.
func someOf(names []string) string {
	const most = 5
	quoted := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			quoted = append(quoted, "...")
			break
		}
		quoted = append(quoted, fmt.Sprintf("%.200q", name))
	}
	return strings.Join(quoted, ", ")
}
