package text

import "testing"

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s              string
		n              int
		cut, shortened string
	}{
		{"", 0, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abc", 2, "ab", "ab..."},
		{"aé", 2, "a", "a..."}, // é has two bytes
		{"é", 1, "", "..."},
	} {
		if cut, shortened := Cut(c.s, c.n), Shorten(c.s, c.n); cut != c.cut || shortened != c.shortened {
			t.Errorf("%q, %d: got %q and %q, want %q and %q", c.s, c.n, cut, shortened, c.cut, c.shortened)
		}
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 checks", 1: "1 check", 2: "2 checks"} {
		if got := Plural(n, "check"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestIsPanic(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"panic: no region": true, "fatal error: all goroutines are asleep": true, "SIGSEGV: segmentation violation": true,
		"do not panic: it works": false, "panic:": false, "goroutine 1 [running]:": false,
	} {
		if IsPanic(line) != want {
			t.Errorf("%q: got %t", line, !want)
		}
	}
}
