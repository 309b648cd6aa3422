package progress

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines is a writer that may be used from several goroutines.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestTask(t *testing.T) {
	t.Parallel()
	var out lines
	stop := Task{W: &out, Name: "building", Interval: time.Millisecond}.Start()
	for deadline := time.Now().Add(10 * time.Second); strings.Count(out.String(), "\n") < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing printed")
		}
	}
	stop()
	printed := out.String()
	time.Sleep(5 * time.Millisecond)
	if out.String() != printed || !strings.HasPrefix(printed, "  building, 0s\n") {
		t.Errorf("printed %q, and then %q", printed, &out)
	}
}

func TestTaskOnATerminal(t *testing.T) {
	t.Parallel()
	var out lines
	left := 3
	task := Task{W: &out, IsTerminal: true, Name: "packing", Interval: time.Millisecond, Left: func() string {
		left--
		if left <= 0 {
			return ""
		}
		return fmt.Sprintf("%d zips left", left)
	}}
	stop := task.Start()
	for deadline := time.Now().Add(10 * time.Second); strings.Count(out.String(), "packing") < 3; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing printed")
		}
	}
	stop()
	stop() // has no effect
	const redraw = "\r\x1b[2K"
	printed := out.String()
	if !strings.HasPrefix(printed, redraw+"  packing, 0s; 2 zips left"+redraw+"  packing, 0s; 1 zips left"+redraw+"  packing, 0s"+redraw) {
		t.Errorf("printed %q", printed)
	}
	if strings.Contains(printed, "\n") || !strings.HasSuffix(printed, "s"+redraw) {
		t.Errorf("printed %q, which does not end with an erased line", printed)
	}
}

// A step that ends soon leaves no trace.
func TestShortTask(t *testing.T) {
	t.Parallel()
	for _, isTerminal := range []bool{true, false} {
		var out lines
		Task{W: &out, IsTerminal: isTerminal, Name: "x"}.Start()()
		if out.String() != "" {
			t.Errorf("terminal %t: printed %q", isTerminal, out.String())
		}
	}
}
