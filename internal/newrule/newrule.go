// Package newrule writes the files of a new rule for this repository: the code, the
// example, and the line in rules.All. The code compiles, but the tests of
// validate/rules fail until its author has documented the rule and completed the
// example.
//
// It never overwrites a file.
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

var validID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)

// Write writes the code and the example of a rule to dir, the directory of the rules,
// and adds the rule to the end of rules.All. It returns the files it wrote.
func Write(dir, id string) ([]string, error) {
	if !validID.MatchString(id) {
		return nil, fmt.Errorf("invalid rule id %q: must be two or more words in lower case, separated by hyphens, such as path-missing", id)
	}
	base := filepath.Join(dir, strings.ReplaceAll(id, "-", "_"))
	code, example, list := base+".go", base+".txtar", filepath.Join(dir, "rules.go")
	for _, file := range []string{code, example} {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s already exists: choose another id, or edit it", file)
		}
	}
	all, err := os.ReadFile(list)
	if err != nil {
		return nil, fmt.Errorf("list of rules: %w", err)
	}
	listed, err := insert(string(all), functionName(id))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	fill := strings.NewReplacer("RULE-ID", id, "ruleFunction", functionName(id))
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
	head, rest, hasBegin := strings.Cut(text, begin)
	list, tail, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return "", fmt.Errorf("list of rules not found: add %s() to it by hand", function)
	}
	return head + begin + list + "\n\t\t" + function + "()," + end + tail, nil
}

// functionName converts an id such as min-version-iam to minVersionIAM.
func functionName(id string) string {
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
		Summary:  "", // what the rule reports, such as: path to a missing file
		Why:      "", // why that matters, in one to three sentences
		Help:     "", // what to do, as an imperative without a period
		Where:    validate.Everywhere,
		Check: func(p *validate.Pass) {
			if text, ok := p.Doc.Text("/name"); ok && text == "change me" {
				p.Reportf(p.Value("/name"), "the name is %q", text)
			}
		},
	}
}
`

// The good and the bad plugin are equal until the author breaks the bad one and marks
// the position of each finding with « and ».
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
