package terminal

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPaint(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := Paint(f, Green, "ok"); got != "ok" {
		t.Errorf("a file gets %q", got)
	}
}
