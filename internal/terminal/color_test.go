package terminal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestPaint(t *testing.T) {
	t.Parallel()
	f := testkit.Must(os.Create(filepath.Join(t.TempDir(), "log")))(t)
	defer f.Close()
	if got := Paint(f, Green, "ok"); got != "ok" {
		t.Errorf("a file gets %q", got)
	}
}
