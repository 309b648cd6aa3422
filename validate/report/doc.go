// Package report writes what validate found, for people and for programs.
//
// It owns the formats. It refuses to decide anything: what is a finding, what
// it weighs and what the exit code is stands in the validate.Report, and whether
// there is a terminal that shows colours is the caller's to know.
package report
