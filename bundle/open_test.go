package bundle

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"plugin/img/logo.svg": "logo", "outside.txt": "secret"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := Plugin{Dir: filepath.Join(dir, "plugin")}
	if err := os.Symlink("../outside.txt", filepath.Join(p.Dir, "link")); err != nil {
		t.Logf("cannot create symbolic links: %v", err)
	}
	f, err := p.Open("img/logo.svg")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
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
