package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// The colors (ECMA-48), of which green is for what is as it should be. None is yellow, which is unreadable on white.
const (
	Bold    = "1"
	Dim     = "2"
	Red     = "1;31"
	Green   = "32"
	Blue    = "1;34"
	Magenta = "1;35"
)

// HasColor reports whether a writer is a terminal that shows colors, and its user wants them.
func HasColor(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" && os.Getenv("NO_COLOR") == ""
}

// Width returns the number of columns of a terminal, but at most a number, or that number for other writers.
func Width(w io.Writer, most int) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return min(width, most)
		}
	}
	return most
}

// Paint returns a text in a color if a writer shows colors.
func Paint(w io.Writer, color, text string) string {
	if !HasColor(w) {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
