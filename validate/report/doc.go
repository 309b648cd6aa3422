// Package report writes what validate found, for people and for programs.
//
// It owns the formats: text with the lines of the files, JSON, SARIF, JUnit and
// the annotations of GitHub. Formats says which there are, and each function says
// what it writes. It refuses to decide anything: what is a finding, what
// it weighs and what the exit code is stands in the validate.Report, and whether
// there is a terminal that shows colours is the caller's to know.
package report
