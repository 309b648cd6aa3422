package junit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// The elements and attributes are those that readers of JUnit XML look for: name, classname, time in decimal seconds, a
// message of each failure, and counts of each suite and of all: those that the schema of Jenkins' xUnit plugin allows.
func TestWrite(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	testkit.OK(t, Write(&out, Suites{Name: "all", Suites: []Suite{{Name: "one", Cases: []Case{
		{Name: "passes", Class: "a", Time: 1.25, Output: "a note"},
		{Name: "fails", Class: "a", Time: 0.00001, Failure: &Result{Message: `x < "y"`, Body: "first\nsecond\x00"}},
		{Name: "is skipped", Class: "b", Skipped: &Result{Message: "why"}},
	}}}}))
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="all" tests="3" failures="1" errors="0" time="1.250">
  <testsuite name="one" tests="3" failures="1" errors="0" skipped="1" time="1.250">
    <testcase name="passes" classname="a" time="1.250">
      <system-out>a note</system-out>
    </testcase>
    <testcase name="fails" classname="a" time="0.000">
      <failure message="x &lt; &#34;y&#34;">first&#xA;second�</failure>
    </testcase>
    <testcase name="is skipped" classname="b">
      <skipped message="why"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
