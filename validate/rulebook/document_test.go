package rulebook

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

var update = flag.Bool("update", false, "write doc/rules.md")

// TestDocument fails if doc/rules.md does not match the rules.
func TestDocument(t *testing.T) {
	t.Parallel()
	const file = "../../doc/rules.md"
	var b strings.Builder
	testkit.OK(t, document(&b, rules.All()))
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != b.String() {
		t.Errorf("doc/rules.md is stale: run go tool mage docs (%v)", err)
	}
}

func TestDocumentIsPlain(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	testkit.OK(t, document(&b, []validate.Rule{sample()}))
	for _, want := range []string{`| [no-bell](#no-bell) | info | info | info | no bell \| rings |`, "| [no-bell](#no-bell) | runs | only for code and files that a build replaces | only", "## no-bell", `A &lt;bell&gt; wakes \*people\*.`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("missing %s in:\n%s", want, &b)
		}
	}
}

// document writes doc/rules.md: a table, then a section for each rule. The heading of a section
// is the id of the rule, so that #path-missing links to it.
func document(w io.Writer, rules []validate.Rule) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `# Rules

The %d rules of validate, in the order in which they run. "slipway explain RULE" prints one of them.
"go tool mage docs" generates this file from the rules and their examples, which are also tests.

An error breaks the plugin or violates the contract. A warning means that the plugin works, but not
as intended. Info is worth knowing. A rule that is off runs only if slipway.yaml sets its severity or
the preset. A plugin is validated as source (what its author edits), as dist (what the build writes)
or as zip (what is distributed). Of a plugin.json from standard input, what needs other files is skipped.

With `+"`rules: {preset: catalog}`"+` in slipway.yaml, a plugin without errors has none that Grafana's catalog can find offline
either. A severity that slipway.yaml sets takes precedence.

| Rule | service | grafana | catalog | What it reports |
| --- | --- | --- | --- | --- |
`, len(rules))
	for _, r := range rules {
		matrix(b, r)
	}
	if err := places(b, rules); err != nil {
		return err
	}
	for _, r := range rules {
		Read(r).markdown(b)
	}
	return b.Flush()
}

// matrix writes the severities of a rule, and below those of its findings and plugins that have others.
func matrix(w io.Writer, r validate.Rule) {
	rows := r.Cases
	if !slices.ContainsFunc(rows, func(c validate.Case) bool { return c.What == "" }) {
		rows = slices.Insert(slices.Clone(rows), 0, validate.Case{Severity: func(validate.Setting) validate.Severity { return "" }})
	}
	ofRule := ""
	for _, c := range rows {
		outermost, nested := severities(r, c, false), severities(r, c, true)
		if c.What == "" {
			ofRule = outermost
			fmt.Fprintf(w, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, outermost, cell(r.Summary))
		} else if outermost != ofRule {
			fmt.Fprintf(w, "| | %s | … %s |\n", outermost, cell(c.What))
		}
		if nested != outermost && !r.OfOutermost {
			fmt.Fprintf(w, "| | %s | … %s |\n", nested, strings.TrimSpace(cell(c.What)+" in a nested plugin"))
		}
	}
}

// places writes where each rule runs, or why it does not.
func places(w io.Writer, rules []validate.Rule) error {
	fmt.Fprint(w, `
## Where rules run

A rule that does not run where a plugin is validated is counted in the summary of the report, and listed in a verbose one and in the
formats for programs.

| Rule | Source | Dist | Zip | Standard input | Nested plugins |
| --- | --- | --- | --- | --- | --- |
`)
	for _, r := range rules {
		alone, err := onStandardInput(r)
		if err != nil {
			return err
		}
		nested := ""
		switch {
		case r.OfArchive:
			nested = r.Elsewhere(validate.Source)
		case r.OfOutermost:
			nested = "only for the outermost plugin"
		}
		fmt.Fprintf(w, "| [%s](#%s)", r.ID, r.ID)
		built := r
		if r.OfRepository {
			built.Where = validate.Source
		}
		for _, why := range []string{r.Elsewhere(validate.Source), built.Elsewhere(validate.Dist), built.Elsewhere(validate.Zip), alone, nested} {
			fmt.Fprintf(w, " | %s", cmp.Or(why, "runs"))
		}
		fmt.Fprintln(w, " |")
	}
	return nil
}

// onStandardInput returns why a rule does not run on a plugin.json without the files around it, or "".
func onStandardInput(r validate.Rule) (string, error) {
	text := `{"type": "app", "backend": true, "executable": "gpx_x", "info": {"version": "1.0.0", "logos": {"small": "x.svg"},
		"screenshots": [{"path": "x.png"}]}, "dependencies": {"grafanaDependency": ">=10.3.0"}}`
	for _, f := range Read(r).Bad {
		if path.Base(f.Name) == bundle.MetadataFile {
			text = f.Text
		}
	}
	files, o, err := validate.OpenReader(strings.NewReader(text))
	if err != nil {
		return "", err
	}
	o.Rules, o.IsCatalog = []validate.Rule{r.TurnedOn()}, r.Severity == validate.Off
	report, err := validate.Run(context.Background(), files, o)
	if err != nil {
		return "", err
	}
	for _, s := range slices.Concat(report.Elsewhere, report.Skips) {
		return s.Reason, nil
	}
	return "", nil
}

// severities returns the cells of the profile service, the profile grafana, and the preset catalog.
func severities(r validate.Rule, c validate.Case, isNested bool) string {
	var cells []string
	for i, profile := range []bundle.Profile{bundle.Profiles()[0], bundle.Published(), bundle.Published()} {
		s := validate.Setting{Profile: profile, IsCatalog: i == 2, IsNested: isNested}
		severity := r.Severity
		if s.IsCatalog {
			severity = cmp.Or(r.Catalog, severity)
		}
		if severity != validate.Off {
			severity = cmp.Or(c.Severity(s), severity)
		}
		cells = append(cells, string(severity))
	}
	return strings.Join(cells, " | ")
}

func cell(text string) string { return strings.ReplaceAll(escape(text), "|", `\|`) }

func (p Page) markdown(w io.Writer) {
	severity := p.severity()
	fmt.Fprintf(w, "\n## %s\n\n%s: %s.\n", p.Rule.ID, strings.ToUpper(severity[:1])+severity[1:], escape(p.Rule.Summary))
	if p.Rule.Why != "" {
		fmt.Fprintf(w, "\n%s\n", escape(p.Rule.Why))
	}
	if p.Rule.Help != "" {
		fmt.Fprintf(w, "\n**Help:** %s.\n", escape(p.Rule.Help))
	}
	if p.Example != "" {
		fmt.Fprintf(w, "\n**Example:** %s\n", escape(p.Example))
	}
	markdownFiles(w, "Good", p.Good)
	markdownFiles(w, "Bad", p.Bad)
	if len(p.Findings) > 0 {
		fmt.Fprint(w, "\n`validate` reports:\n\n```text\n")
		for _, f := range p.Findings {
			fmt.Fprintln(w, printable(f.line(p.Rule.ID)))
		}
		fmt.Fprint(w, "```\n")
	}
	markdownFiles(w, "Fixed", p.Fixed)
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
		fmt.Fprintf(w, "\n%s, `%s`:\n\n%s%s\n%s\n%s\n", title, f.Name, fence, language(f.Name), strings.Join(f.lines(), "\n"), fence)
	}
}

// language returns the name for syntax highlighting. JSON in the examples may be
// invalid, which jsonc does not highlight.
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

// escape escapes the characters of plain text that have a meaning in Markdown.
func escape(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "`", "\\`").Replace(s)
}
