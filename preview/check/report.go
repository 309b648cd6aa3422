package check

import (
	"bytes"
	"encoding/json"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/junit"
)

// write writes the report: index.html, junit.xml and report.json.
func write(dir string, results []Result) error {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	suite := junit.Suite{Name: "preview"}
	for _, r := range results {
		class, name, _ := strings.Cut(r.Name, ": ")
		c := junit.Case{Class: class, Name: name, Output: strings.Join(r.Notes, "\n")}
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
	if err := page.Execute(&html, results); err != nil {
		return err
	}
	for name, text := range map[string][]byte{"report.json": text, "junit.xml": xml.Bytes(), "index.html": html.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

const layout = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Preview</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; color-scheme: light dark; }
section { border-top: 1px solid #8888; padding: 1rem 0; }
h2 { font-size: 1.1rem; margin: 0; }
.problem { color: light-dark(#b00020, #ff8a80); }
figure { display: inline-block; margin: 0 1rem 0 0; max-width: 45%; }
img { max-width: 100%; border: 1px solid #8888; }
</style>
<h1>Preview</h1>
{{range .}}<section>
<h2>{{.Name}}</h2>
<ul>{{range .Problems}}<li class="problem">{{.}}</li>{{end}}{{range .Notes}}<li>{{.}}</li>{{end}}</ul>
{{if .Picture}}<figure><img src="{{.Picture}}" alt="{{.Name}}" loading="lazy"><figcaption>now</figcaption></figure>{{end}}
{{if .Kept}}<figure><img src="{{.Kept}}" alt="{{.Name}}, as it is kept" loading="lazy"><figcaption>kept</figcaption></figure>{{end}}
</section>
{{end}}`
