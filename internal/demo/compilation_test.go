package demo

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestParseElapsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"00:00": 0, "01:05": 65 * time.Second, "02:00:01": 2*time.Hour + time.Second, "3-01:00:00": 73 * time.Hour,
	} {
		if got, ok := parseElapsed(text); !ok || got != want {
			t.Errorf("%s: %v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "5", "a:b", "x-00:00", "1:2:3:4"} {
		if got, ok := parseElapsed(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestProcessInfo(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip("ps not found")
	}
	if _, name, parent := processInfo(t.Context(), os.Getpid()); name == "" || parent != os.Getppid() {
		t.Errorf("program %q, parent %d, want %d", name, parent, os.Getppid())
	}
	if d := compilation(t.Context()); d != 0 {
		t.Errorf("a test was not started by Mage, but took %v to compile", d)
	}
}
