package progress

import (
	"bytes"
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

func TestReport(t *testing.T) {
	t.Parallel()
	var out lines
	stop := Report(&out, "building", time.Millisecond)
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
