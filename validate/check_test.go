package validate

import (
	"io/fs"
	"testing"
	"testing/fstest"
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
	view, err := runner{fs: zip}.confine("p", Zip)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", "p", "p"} {
		if _, err := fs.ReadDir(view, dir); err != nil {
			t.Fatal(err)
		}
	}
	if zip.opened != 1 {
		t.Errorf("the directory was opened %d times, want 1", zip.opened)
	}
}
