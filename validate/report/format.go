// Package report writes the findings of validate for people and for programs.
//
// It defines the formats: text in two lengths, JSON, SARIF, JUnit and GitHub annotations. The
// validate.Report determines the severities and the exit status, and the caller
// determines whether to use colors.
//
// Each format is one function. A change to the JSON that breaks its readers increments
// jsonVersion; "go test ./validate/report -update" rewrites the golden files.
package report

import (
	"io"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

// Options determines how a report is written. The zero value is suitable for a file.
type Options struct {
	HasColor  bool            // for Text: use terminal colors
	IsVerbose bool            // for Text: list all info findings, and the rules that did not run
	Rules     []validate.Rule // for SARIF: the rules that ran
	Version   string          // for SARIF: of Slipway
	Directory string          // for JSON: the slash path of the working directory in its repository; "" if it is in none
}

// Format is an output format.
type Format struct {
	Name    string // such as sarif
	Summary string // in one line
	Write   func(w io.Writer, r *validate.Report, o Options) error
}

// Formats returns the formats, the default first.
func Formats() []Format {
	return []Format{
		{"text", "for people: each finding with its source line", Text},
		{"concise", "for people and editors: a line for each finding", Concise},
		{"json", "for programs: one versioned object", JSON},
		{"sarif", "for code hosts and editors: SARIF 2.1.0", SARIF},
		{"junit", "for CI systems: findings as tests, in XML", JUnit},
		{"github", "for GitHub Actions: line annotations", GitHub},
	}
}

// ByName returns the format with the name, or the default for "".
func ByName(name string) (Format, error) {
	var known []string
	for _, f := range Formats() {
		if f.Name == name || name == "" {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return Format{}, nearest.Unknown("format", name, known)
}
