package terminal

import "testing"

func TestPrintable(t *testing.T) {
	t.Parallel()
	if got := Printable("a\tb\nc\x1b"); got != "a\tb\uFFFDc\uFFFD" {
		t.Errorf("Printable returned %q", got)
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain ä":             "plain ä",
		"two\nlines\tand tab": "two lines and tab",
		"\x1b[31mred\x07\r":   "\uFFFD[31mred\uFFFD\uFFFD",
		"right\u202eleft":     "right\uFFFDleft",
	} {
		if got := Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
}
