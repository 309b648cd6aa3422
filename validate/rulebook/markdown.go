package rulebook

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// Markdown writes one document of all rules: a table, then a page for each. A
// heading is the id of the rule, so that #path-missing leads there.
func Markdown(w io.Writer, rules []validate.Rule) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `# Rules

%d rules, in the order in which they run. This file is written by "go tool mage docs" from the
rules and their examples, which are tests. "slipway explain RULE" prints one of them.

An error breaks the plugin or the contract, a warning works but not as meant, an info is worth
knowing. Source is a plugin as its author edits it, dist as the build writes it, zip as it is handed
out.

| rule | severity | where | what it checks |
| --- | --- | --- | --- |
`, len(rules))
	for _, r := range rules {
		fmt.Fprintf(b, "| [%s](#%s) | %s | %s | %s |\n", r.ID, r.ID, string(r.Severity), where(r.Where), cell(r.Summary))
	}
	for _, r := range rules {
		Read(r).markdown(b)
	}
	return b.Flush()
}

func (p Page) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n%s: %s.\n", p.Rule.ID, capital(string(p.Rule.Severity)), prose(p.Rule.Summary))
	if p.Rule.Why != "" {
		fmt.Fprintf(w, "\n%s\n", prose(p.Rule.Why))
	}
	if p.Rule.Help != "" {
		fmt.Fprintf(w, "\n**Help:** %s.\n", prose(strings.TrimSuffix(p.Rule.Help, ".")))
	}
	if p.Shows != "" {
		fmt.Fprintf(w, "\n**Example:** %s\n", prose(p.Shows))
	}
	markdownFiles(w, "Good", p.Good)
	markdownFiles(w, "Bad", p.Bad)
	if len(p.Findings) > 0 {
		fmt.Fprint(w, "\nWhat `validate` says of the bad one:\n\n```text\n")
		for _, f := range p.Findings {
			fmt.Fprintln(w, visible(f.line(p.Rule.ID)))
		}
		fmt.Fprint(w, "```\n")
	}
	markdownFiles(w, "What `-fix` makes of it", p.Fixed)
}

func markdownFiles(w io.Writer, title string, files []File) {
	for _, f := range files {
		if strings.TrimSpace(f.Text) == "" {
			fmt.Fprintf(w, "\n%s, `%s`: empty\n", title, f.Name)
			continue
		}
		fence := "```"
		for strings.Contains(f.Text, fence) {
			fence += "`"
		}
		fmt.Fprintf(w, "\n%s, `%s`:\n\n%s%s\n", title, f.Name, fence, language(f.Name))
		n := 0
		for line := range strings.Lines(f.Text) {
			if n++; n > 60 {
				fmt.Fprintf(w, "... %d more lines\n", lines(f.Text)-60)
				break
			}
			fmt.Fprintln(w, visible(strings.TrimRight(line, "\r\n")))
		}
		fmt.Fprintln(w, fence)
	}
}

// language colours what a page shows. The examples of JSON have faults, which jsonc
// does not paint over.
func language(name string) string {
	switch path.Ext(name) {
	case ".json":
		return "jsonc"
	case ".svg":
		return "xml"
	case ".md":
		return "markdown"
	case ".js":
		return "js"
	}
	return "text"
}

// prose keeps Markdown from reading marks out of plain text.
func prose(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "`", "\\`").Replace(strings.Join(strings.Fields(s), " "))
}

func cell(s string) string { return strings.ReplaceAll(prose(s), "|", `\|`) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
