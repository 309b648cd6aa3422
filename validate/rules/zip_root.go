package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/zipfs"
	"github.com/slipway-dev/slipway/validate"
)

func zipRoot(p *validate.Pass) {
	dirs, others := zipTop(p.Archive)
	problems := make([]string, 0, len(others))
	for _, name := range others {
		problems = append(problems, fmt.Sprintf("%.200q is at the top level of the zip, outside the plugin's directory", name))
	}
	reportZip(p, problems)
	switch {
	case len(dirs) > 1:
		f := validate.Finding{Place: p.Whole(),
			Message: fmt.Sprintf("zip has %d top-level directories, but must have exactly one: %s", len(dirs), someOf(dirs))}
		if slices.ContainsFunc(slices.Concat(dirs, others), bundle.IsJunk) {
			f.Help = "leave out what the system added: package with slipway package, or with zip -X from a terminal"
		}
		p.Report(f)
	case len(dirs) == 1 && zipPluginFile(p.Archive) == "":
		p.Reportf(p.Whole(), "directory %.200q in the zip contains no %s", dirs[0], bundle.MetadataFile)
	}
}

// zipTop returns what is at the top of a zip: directories, and everything else.
func zipTop(a *zipfs.Archive) (dirs, others []string) {
	entries, _ := a.ReadDir(".") // always succeeds
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, e.Name())
		} else {
			others = append(others, e.Name())
		}
	}
	return dirs, others
}

// zipPluginFile returns the plugin.json in the only directory at the top of a zip, or
// "" if there is none.
func zipPluginFile(a *zipfs.Archive) string {
	dirs, _ := zipTop(a)
	if len(dirs) != 1 {
		return ""
	}
	name := dirs[0] + "/" + bundle.MetadataFile
	if info, err := a.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return name
}

// quotedName matches the name of an entry in a problem.
var quotedName = regexp.MustCompile(`"(\\.|[^"\\])*"`)

// reportZip reports what is wrong with entries of a zip, of which a hostile one may have thousands: the first entry with
// each problem, and the number of the others.
func reportZip(p *validate.Pass, problems []string) {
	var first []string
	more := map[string]int{}
	for _, problem := range problems {
		kind := quotedName.ReplaceAllString(problem, "")
		if n, isKnown := more[kind]; !isKnown {
			more[kind], first = 0, append(first, problem)
		} else {
			more[kind] = n + 1
		}
	}
	for _, problem := range first {
		if n := more[quotedName.ReplaceAllString(problem, "")]; n > 0 {
			problem += fmt.Sprintf("; %d more have the same problem", n)
		}
		p.Reportf(p.Whole(), "%s", problem)
	}
}

// someOf joins names and leaves out the end of a long list.
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
