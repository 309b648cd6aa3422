package rulebook

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// Page is what there is to say about a rule.
type Page struct {
	Rule     validate.Rule
	Shows    string    // what the example shows
	Good     []File    // without findings
	Bad      []File    // with Findings; without files that are as in Good, unless all are
	Fixed    []File    // what -fix makes of Bad
	Findings []Finding // in Bad
}

// File is a file of an example.
type File struct {
	Name string
	Text string
}

// Finding is a line of an example.
type Finding struct {
	Place   string // file:line:column, or the file alone
	Rule    string
	Message string
}

// Read reads the example of a rule: a txtar archive with files good/NAME, bad/NAME
// and fixed/NAME (or good.zip/NAME and bad.zip/NAME for the entries of a zip), and
// the file findings.
func Read(rule validate.Rule) Page {
	p := Page{Rule: rule}
	comment, files := split(rule.Example)
	p.Shows = strings.TrimSpace(comment)
	for _, f := range files {
		side, name, isInside := strings.Cut(f.Name, "/")
		switch {
		case f.Name == "findings":
			p.Findings = findings(f.Text)
		case !isInside:
		case strings.HasPrefix(side, "good"):
			p.Good = append(p.Good, File{name, f.Text})
		case strings.HasPrefix(side, "bad"):
			p.Bad = append(p.Bad, File{name, f.Text})
		case side == "fixed":
			p.Fixed = append(p.Fixed, File{name, f.Text})
		}
	}
	isSame := func(f File) bool { return slices.Contains(p.Good, f) }
	if slices.ContainsFunc(p.Bad, func(f File) bool { return !isSame(f) }) {
		p.Bad = slices.DeleteFunc(p.Bad, isSame)
	}
	return p
}

// split reads a txtar archive: text, then files that begin with "-- NAME --".
func split(archive string) (comment string, files []File) {
	var b strings.Builder
	end := func() {
		if len(files) == 0 {
			comment = b.String()
		} else {
			files[len(files)-1].Text = b.String()
		}
		b.Reset()
	}
	for line := range strings.Lines(archive) {
		name, isMark := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
		if name, isClosed := strings.CutSuffix(name, " --"); isMark && isClosed {
			end()
			files = append(files, File{Name: strings.TrimSpace(name)})
			continue
		}
		b.WriteString(line)
	}
	end()
	return comment, files
}

// findings reads lines of the form PLACE RULE POINTER MESSAGE.
func findings(text string) []Finding {
	var list []Finding
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(fields) == 4 {
			list = append(list, Finding{strings.TrimSuffix(fields[0], ":0:0"), fields[1], fields[3]})
		}
	}
	return list
}

// lines counts the lines of a text.
func lines(text string) int { return strings.Count(text, "\n") }
