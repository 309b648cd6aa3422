package build

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	writeTable(&out, []part{
		{name: "windows/amd64", content: "gpx_x_windows_amd64.exe", size: 9_000_000, isUpToDate: true},
		{name: "frontend", content: "module.js", size: 1500, took: 12 * time.Second},
		{name: "assets", content: "1 file"},
	})
	const want = `  windows/amd64  gpx_x_windows_amd64.exe  9.0 MB  up to date
  frontend       module.js                2 kB    12.0s
  assets         1 file                   0 kB    0.0s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
