package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// Options says how to write a report. The zero value is fit for a file.
type Options struct {
	HasColor bool            // colours of a terminal; only Text has any
	Rules    []validate.Rule // that ran, for formats that describe them; only SARIF does
	Version  string          // of Slipway, for formats that name it
}

// Format is a way to write a report.
type Format struct {
	Name    string // as given to -format
	Summary string // in one line
	Write   func(w io.Writer, r *validate.Report, o Options) error
}

// Formats lists the formats, the default first.
func Formats() []Format {
	return []Format{
		{"text", "for people: each finding with its line of the file", Text},
		{"json", "for programs: one object, versioned", JSON},
		{"sarif", "for code hosts and editors: SARIF 2.1.0", SARIF},
		{"junit", "for CI systems: tests that pass, fail or are skipped, as XML", JUnit},
		{"github", "for GitHub Actions: annotations of the lines", GitHub},
	}
}

// ByName returns the format with the name; "" is the default.
func ByName(name string) (Format, error) {
	formats := Formats()
	if name == "" {
		return formats[0], nil
	}
	var known []string
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q: use one of %s", name, strings.Join(known, ", "))
}
