package rules

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/validate"
)

// fixAll applies fixes until none are left and returns the tree. Each round must leave
// fewer findings.
func (e sample) fixAll(t *testing.T, report *validate.Report) fstest.MapFS {
	t.Helper()
	tree := e.bad
	for range 10 {
		fixes := 0
		for _, f := range report.Findings {
			if f.Fix != nil {
				fixes++
			}
		}
		if fixes == 0 {
			return tree
		}
		next := apply(t, tree, report.Findings)
		after := e.run(t, next)
		if len(after.Findings) >= len(report.Findings) {
			t.Fatalf("not fewer findings after the fixes:\n%s\nbefore:\n%s", lines(after), lines(report))
		}
		tree, report = next, after
	}
	t.Fatal("fixes do not end")
	return nil
}

// apply applies all fixes, except those that overlap another.
func apply(t *testing.T, tree fstest.MapFS, findings []validate.Finding) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for name, f := range tree {
		out[name] = &fstest.MapFile{Data: f.Data, Mode: f.Mode}
	}
	var edits []validate.Edit
	for _, f := range findings {
		if f.Fix == nil {
			continue
		}
		if len(f.Fix.Edits) == 0 || f.Fix.Title == "" {
			t.Errorf("%s: fix without edits or title", f.Rule)
		}
		isApart := !slices.ContainsFunc(f.Fix.Edits, func(e validate.Edit) bool {
			return slices.ContainsFunc(edits, func(other validate.Edit) bool {
				return !e.MakeExecutable && e.File == other.File && e.From <= other.To && other.From <= e.To
			})
		})
		if isApart {
			edits = append(edits, f.Fix.Edits...)
		}
	}
	slices.SortStableFunc(edits, func(a, b validate.Edit) int { return b.From - a.From })
	for _, e := range edits {
		f := out[e.File]
		if f == nil {
			t.Fatalf("edit of %s, which does not exist", e.File)
		}
		if e.MakeExecutable {
			f.Mode |= 0o111
			continue
		}
		f.Data = slices.Concat(f.Data[:e.From], []byte(e.Text), f.Data[e.To:])
	}
	return out
}

func changed(a, b *fstest.MapFile) bool { return !bytes.Equal(a.Data, b.Data) || a.Mode != b.Mode }

// TestFixesOfMutants applies the fix of each mutant that has one, with both kinds of line
// breaks. The finding must be gone, no other may appear, and line breaks must not change.
func TestFixesOfMutants(t *testing.T) {
	t.Parallel()
	rules := All()
	fixed := map[string]bool{}
	for _, m := range append(schemaMutants(t), ruleMutants()...) {
		for _, end := range []string{"\n", "\r\n"} {
			p := completePlugin(t, m.form)
			m.mutate(p)
			for name, f := range p.files {
				if strings.HasSuffix(name, "plugin.json") && !bytes.HasPrefix(f.Data, []byte("\xff")) {
					p.write(name, strings.ReplaceAll(string(f.Data), "\n", end))
				}
			}
			before := p.run(t, rules)
			local := slices.Clone(before.Findings)
			isFixable := false
			for i := range local {
				if f := local[i].Fix; f != nil {
					isFixable = true
					fixed[local[i].Rule] = true
					local[i].Fix = &validate.Fix{Title: f.Title, Edits: slices.Clone(f.Edits)}
					for k := range local[i].Fix.Edits {
						e := &local[i].Fix.Edits[k]
						e.File = strings.TrimPrefix(e.File, p.dir+"/")
					}
				}
			}
			if !isFixable {
				break
			}
			p.files = apply(t, p.files, local)
			after := p.run(t, rules)
			mayUncover := strings.HasPrefix(m.name, "null ") // a key that is null counts as present
			if len(of(m.rule, after)) >= len(of(m.rule, before)) || !mayUncover && len(after.Findings) >= len(before.Findings) {
				t.Errorf("%s: after its fix:\n%sbefore:\n%s", m.name, lines(after), lines(before))
			}
			if end == "\r\n" && strings.Contains(strings.ReplaceAll(string(p.files["plugin.json"].Data), end, ""), "\n") {
				t.Errorf("%s: the fix changes line breaks", m.name)
			}
		}
	}
	if len(fixed) < 12 {
		t.Errorf("only %d rules have fixes: %v", len(fixed), fixed)
	}
	t.Logf("%d rules have fixes", len(fixed))
}

// of returns the findings of a rule.
func of(rule string, r *validate.Report) (all []validate.Finding) {
	for _, f := range r.Findings {
		if f.Rule == rule {
			all = append(all, f)
		}
	}
	return all
}
