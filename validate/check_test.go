package validate

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// counted counts how often a name is opened.
type counted struct {
	fs.FS
	name   string
	opened int
}

func (c *counted) Open(name string) (fs.File, error) {
	if name == c.name {
		c.opened++
	}
	return c.FS.Open(name)
}

// TestZipIsListedOnce requires that a zip keeps the listings of its directories.
func TestZipIsListedOnce(t *testing.T) {
	t.Parallel()
	zip := &counted{FS: fstest.MapFS{"p/plugin.json": {}}, name: "p"}
	view := testkit.Must((&runner{fs: zip}).confine("p", Zip))(t)
	for _, dir := range []string{".", "p", "p"} {
		testkit.Must(fs.ReadDir(view, dir))(t)
	}
	if zip.opened != 1 {
		t.Errorf("the directory was opened %d times, want 1", zip.opened)
	}
}
