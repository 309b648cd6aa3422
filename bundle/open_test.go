package bundle

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"plugin/img/logo.svg": "logo", "outside.txt": "secret"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		testkit.WriteFile(t, file, text)
	}
	p := Plugin{Dir: filepath.Join(dir, "plugin")}
	if err := os.Symlink("../outside.txt", filepath.Join(p.Dir, "link")); err != nil {
		t.Logf("cannot create symbolic links: %v", err)
	}
	f := testkit.Must(p.Open("img/logo.svg"))(t)
	defer f.Close()
	text := testkit.Must(io.ReadAll(f))(t)
	if string(text) != "logo" {
		t.Errorf("the file contains %q", text)
	}
	for _, name := range []string{"../outside.txt", "img/../../outside.txt", "link", "img", "", ".", "/etc/passwd", "none", "img/logo.svg/x", "a\x00b"} {
		if f, err := p.Open(name); err == nil {
			f.Close()
			t.Errorf("Open(%q) returned no error", name)
		}
	}
}
