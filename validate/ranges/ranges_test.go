package ranges

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestVectors holds the parser against node-semver: oracle/vectors.mjs has written
// what it says.
func TestVectors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(cmp.Or(os.Getenv("RANGE_VECTORS"), "testdata/vectors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) == 1 {
			continue // a comment
		}
		kind, text, want := fields[0], fields[1], fields[len(fields)-1]
		got := lowest(text)
		if kind != "lowest" {
			r, v := parse(t, text), version(t, fields[2])
			got = fmt.Sprint(map[string]func(Version) bool{"admits": r.Admits, "below": r.AdmitsBelow}[kind](v))
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

func version(t *testing.T, text string) Version {
	t.Helper()
	v, ok := parse(t, text).Lowest()
	if !ok || v.String() != text {
		t.Fatalf("%q is no version", text)
	}
	return v
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
	v := Version{Major: 10, Minor: 3}
	for text, want := range map[string]bool{
		">=10.3.0": false, ">=10.3.0-0": false, ">=10.3": false, ">10.2": false, "^10.3": false, "10.3.x": false,
		"11": false, ">=10.3.0 || >=11": false, ">10 <9": false, ">10.3.0-0": false, "9 - 8 || 11": false,
		">=10.2.9": true, ">10.2.0": true, "<11": true, "*": true, "10": true, "^10": true, "~10": true,
		">=11 || 9.4.1": true, ">=10.2.0-beta": true, "x - 11": true, "||": true,
	} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.AdmitsBelow(v); got != want {
			t.Errorf("%q admits below %s: got %t", text, v, got)
		}
	}
}

func TestErrorPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, wrong, problem string }{
		{">=9, <10", ",", "a comma does not join two conditions"},
		{"=>9.0.0", "=>", `"=>" is no operator`},
		{"9 =<10", "=<", `"=<" is no operator`},
		{">9 !=9.4.0", "!=9.4.0", "a range cannot leave out single versions"},
		{">=09.0.0", "09", `the number "09" begins with 0`},
		{"1.*.0", "0", "a number cannot follow a wildcard"},
		{"9 | 10", "|", "one | does not join alternatives"},
		{"9 && 10", "&&", "&& does not join two conditions"},
		{">=9<10", "<", "two conditions run into each other"},
		{"9 || latest", "latest", `"latest" is not a version`},
		{"1.2.3.4", ".4", "a version has three numbers at most"},
		{"9 -10", "-", `a hyphen stands for "up to" only between two versions`},
		{"1.2.3-01", "01", `the number "01" begins with 0`},
		{"9 >=", ">=", `no version follows ">="`},
		{"9.", ".", "a number is missing here"},
		{"==9.4.0", "=", `"=" does not belong before the version`},
		{"9 || 99999999999999999", "99999999999999999", "this number is too large for a version"},
		{"", "", "the range is empty"},
		{"  ", "  ", "the range is empty"},
	} {
		_, err := Parse(c.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q is a range", c.text)
			continue
		}
		if got := c.text[e.Offset:e.End]; got != c.wrong || e.Problem != c.problem || e.Help == "" {
			t.Errorf("%q: got %q %q %q", c.text, got, e.Problem, e.Help)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{">=9.4.0 <11 || ^12", "9.4 - 10", "~>9.x", "1.*.0", "=>9", "9.4.1-a.01+b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		var e *Error
		if errors.As(err, &e) && (e.Offset < 0 || e.Offset > e.End || e.End > len(text) || !isBoundary(text, e.Offset) || !isBoundary(text, e.End)) {
			t.Fatalf("%q: error at %d..%d", text, e.Offset, e.End)
		}
		v, ok := r.Lowest()
		if !ok {
			return
		}
		if again, err := Parse(v.String()); err != nil || !again.IsSatisfiable() {
			t.Fatalf("%q: lowest version %s is no range: %v", text, v, err)
		}
	})
}

// isBoundary says whether an offset lies between two characters of a text.
func isBoundary(text string, offset int) bool {
	return !utf8.ValidString(text) || offset == len(text) || utf8.RuneStart(text[offset])
}
