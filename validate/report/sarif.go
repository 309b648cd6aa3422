package report

import (
	"encoding/json"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/validate"
)

// Addresses in the log.
const (
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	home         = "https://github.com/slipway-dev/slipway"
	rulesAddress = home + "/blob/main/doc/rules.md"
	sourceRoot   = "%SRCROOT%" // which code hosts replace with the repository
)

// SARIF writes a SARIF 2.1.0 log for code hosts and editors, without fixes, which code hosts
// ignore. The names of files must be relative to the root of the repository.
// Suppressed findings are results with a suppression, and checks that did not run are
// notifications of the invocation.
func SARIF(w io.Writer, r *validate.Report, o Options) error {
	s := sarifWriter{index: map[string]int{}}
	run := sarifRun{
		Invocations:        []sarifInvocation{{IsSuccess: r.ExitCode() != validate.ExitBroken, ExitCode: r.ExitCode()}},
		OriginalURIBaseIDs: map[string]sarifBase{sourceRoot: {sarifText{Text: "the root of the repository"}}},
		Results:            []sarifResult{},
		ColumnKind:         "unicodeCodePoints",
	}
	for _, rule := range o.Rules {
		s.add(rule)
	}
	for _, f := range r.Findings {
		run.Results = append(run.Results, s.result(f))
	}
	for _, f := range r.Suppressed {
		result := s.result(f.Finding)
		result.Suppressions = []sarifSuppression{{Kind: "external", Justification: f.Reason}}
		run.Results = append(run.Results, result)
	}
	for _, skip := range slices.Concat(r.Skips, r.Elsewhere) {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, s.notification(skip))
	}
	run.Tool.Driver = sarifDriver{Name: "slipway", Version: o.Version, InformationURI: home, Rules: s.rules}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

type sarifWriter struct {
	rules []sarifRule
	index map[string]int // of rules by id
}

// add adds a rule unless it is known, and returns its index.
func (s *sarifWriter) add(rule validate.Rule) int {
	if i, ok := s.index[rule.ID]; ok {
		return i
	}
	out := sarifRule{ID: rule.ID, Default: sarifDefault{level(rule.Severity)}}
	if rule.Summary != "" {
		out.Short = &sarifText{Text: sentence(rule.Summary)}
	}
	if rule.Why != "" {
		out.Full = &sarifText{Text: sentence(rule.Why)}
	}
	if rule.Help != "" {
		help := sentence(rule.Help)
		out.Help = &sarifText{Text: help, Markdown: help}
		out.HelpURI = rulesAddress + "#" + rule.ID
	}
	s.index[rule.ID] = len(s.rules)
	s.rules = append(s.rules, out)
	return len(s.rules) - 1
}

func (s *sarifWriter) result(f validate.Finding) sarifResult {
	text := sentence(f.Message)
	if f.Help != "" {
		text += " " + sentence("help: "+f.Help)
	}
	out := sarifResult{
		RuleID: f.Rule, RuleIndex: s.add(validate.Rule{ID: f.Rule, Severity: f.Severity}),
		Level: level(f.Severity), Message: sarifText{Text: text},
		Locations:    []sarifLocation{location(f.Place)},
		Fingerprints: map[string]string{"slipway/v1": f.Fingerprint()},
	}
	for i, related := range f.Related {
		l := location(related.Place)
		l.ID, l.Message = i+1, &sarifText{Text: sentence(related.Message)}
		out.Related = append(out.Related, l)
	}
	return out
}

func (s *sarifWriter) notification(skip validate.Skip) sarifNotification {
	n := sarifNotification{Level: "note", Message: sarifText{Text: sentence("Not checked: " + skip.Reason)}}
	if skip.IsBroken {
		n.Level = "error"
	}
	if skip.File != "" {
		n.Locations = []sarifLocation{location(validate.Place{File: skip.File})}
	}
	if skip.Rule != "" {
		n.Rule = &sarifRuleReference{ID: skip.Rule, Index: s.add(validate.Rule{ID: skip.Rule, Severity: validate.Warning})}
	}
	return n
}

func location(p validate.Place) sarifLocation {
	l := sarifLocation{Physical: &sarifPhysical{Artifact: artifact(p.File)}}
	if p.Line > 0 && p.Column > 0 {
		l.Physical.Region = &sarifRegion{StartLine: p.Line, StartColumn: p.Column}
		if p.EndLine >= p.Line {
			l.Physical.Region.EndLine, l.Physical.Region.EndColumn = p.EndLine, max(p.EndColumn, 1)
		}
	}
	if p.Pointer != "" {
		l.Logical = []sarifLogical{{FullName: p.Pointer}}
	}
	return l
}

// artifact returns a relative URL for a file, or a file: URL for an absolute path.
func artifact(file string) sarifArtifact {
	switch {
	case path.IsAbs(file):
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: file}).String()}
	case len(file) > 2 && file[1:3] == ":/":
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: "/" + file}).String()}
	}
	a := sarifArtifact{URI: (&url.URL{Path: file}).String()}
	if filepath.IsLocal(filepath.FromSlash(file)) {
		a.Base = sourceRoot
	}
	return a
}

func level(s validate.Severity) string {
	switch s {
	case validate.Error:
		return "error"
	case validate.Warning:
		return "warning"
	}
	return "note"
}

// sentence adds a period, and capitalizes the first letter if it begins a plain word.
func sentence(s string) string {
	s = strings.TrimRight(s, " \n")
	if s == "" {
		return ""
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?:") {
		s += "."
	}
	word, _, _ := strings.Cut(s, " ")
	if r, size := utf8.DecodeRuneInString(s); strings.Trim(word, "abcdefghijklmnopqrstuvwxyz,:") == "" {
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	return s
}

// The objects of SARIF 2.1.0 that SARIF writes.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations        []sarifInvocation    `json:"invocations"`
		OriginalURIBaseIDs map[string]sarifBase `json:"originalUriBaseIds"`
		Results            []sarifResult        `json:"results"`
		ColumnKind         string               `json:"columnKind"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules,omitempty"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   *sarifText   `json:"shortDescription,omitempty"`
		Full    *sarifText   `json:"fullDescription,omitempty"`
		Help    *sarifText   `json:"help,omitempty"`
		HelpURI string       `json:"helpUri,omitempty"`
		Default sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifBase struct {
		Description sarifText `json:"description"`
	}
	sarifInvocation struct {
		IsSuccess     bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string              `json:"level"`
		Message   sarifText           `json:"message"`
		Locations []sarifLocation     `json:"locations,omitempty"`
		Rule      *sarifRuleReference `json:"associatedRule,omitempty"`
	}
	sarifRuleReference struct {
		ID    string `json:"id"`
		Index int    `json:"index"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifLogical struct {
		FullName string `json:"fullyQualifiedName"`
	}
)
