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

func TestWrap(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{99: "one two, three", 10: "one two,\n  three", 7: "one\n  two,\n  three"} {
		if got := Wrap(" one two,\nthree", "  ", width); got != want {
			t.Errorf("width %d: got %q, want %q", width, got, want)
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

func TestOwnFrames(t *testing.T) {
	t.Parallel()
	const sdk = "runtime/debug.Stack()\n\truntime/debug/stack.go:26 +0x5e\nexample.com/sdk.recovered()\n\texample.com/sdk@v1.0.0/query.go:3 +0xb\n" +
		"panic({0x1?, 0x2?})\n\truntime/panic.go:859 +0x1\n"
	const own = "example.com/a/pkg/store.(*S).Get(0x1)\n\texample.com/a/pkg/store/s.go:9 +0x25"
	for name, c := range map[string]struct{ trace, part, place string }{
		"at start":           {"panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\ta/main.go:9 +0x25", "main.main()\n\ta/main.go:9 +0x25", "a/main.go:9"},
		"below the SDK":      {"goroutine 12 [running]:\n" + sdk + own + "\n" + sdk, own, "example.com/a/pkg/store/s.go:9"},
		"in Go's library":    {sdk + "strings.Repeat()\n\tstrings/strings.go:1 +0x1\n" + own, own, "example.com/a/pkg/store/s.go:9"},
		"with whole paths":   {"panic(1)\n\t/usr/lib/go/src/runtime/panic.go:1 +0x1\na.b/x.F()\n\t/home/a/x.go:2", "a.b/x.F()\n\t/home/a/x.go:2", "/home/a/x.go:2"},
		"only of others":     {sdk, "", ""},
		"what started it":    {"created by example.com/a.F in goroutine 1\n\texample.com/a/f.go:1 +0x1", "", ""},
		"text of other kind": {"panic: boom", "", ""},
	} {
		if part, place := OwnFrames(c.trace); part != c.part || place != c.place {
			t.Errorf("%s: got %q at %q", name, part, place)
		}
	}
}

func TestLineColumn(t *testing.T) {
	t.Parallel()
	text := []byte("ab\nc\n")
	for offset, want := range [][2]int{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {3, 1}, {3, 1}} {
		if line, column := LineColumn(text, offset); [2]int{line, column} != want {
			t.Errorf("offset %d is at %d:%d, want %v", offset, line, column, want)
		}
	}
	if line, column := LineColumn(text, -1); line != 1 || column != 1 {
		t.Errorf("offset -1 is at %d:%d", line, column)
	}
}
