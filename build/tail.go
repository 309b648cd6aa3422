package build

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

const (
	tailLines   = 20
	maxTailLine = 400 // bytes
)

// tail keeps the last lines that are written to it. Longer lines are split.
type tail struct {
	w io.Writer // also receives every line, indented; may be nil

	mu    sync.Mutex
	line  []byte // that has not ended
	lines []string
}

// Write never fails.
func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range data {
		if c != '\n' {
			t.line = append(t.line, c)
		}
		if c == '\n' || len(t.line) == maxTailLine {
			t.endLine()
		}
	}
	return len(data), nil
}

func (t *tail) endLine() {
	line := strings.TrimRight(string(t.line), "\r")
	t.line = t.line[:0]
	if t.w != nil {
		fmt.Fprintf(t.w, "  %s\n", line)
	}
	if t.lines = append(t.lines, line); len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}

// String returns the last lines, without blank lines around them.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.line) > 0 {
		t.endLine()
	}
	return strings.TrimSpace(strings.Join(t.lines, "\n"))
}
