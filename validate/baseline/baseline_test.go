package baseline

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

func finding(rule, file, pointer string, line int) validate.Finding {
	return validate.Finding{Rule: rule, Message: "wrong", Place: validate.Place{File: file, Pointer: pointer, Line: line}}
}

func same(file string) string { return "repo/" + file }

func TestApply(t *testing.T) {
	t.Parallel()
	old := &validate.Report{Findings: []validate.Finding{
		finding("one", "a/plugin.json", "/x", 1), finding("one", "a/plugin.json", "/x", 2), finding("two", "a/plugin.json", "/y", 3),
		finding("three", "b/plugin.json", "/z", 1), finding("two", "b/plugin.json", "/y", 1),
	}}
	b := New(old, same)
	for _, c := range []struct {
		name   string
		now    validate.Report
		isPart bool
		left   string
		gone   string
	}{
		{"only lines changed", validate.Report{Files: []string{"a/plugin.json", "b/plugin.json"}, Findings: []validate.Finding{
			finding("one", "a/plugin.json", "/x", 8), finding("one", "a/plugin.json", "/x", 9), finding("two", "a/plugin.json", "/y", 1),
			finding("three", "b/plugin.json", "/z", 1), finding("two", "b/plugin.json", "/y", 1)}}, false, "", ""},
		{"one more of a kind", validate.Report{Files: []string{"a/plugin.json"}, Findings: []validate.Finding{
			finding("two", "a/plugin.json", "/y", 1), finding("two", "a/plugin.json", "/y", 2), finding("new", "a/plugin.json", "", 0)}}, true,
			"two new", "one one"},
		{"all fixed", validate.Report{Files: []string{"a/plugin.json"}}, false, "", "one one two three two"},
		{"not checked", validate.Report{Files: []string{"a/plugin.json", "b/plugin.json"}, Skips: []validate.Skip{{Rule: "two", File: "a/plugin.json"}, {Rule: "three", File: "slipway.yaml"}}}, false, "", "one one two"},
		{"nothing could be read", validate.Report{Skips: []validate.Skip{{File: "."}}}, false, "", ""},
		{"suppressed since", validate.Report{Suppressed: []validate.Suppressed{{Finding: finding("three", "b/plugin.json", "/z", 7)}}}, false, "", "one one two two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := len(c.now.Findings) + len(c.now.Suppressed)
			b.Apply(&c.now, "old.json", Scope{Names: same, IsPart: c.isPart})
			ids := func(list []validate.Finding) string {
				var ids []string
				for _, f := range list {
					ids = append(ids, f.Rule)
				}
				return strings.Join(ids, " ")
			}
			if got := ids(c.now.Findings); got != c.left {
				t.Errorf("left: %q, want %q", got, c.left)
			}
			if got := ids(c.now.Gone); got != c.gone {
				t.Errorf("gone: %q, want %q", got, c.gone)
			}
			if len(c.now.Findings)+len(c.now.Suppressed) != before {
				t.Error("Apply lost a finding")
			}
			for _, s := range c.now.Suppressed {
				if s.InBaseline != (s.Reason == "in baseline old.json") {
					t.Errorf("InBaseline is %t for the reason %q", s.InBaseline, s.Reason)
				}
			}
		})
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	r := &validate.Report{Findings: []validate.Finding{finding("one", "a/plugin.json", "/<x>", 1), finding("a", "a/plugin.json", "", 0)}}
	var first, second bytes.Buffer
	slices.Reverse(r.Findings)
	testkit.OK(t, New(r, same).Write(&first))
	slices.Reverse(r.Findings)
	testkit.OK(t, New(r, same).Write(&second))
	if d := cmp.Diff(first.String(), second.String()); d != "" {
		t.Errorf("the order of findings changes the file:\n%s", d)
	}
	if !strings.Contains(first.String(), `"pointer": "/<x>"`) {
		t.Errorf("the pointer is escaped:\n%s", &first)
	}
	name := filepath.Join(t.TempDir(), "baseline.json")
	if _, err := Read(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a missing file returned %v", err)
	}
	for text, want := range map[string]string{first.String(): "", "{": "decode baseline", `{"version": 1, "exitCode": 0, "findings": []}`: `unknown field "exitCode"`, `{"version": 2}`: "unsupported version 2"} {
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o644))
		b, err := Read(name)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want == "" && len(b.Findings) != 2:
			t.Errorf("%q: got %d findings, want 2", text, len(b.Findings))
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got error %v, want %q", text, err, want)
		}
	}
}
