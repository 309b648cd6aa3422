package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/validate"
)

// at returns a rule that reports a finding at each pointer.
func at(id string, where validate.Where, pointers ...string) validate.Rule {
	return validate.Rule{ID: id, Severity: validate.Error, Help: "fix it", Where: where, Check: func(p *validate.Pass) {
		for _, pointer := range pointers {
			p.Report(validate.Finding{Place: validate.Place{File: p.File, Pointer: pointer}, Message: "wrong"})
		}
	}}
}

func TestSuppressions(t *testing.T) {
	t.Parallel()
	two := tree("a/plugin.json", "b/plugin.json")
	all := []validate.Rule{at("one", 0, "/info", "/info/x", "/infox"), at("two", 0, "/id"), at("built", validate.Dist, "/id")}
	for _, c := range []struct {
		name string
		s    validate.Suppression
		left int
		want string // of the finding that it is unused
	}{
		{"a rule", validate.Suppression{Rule: "one"}, 2, ""},
		{"a file", validate.Suppression{Rule: "one", File: "a/plugin.json"}, 5, ""},
		{"a glob", validate.Suppression{Rule: "two", File: "**/plugin.json"}, 6, ""},
		{"a pointer", validate.Suppression{Rule: "one", Pointer: "/info"}, 6, ""},
		{"everything below a pointer", validate.Suppression{Rule: "one", Pointer: "/info/*", File: "?/*.json"}, 6, ""},
		{"nothing", validate.Suppression{Rule: "two", Pointer: "/id/*"}, 8, "two at /id/*"},
		{"another file", validate.Suppression{Rule: "two", File: "plugin.json"}, 8, "two in plugin.json"},
		{"a rule for other forms", validate.Suppression{Rule: "built"}, 8, ""},
		{"a rule that is off", validate.Suppression{Rule: "off"}, 8, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.s.Reason, c.s.Place = "because", validate.Place{File: "slipway.yaml", Line: 3, Column: 5}
			r := mustRun(t, two, validate.Options{
				Rules: append(slices.Clone(all), at("off", 0, "/x")), Prefix: "up", IsStrict: true,
				Suppressions: []validate.Suppression{c.s}, Severities: map[string]validate.Severity{"off": validate.Off, "two": validate.Info},
			})
			unused := ""
			r.Findings = slices.DeleteFunc(r.Findings, func(f validate.Finding) bool {
				if f.Rule == validate.UnusedSuppression {
					unused = f.Message
					if f.Address() != "slipway.yaml:3:5" {
						t.Errorf("the unused suppression is reported at %s", f.Address())
					}
					if f.Severity != validate.Error {
						t.Errorf("the unused suppression has severity %s", f.Severity)
					}
				}
				return f.Rule == validate.UnusedSuppression
			})
			if len(r.Findings) != c.left || len(r.Suppressed) != 8-c.left {
				t.Errorf("got %d findings and %d suppressed, want %d and %d", len(r.Findings), len(r.Suppressed), c.left, 8-c.left)
			}
			if (unused == "") != (c.want == "") || !strings.HasSuffix(unused, c.want) {
				t.Errorf("the unused suppression is %q, want %q", unused, c.want)
			}
			for _, s := range r.Suppressed {
				if s.Reason != "because" {
					t.Errorf("suppressed for the reason %q", s.Reason)
				}
				if !strings.HasPrefix(s.File, "up/") {
					t.Errorf("suppressed in %s, without the prefix", s.File)
				}
			}
			for _, f := range r.Findings {
				if (f.Severity == validate.Info) != (f.Rule == "two") {
					t.Errorf("%s has severity %s", f.Rule, f.Severity)
				}
			}
			want := []validate.Skip{{Rule: "off", File: ".", Reason: "turned off by the configuration"}}
			if d := cmp.Diff(want, r.Skips); d != "" {
				t.Errorf("the skips differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestUnusedSuppressionOfPart(t *testing.T) {
	t.Parallel()
	s := []validate.Suppression{{Rule: "one", File: "home/b/plugin.json", Reason: "x"}, {Rule: "one", File: "home/a/plugin.json", Reason: "x"}, {Rule: "one", Reason: "x"}}
	run := func(text string, isPart bool) string {
		r := mustRun(t, tree("a/plugin.json="+text), validate.Options{
			Rules: []validate.Rule{at("one", 0)}, Suppressions: s, IsPart: isPart,
			Names: func(file string) string { return "home/" + file },
		})
		return fmt.Sprint(len(r.Findings))
	}
	if got := run("{}", false) + run("{}", true) + run("{", false); got != "311" {
		t.Errorf("got %s findings, want 3 for the whole, 1 for a part, and 1 for a file that cannot be parsed", got)
	}
}

func TestMatchFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"a/b", "a/b", true}, {"a/*", "a/b/c", false}, {"**", "a/b", true}, {"**/c", "c", true}, {"a/**/c", "a/c", true},
		{"a/**/c", "a/x/y/c", true}, {"a/**/c", "b/c", false}, {"a/**", "a", true}, {"**/**/x", "a/b", false}, {"[", "[", false}, {"a", "a/b", false},
	} {
		if got := validate.MatchFile(c.glob, c.name); got != c.want {
			t.Errorf("MatchFile(%q, %q) = %t", c.glob, c.name, got)
		}
	}
}
