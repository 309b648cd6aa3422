package ranges

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestVectors compares the parser with node-semver, whose results are in vectors.txt.
func TestVectors(t *testing.T) {
	t.Parallel()
	data := testkit.Must(os.ReadFile(cmp.Or(os.Getenv("RANGE_VECTORS"), "testdata/vectors.txt")))(t)
	count := map[string]int{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) == 1 {
			continue // a comment
		}
		kind, text, want := fields[0], fields[1], fields[len(fields)-1]
		got := lowest(text)
		if kind != "lowest" {
			r, v := parse(t, text), semver.MustParse(fields[2])
			got = fmt.Sprint(map[string]func(*semver.Version) bool{"admits": r.Admits, "below": r.AdmitsBelow}[kind](v))
		}
		if got != want {
			t.Errorf("%s: got %s", strings.TrimSuffix(line, "\n"), got)
		}
		count[kind]++
	}
	if count["lowest"] < 700 || count["admits"] < 1000 || count["below"] < 400 {
		t.Errorf("too few vectors: %v", count)
	}
}

func parse(t *testing.T, text string) Range {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Errorf("%q: %v", text, err)
	}
	return r
}

func lowest(text string) string {
	r, err := Parse(text)
	if err != nil {
		return "invalid"
	}
	v, ok := r.Lowest()
	if ok != r.IsSatisfiable() {
		return "inconsistent"
	}
	if !ok {
		return "none"
	}
	return v.String()
}

func TestAdmitsBelow(t *testing.T) {
	t.Parallel()
	v := semver.MustParse("10.3.0")
	for text, want := range map[string]bool{
		">=10.3.0": false, ">=10.3.0-0": false, ">=10.3": false, ">10.2": false, "^10.3": false, "10.3.x": false,
		"11": false, ">=10.3.0 || >=11": false, ">10 <9": false, ">10.3.0-0": false, "9 - 8 || 11": false,
		">=10.2.9": true, ">10.2.0": true, "<11": true, "*": true, "10": true, "^10": true, "~10": true,
		">=11 || 9.4.1": true, ">=10.2.0-beta": true, "x - 11": true, "||": true,
	} {
		r := testkit.Must(Parse(text))(t)
		if got := r.AdmitsBelow(v); got != want {
			t.Errorf("%q admits below %s: got %t", text, v, got)
		}
	}
}

func TestWidth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Width{
		"*": Many, ">=10.3": Many, "^0": Many, "10.3.0 || 10.4.0": Many, ">10 <9": Many, "<10": Many, ">=10.3.9 <10.4.1": Many,
		"=10.3.0": OneVersion, "10.3.0-beta": OneVersion, "10.3.0 - 10.3.0": OneVersion, "^0.0.3": OneVersion,
		"10.3": OneMinor, "~10.3.1": OneMinor, "^0.3.1": OneMinor, ">=10.3.0 <10.4.0": OneMinor, ">10.3.1 <=10.3.9": OneMinor,
	} {
		if got := parse(t, text).Width(); got != want {
			t.Errorf("%q: got width %d, want %d", text, got, want)
		}
	}
}

func TestErrorPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, wrong, problem string }{
		{">=9, <10", ",", "unexpected comma between two conditions"},
		{"=>9.0.0", "=>", `unknown operator "=>"`},
		{"9 =<10", "=<", `unknown operator "=<"`},
		{">9 !=9.4.0", "!=9.4.0", "ranges cannot exclude a version"},
		{">=09.0.0", "09", `leading zero in "09"`},
		{"1.*.0", "0", "unexpected number after a wildcard"},
		{"9 | 10", "|", "unexpected |"},
		{"9 && 10", "&&", "unexpected && between two conditions"},
		{">=9<10", "<", "expected a space between two conditions"},
		{"9 || latest", "latest", `invalid version "latest"`},
		{"1.2.3.4", ".4", "versions have at most three numbers"},
		{"9 -10", "-", "unexpected hyphen"},
		{"1.2.3-01", "01", `leading zero in "01"`},
		{"9 >=", ">=", `expected a version after ">="`},
		{"9.", ".", "expected a number after the dot"},
		{"==9.4.0", "=", `unexpected "=" before the version`},
		{"9 || 99999999999999999", "99999999999999999", "the number is too large"},
		{"", "", "empty range"},
		{"  ", "  ", "empty range"},
	} {
		_, err := Parse(c.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q) returned the error %v", c.text, err)
			continue
		}
		if got := c.text[e.Offset:e.End]; got != c.wrong {
			t.Errorf("%q: the error is at %q, want %q", c.text, got, c.wrong)
		}
		if e.Problem != c.problem {
			t.Errorf("%q: got the problem %q, want %q", c.text, e.Problem, c.problem)
		}
		if e.Help == "" {
			t.Errorf("%q: the error has no help", c.text)
		}
	}
}
