package build

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
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

func TestLeftToCompile(t *testing.T) {
	t.Parallel()
	p := &Plan{Commands: []Command{{Platform: bundle.Platform{OS: "linux", Arch: "amd64"}}, {Platform: bundle.Platform{OS: "windows", Arch: "arm64"}}}}
	isDone := make([]atomic.Bool, 2)
	isDone[0].Store(true)
	if got := p.left(isDone); got != "1 of 2 left: windows/arm64" {
		t.Errorf("in a log: %q", got)
	}
	p.options.Live = true
	if got := p.left(isDone); got != "1 of 2 left" {
		t.Errorf("on a terminal: %q", got)
	}
}
