package rulebook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// TestEveryRuleHasAPage requires all parts of each page.
func TestEveryRuleHasAPage(t *testing.T) {
	t.Parallel()
	for _, r := range rules.All() {
		p := Read(r)
		if p.Example == "" || len(p.Good) == 0 || len(p.Bad) == 0 || len(p.Findings) == 0 {
			t.Errorf("%s: the example lacks a comment, good files, bad files or findings: %+v", r.ID, p)
		}
	}
}

func sample() validate.Rule {
	return validate.Rule{
		ID: "no-bell", Severity: validate.Info, Summary: "no bell | rings", Why: "A <bell> wakes *people*.", Help: "take it away",
		Where: validate.Source, Check: func(*validate.Pass) {},
		Example: func() string {
			return "A bell\nrings.\n\n-- good/a.json --\n{}\n-- bad/a.json --\n{\"bell\": \"\a\"}\n-- where --\nzip\n" +
				"-- findings --\na.json:1:3 no-bell /bell it rings\nb.zip:0:0 zip-root - and more\n-- fixed/a.json --\n{ }\n"
		},
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	testkit.OK(t, Read(sample()).Write(&b))
	const want = `no-bell (info; source)
  no bell | rings

Why
  A <bell> wakes *people*.

Help
  take it away

Example
  A bell rings.

Good: a.json
  | {}

Bad: a.json
  | {"bell": "` + "\uFFFD" + `"}

validate reports
  a.json:1:3: it rings
  b.zip: and more (zip-root)

Fixed: a.json
  | { }
`
	if b.String() != want {
		t.Errorf("got:\n%s", &b)
	}
}

func TestReadKeepsRepeatedNames(t *testing.T) {
	t.Parallel()
	p := Read(validate.Rule{Example: func() string {
		return "-- good.zip/a --\n1\n-- good.zip/b --\n1\n-- good.zip/c --\n1\n" +
			"-- bad.zip/a --\n1\n-- bad.zip/b --\n1\n-- bad.zip/c --\n1\n-- bad.zip/C --\n2\n-- bad.zip/a --\n1\n"
	}})
	want := []File{{"a", "1\n"}, {"c", "1\n"}, {"C", "2\n"}, {"a", "1\n"}}
	if diff := cmp.Diff(want, p.Bad); diff != "" {
		t.Errorf("bad files (-want +got):\n%s", diff)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	testkit.OK(t, List(&b, []validate.Rule{sample(), {ID: "x", Severity: validate.Error, Summary: "all is well"}}))
	const want = "no-bell (info; source): no bell | rings\nx (error; everywhere): all is well\n"
	if b.String() != want {
		t.Errorf("got:\n%s", &b)
	}
}
