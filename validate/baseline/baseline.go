// Package baseline keeps the findings that an old plugin has already, so that only
// new ones count.
//
// It owns the file of a baseline and what is the same finding in two runs. It refuses
// to decide what counts: it takes findings out of a report and says which are gone.
package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// version goes up when older programs could no longer read the file.
const version = 1

// maxBytes is the size beyond which a baseline is not read.
const maxBytes = 64 << 20

// Baseline is a list of findings, sorted by file and rule.
type Baseline struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// Entry is a finding without its line, which changes too easily. The same finding
// twice in a file is two entries.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	File        string `json:"file"` // slash path from the folder of the baseline
	Pointer     string `json:"pointer,omitempty"`
	Message     string `json:"message"` // for people
}

// Names says how the baseline names a file of a report.
type Names func(file string) string

// New returns the baseline of all findings of a report.
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

// Read reads the file of a baseline.
func Read(name string) (*Baseline, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no baseline %s: create it with -writeBaseline=%[1]s (slipway: --write-baseline)", name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	return parse(name, data)
}

func parse(name string, data []byte) (*Baseline, error) {
	const again = "create it again with -writeBaseline"
	if len(data) > maxBytes {
		return nil, fmt.Errorf("the baseline %s has more than %d MiB: %s", name, maxBytes>>20, again)
	}
	b := &Baseline{}
	if err := json.Unmarshal(data, b); err != nil {
		return nil, fmt.Errorf("the baseline %s cannot be read: %w: %s", name, err, again)
	}
	if b.Version != version {
		return nil, fmt.Errorf("the baseline %s has version %d, and this program knows version %d: %s", name, b.Version, version, again)
	}
	return b, nil
}

// Write writes the file of the baseline.
func (b *Baseline) Write(w io.Writer) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(b); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// Scope is how much of what the baseline speaks of a report covers.
type Scope struct {
	Names  Names
	IsPart bool // not every file: entries of other files are neither found nor gone
}

// Apply moves the findings of the baseline from Findings to Suppressed, and notes as
// Gone what the baseline has and the report no longer. What was not checked is not
// gone.
func (b *Baseline) Apply(r *validate.Report, name string, s Scope) {
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
		r.Suppressed = append(r.Suppressed, validate.Suppressed{Finding: f, Reason: "it is in the baseline " + name, InBaseline: true})
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

// covers says whether the report would have the finding of an entry, if it were
// still there.
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
		(!s.IsPart || slices.ContainsFunc(r.Files, isHere))
}

// isIn says whether a file is the plugin.json or lies in its folder.
func isIn(file, plugin string) bool {
	dir := path.Dir(plugin)
	return file == plugin || dir == "." || strings.HasPrefix(file, dir+"/")
}
