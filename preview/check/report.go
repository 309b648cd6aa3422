package check

import (
	"bytes"
	"encoding/json"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/junit"
	"github.com/slipway-dev/slipway/internal/text"
)

// write writes the report: index.html, junit.xml and report.json.
func write(dir string, results []Result) error {
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	suite := junit.Suite{Name: "preview"}
	for _, r := range results {
		class, name, _ := strings.Cut(r.Name, ": ")
		c := junit.Case{Class: class, Name: name, Time: junit.Seconds(r.Seconds), Output: strings.Join(r.Notes, "\n")}
		if len(r.Problems) > 0 {
			c.Failure = &junit.Result{Message: r.Problems[0], Body: strings.Join(r.Problems, "\n")}
		}
		suite.Cases = append(suite.Cases, c)
	}
	var xml, html bytes.Buffer
	if err := junit.Write(&xml, junit.Suites{Name: "slipway preview", Suites: []junit.Suite{suite}}); err != nil {
		return err
	}
	page, err := template.New("").Parse(layout)
	if err != nil {
		return err
	}
	if err := page.Execute(&html, sortedOut(results)); err != nil {
		return err
	}
	for name, text := range map[string][]byte{"report.json": data, "junit.xml": xml.Bytes(), "index.html": html.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// summary is what index.html shows: first what failed.
type summary struct {
	Views          string // how many
	Failed, Passed []Result
}

func sortedOut(results []Result) summary {
	s := summary{Views: text.Plural(len(results), "view")}
	for _, r := range results {
		if len(r.Problems) > 0 {
			s.Failed = append(s.Failed, r)
		} else {
			s.Passed = append(s.Passed, r)
		}
	}
	return s
}

const layout = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Views}}, {{len .Failed}} failed</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1.5rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
ul { margin: .25rem 0 .75rem; padding-left: 1.2rem; overflow-wrap: anywhere; }
section { border: 1px solid #8886; border-radius: 6px; padding: 1rem; margin-bottom: 1rem; }
.failed { border-left: 4px solid light-dark(#b00020, #ff8a80); }
.problem { color: light-dark(#b00020, #ff8a80); }
.grid, .pictures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); }
.grid section { margin: 0; }
figure { margin: 0; }
figcaption { font-size: .85rem; }
img { width: 100%; border: 1px solid #8886; }
</style>
<h1>{{.Views}}, {{len .Failed}} failed</h1>
{{range .Failed}}<section class="failed">{{template "result" .}}</section>
{{end}}{{if .Passed}}<h2>Passed</h2>
<div class="grid">
{{range .Passed}}<section>{{template "result" .}}</section>
{{end}}</div>{{end}}
{{define "result"}}<h3>{{.Name}}</h3>
{{if or .Problems .Notes}}<ul>{{range .Problems}}<li class="problem">{{.}}</li>{{end}}{{range .Notes}}<li>{{.}}</li>{{end}}</ul>{{end}}
<div class="pictures">
{{with .Picture}}{{template "picture" .}}<figcaption>now</figcaption></figure>{{end}}
{{if .Marked}}{{template "picture" .Kept}}<figcaption>kept</figcaption></figure>
{{template "picture" .Marked}}<figcaption>what differs, in red</figcaption></figure>{{end}}
</div>{{end}}
{{define "picture"}}<figure><a href="{{.}}"><img src="{{.}}" alt="{{.}}" loading="lazy"></a>{{end}}`
