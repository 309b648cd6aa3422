// Package baseline records the findings of an existing plugin, so that only new
// findings count.
//
// It defines the format of the file, and determines when findings of two runs are the
// same. It moves known findings out of a report and lists those that are gone; it does
// not change severities.
package baseline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
)

// version is increased when older programs can no longer read the file.
const version = 1

// maxBytes limits the size of a baseline.
const maxBytes = 64 << 20

// Baseline is a list of findings, sorted by file and rule.
type Baseline struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// Entry is a finding without its line, which changes too often. A finding that occurs
// twice in a file has two entries.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	File        string `json:"file"` // slash path relative to the baseline
	Pointer     string `json:"pointer,omitempty"`
	Message     string `json:"message"` // for people
}

// Names maps the name of a file in a report to its name in the baseline.
type Names func(file string) string

// New returns a baseline of the findings of a report.
func New(r *validate.Report, names Names) *Baseline {
	b := &Baseline{Version: version, Findings: []Entry{}}
	for _, f := range r.Findings {
		f.File = names(f.File)
		b.Findings = append(b.Findings, Entry{f.Fingerprint(), f.Rule, f.File, f.Pointer, f.Message})
	}
	slices.SortFunc(b.Findings, func(x, y Entry) int {
		return slices.Compare([]string{x.File, x.Rule, x.Pointer, x.Message}, []string{y.File, y.Rule, y.Pointer, y.Message})
	})
	return b
}

// Read reads a baseline.
func Read(name string) (*Baseline, error) {
	f, err := tree.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := limit.ReadAll(f, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("baseline %s: %w", name, err)
	}
	b, d := &Baseline{}, json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // such as those of a JSON report
	if err := d.Decode(b); err != nil {
		return nil, fmt.Errorf("decode baseline %s: %w", name, err)
	}
	if b.Version != version {
		return nil, fmt.Errorf("baseline %s has unsupported version %d; this program reads version %d", name, b.Version, version)
	}
	return b, nil
}

// Write writes the baseline.
func (b *Baseline) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// Scope is the part of a baseline that a report covers.
type Scope struct {
	Names  Names
	IsPart bool // only the files of the report: entries of other files are not gone
}

// Apply moves the findings that are in the baseline from r.Findings to r.Suppressed, and
// adds the entries that no longer occur to r.Gone, with their files as the baseline names
// them. An entry that was not checked is not gone.
func (b *Baseline) Apply(r *validate.Report, name string, s Scope) {
	r.HasBaseline = true
	left := map[string]int{}
	for _, e := range b.Findings {
		left[e.Fingerprint]++
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f validate.Finding) bool {
		named := f
		named.File = s.Names(f.File)
		fingerprint := named.Fingerprint()
		if left[fingerprint] == 0 {
			return false
		}
		left[fingerprint]--
		r.Suppressed = append(r.Suppressed, validate.Suppressed{Finding: f, Reason: "in baseline " + name, InBaseline: true})
		return true
	})
	for _, e := range b.Findings {
		if left[e.Fingerprint] == 0 || !s.covers(r, e) {
			continue
		}
		left[e.Fingerprint]--
		r.Gone = append(r.Gone, validate.Finding{
			Rule: e.Rule, Place: validate.Place{File: e.File, Pointer: e.Pointer}, Message: e.Message,
		})
	}
}

// covers reports whether the run would have reported the finding of an entry, if it
// still occurred.
func (s Scope) covers(r *validate.Report, e Entry) bool {
	isSkipped := func(skip validate.Skip) bool {
		isElsewhere := slices.Contains(r.Files, skip.File) && !isIn(e.File, s.Names(skip.File))
		return skip.Rule == "" || skip.Rule == e.Rule && !isElsewhere
	}
	isSuppressed := func(f validate.Suppressed) bool {
		return !f.InBaseline && f.Rule == e.Rule && s.Names(f.File) == e.File && f.Pointer == e.Pointer
	}
	isHere := func(file string) bool { return isIn(e.File, s.Names(file)) }
	return !slices.ContainsFunc(r.Skips, isSkipped) && !slices.ContainsFunc(r.Suppressed, isSuppressed) &&
		(!s.IsPart && !validate.IsOfDist(e.File) || slices.ContainsFunc(r.Files, isHere))
}

// isIn reports whether a file is a plugin.json or in its directory.
func isIn(file, plugin string) bool {
	dir := path.Dir(plugin)
	return file == plugin || dir == "." || strings.HasPrefix(file, dir+"/")
}
