package dev

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
)

// compilerLine matches an error in the output of the go command.
var compilerLine = regexp.MustCompile(`^\s*((?:[A-Za-z]:)?[^\s:][^:]*\.\w+):(\d+)(?::(\d+))?: (.+)$`)

// compilerErrors returns the compiler errors in an error, or its text if there are none. Their files are named as shown
// to people.
func compilerErrors(root string, err error) (findings []validate.Finding, text string) {
	if e, ok := errors.AsType[*frontend.Error](err); ok {
		return messages(root, e.Messages, validate.Error), ""
	}
	var other []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		m := compilerLine.FindStringSubmatch(line)
		switch {
		case m != nil:
			at, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3]) // 0 if there is none
			file, rule := shown(root, m[1]), "backend"
			if filepath.Base(file) == config.FileName {
				rule = "configuration"
			}
			findings = append(findings, validate.Finding{Rule: rule, Severity: validate.Error, Message: m[4],
				Place: place(file, at, column, 1, lineOf(root, m[1], at))})
		case strings.HasPrefix(line, "\t") && len(findings) > 0: // continues the message
			findings[len(findings)-1].Message += "; " + strings.TrimSpace(line)
		case !strings.HasPrefix(strings.TrimSpace(line), "# "): // the name of a package
			other = append(other, line)
		}
	}
	if len(findings) > 0 {
		return findings, "" // the rest is a heading
	}
	return nil, strings.Join(other, "\n")
}

// warnings returns the findings for warnings of the bundler, and the sources.
func warnings(root string, list []frontend.Message) ([]validate.Finding, map[string][]byte) {
	findings := messages(root, list, validate.Warning)
	return findings, sources(root, findings)
}

func messages(root string, list []frontend.Message, severity validate.Severity) (findings []validate.Finding) {
	for _, m := range list {
		f := validate.Finding{Rule: "frontend", Severity: severity, Message: m.Text, Help: m.Help}
		if m.File != "" {
			f.Place = place(shown(root, m.File), m.Line, m.Column, m.Length, []byte(m.Source))
		} else {
			f.Place.File = shown(root, ".")
		}
		findings = append(findings, f)
	}
	return findings
}

// place returns a position in code points. Column and length are in bytes of the line.
func place(file string, line, column, length int, text []byte) validate.Place {
	p := validate.Place{File: file, Line: line, Column: column, EndLine: line, EndColumn: column}
	if from := column - 1; from >= 0 && from <= len(text) {
		p.Column = utf8.RuneCount(text[:from]) + 1
		p.EndColumn = p.Column + utf8.RuneCount(text[from:min(from+max(length, 1), len(text))])
	}
	return p
}

// maxSource is the size in bytes of the largest file that is quoted.
const maxSource = 4 << 20

// readSource returns the text of a source file, or nil if it cannot be quoted.
func readSource(root, file string) []byte {
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, filepath.FromSlash(file))
	}
	text, _ := limit.ReadFile(file, maxSource)
	return text
}

// lineOf returns a line of a source file, counted from 1, or nil.
func lineOf(root, file string, number int) []byte {
	n := 0
	for line := range strings.Lines(string(readSource(root, file))) {
		if n++; n == number {
			return []byte(strings.TrimRight(line, "\r\n"))
		}
	}
	return nil
}

// sources returns the text of the files that findings refer to, by name as shown.
func sources(root string, findings []validate.Finding) map[string][]byte {
	texts := map[string][]byte{}
	for _, f := range findings {
		if _, ok := texts[f.File]; !ok {
			file, err := filepath.Abs(filepath.FromSlash(f.File)) // as shown: relative to the current directory
			if err == nil {
				texts[f.File] = readSource(root, file)
			}
		}
	}
	return texts
}
