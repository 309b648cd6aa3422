package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/junit"
	"github.com/slipway-dev/slipway/internal/text"
)

// reportFile is the report for programs.
const (
	reportFile  = "report.json"
	picturesDir = "pictures"
)

// errOtherFiles is the error for a report in a directory that has other files.
var errOtherFiles = errors.New("the directory has files, and none is the report.json of an earlier check")

// CheckOut reports whether a report can replace what a directory has: nothing, or an earlier report.
func CheckOut(dir string) error {
	if _, err := tree.Destination(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	isReport := func(e os.DirEntry) bool { return e.Name() == reportFile }
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(entries) > 0 && !slices.ContainsFunc(entries, isReport):
		return fmt.Errorf("%s: %w", dir, errOtherFiles)
	}
	return err
}

// beginReport replaces an earlier report by one without views, in case that the check is interrupted.
func beginReport(dir string) error {
	if err := CheckOut(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, old := range []string{picturesDir, "kept", "marked"} {
		if err := os.RemoveAll(filepath.Join(dir, old)); err != nil {
			return err
		}
	}
	return write(dir, nil)
}

// write writes the report: index.html, junit.xml and report.json.
func write(dir string, results []Result) error {
	data, err := json.MarshalIndent(append([]Result{}, results...), "", "  ")
	if err != nil {
		return err
	}
	suites := junit.Suites{Name: "slipway preview"}
	for _, r := range results {
		class, name, _ := strings.Cut(r.Name, ": ")
		c := junit.Case{Class: class, Name: name, Time: junit.Seconds(r.Seconds), Output: strings.Join(r.Notes, "\n")}
		if len(r.Problems) > 0 {
			c.Failure = &junit.Result{Message: r.Problems[0], Body: strings.Join(r.Problems, "\n")}
		}
		suite := strings.TrimSpace("preview " + r.With)
		i := slices.IndexFunc(suites.Suites, func(s junit.Suite) bool { return s.Name == suite })
		if i < 0 {
			i, suites.Suites = len(suites.Suites), append(suites.Suites, junit.Suite{Name: suite})
		}
		suites.Suites[i].Cases = append(suites.Suites[i].Cases, c)
	}
	var xml, html bytes.Buffer
	if err := junit.Write(&xml, suites); err != nil {
		return err
	}
	page, err := template.New("").Parse(layout)
	if err != nil {
		return err
	}
	if err := page.Execute(&html, sortedOut(results)); err != nil {
		return err
	}
	for name, text := range map[string][]byte{reportFile: data, "junit.xml": xml.Bytes(), "index.html": html.Bytes()} {
		if err := writeFile(dir, name, text); err != nil {
			return err
		}
	}
	return nil
}

// summary is what index.html shows: first what failed.
type summary struct {
	Views          string     // how many
	Count          int        // of those that failed
	Failed, Passed [][]Result // a view each, with every version
}

func sortedOut(results []Result) summary {
	s := summary{Views: text.Plural(len(results), "view")}
	for len(results) > 0 {
		n := 1
		for n < len(results) && results[n].Name == results[0].Name {
			n++
		}
		failed := 0
		for _, r := range results[:n] {
			if len(r.Problems) > 0 {
				failed++
			}
		}
		s.Count += failed
		if failed > 0 {
			s.Failed = append(s.Failed, results[:n])
		} else {
			s.Passed = append(s.Passed, results[:n])
		}
		results = results[n:]
	}
	return s
}

const layout = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Views}}, {{.Count}} failed</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1.5rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
ul { margin: .25rem 0 .75rem; padding-left: 1.2rem; overflow-wrap: anywhere; }
section { border: 1px solid #8886; border-radius: 6px; padding: 1rem; margin-bottom: 1rem; }
.failed { border-left: 4px solid light-dark(#b00020, #ff8a80); }
.problem { color: light-dark(#b00020, #ff8a80); }
.grid, .pictures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); }
.grid section { margin: 0; }
.sides { display: grid; gap: 1rem; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); }
h4 { margin: .5rem 0 0; }
figure { margin: 0; }
figcaption { font-size: .85rem; }
img { width: 100%; border: 1px solid #8886; }
</style>
<h1>{{.Views}}, {{.Count}} failed</h1>
{{range .Failed}}<section class="failed">{{template "view" .}}</section>
{{end}}{{if .Passed}}<h2>Passed</h2>
<div class="grid">
{{range .Passed}}<section>{{template "view" .}}</section>
{{end}}</div>{{end}}
{{define "view"}}<h3>{{(index . 0).Name}}</h3>
<div class="sides">{{range .}}<div>{{template "result" .}}</div>{{end}}</div>{{end}}
{{define "result"}}{{with .With}}<h4>{{.}}</h4>{{end}}
{{with .Only}}<p>Only with this version:</p><ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{if or .Problems .Notes}}<ul>{{range .Problems}}<li class="problem">{{.}}</li>{{end}}{{range .Notes}}<li>{{.}}</li>{{end}}</ul>{{end}}
<div class="pictures">
{{with .Picture}}{{template "picture" .}}<figcaption>now</figcaption></figure>{{end}}
{{if .Marked}}{{template "picture" .Kept}}<figcaption>kept</figcaption></figure>
{{template "picture" .Marked}}<figcaption>what differs, in red</figcaption></figure>{{end}}
</div>{{end}}
{{define "picture"}}<figure><a href="{{.}}"><img src="{{.}}" alt="{{.}}" loading="lazy"></a>{{end}}`
