// Package newrule writes the files of a new rule. What it writes compiles, and the
// tests of validate/rules fail until someone has said what the rule is for and shown
// a good and a bad plugin.
//
// It is for this repository. It refuses to write over a file.
package newrule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var idForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)

// Write writes the code and the example of a rule into the folder dir of the rules
// and adds it to the end of rules.All. It returns the files.
func Write(dir, id string) ([]string, error) {
	if !idForm.MatchString(id) {
		return nil, fmt.Errorf("rule id %q: write two or more words in lower case with hyphens between them, such as path-missing", id)
	}
	base := filepath.Join(dir, strings.ReplaceAll(id, "-", "_"))
	code, example, list := base+".go", base+".txtar", filepath.Join(dir, "rules.go")
	for _, file := range []string{code, example} {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is there already: take another id, or edit it", file)
		}
	}
	all, err := os.ReadFile(list)
	if err != nil {
		return nil, fmt.Errorf("list of rules: %w", err)
	}
	listed, err := insert(string(all), function(id))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	fill := strings.NewReplacer("RULE-ID", id, "ruleFunction", function(id))
	for _, f := range []struct{ name, text string }{
		{code, fill.Replace(codeText)}, {example, fill.Replace(exampleText)}, {list, listed},
	} {
		if err := os.WriteFile(f.name, []byte(f.text), 0o644); err != nil {
			return nil, fmt.Errorf("new rule %s: %w", id, err)
		}
	}
	return []string{code, example, list}, nil
}

// insert adds a call to the end of the list of rules.
func insert(text, function string) (string, error) {
	const begin, end = "all := []validate.Rule{\n", "\n\t}\n"
	from := strings.Index(text, begin)
	if from < 0 {
		return "", fmt.Errorf("there is no %q: add %s() to the list by hand", strings.TrimSpace(begin), function)
	}
	to := strings.Index(text[from:], end)
	if to < 0 {
		return "", fmt.Errorf("the list of rules does not end: add %s() to it by hand", function)
	}
	at := from + to
	return text[:at] + "\n\t\t" + function + "()," + text[at:], nil
}

// function is the id as the name of a function.
func function(id string) string {
	words := strings.Split(id, "-")
	for i, w := range words[1:] {
		switch w {
		case "id", "json", "svg", "js", "url", "iam":
			words[i+1] = strings.ToUpper(w)
		default:
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

const codeText = `package rules

import "github.com/slipway-dev/slipway/validate"

func ruleFunction() validate.Rule {
	return validate.Rule{
		ID:       "RULE-ID",
		Severity: validate.Error,
		Summary:  "", // what holds for a good plugin, in one line without a full stop
		Why:      "", // what goes wrong otherwise, in one or two sentences
		Help:     "", // what to do, without a full stop
		Where:    validate.Everywhere,
		Check: func(p *validate.Pass) {
			if text, ok := p.Doc.Text("/name"); ok && text == "change me" {
				p.Reportf(p.Value("/name"), "the name is %q", text)
			}
		},
	}
}
`

// The good and the bad plugin begin alike: the author breaks the bad one.
const (
	exampleText = "\n-- good/plugin.json --\n" + examplePlugin + "-- good/img/logo.svg --\n" + exampleLogo +
		"-- bad/plugin.json --\n" + examplePlugin + "-- bad/img/logo.svg --\n" + exampleLogo + "-- findings --\n"
	examplePlugin = `{
  "id": "acme-clock-panel",
  "name": "Clock",
  "type": "panel",
  "info": {
    "description": "Shows the time.",
    "keywords": ["time"],
    "logos": { "small": "img/logo.svg", "large": "img/logo.svg" },
    "updated": "2026-01-31",
    "version": "1.0.0"
  },
  "dependencies": { "serviceDependency": ">=10.3.0" }
}
`
	exampleLogo = `<svg xmlns="http://www.w3.org/2000/svg"/>
`
)
