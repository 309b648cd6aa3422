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
		t.Logf("no symbolic links here: %v", err)
	}
	f, err := p.Open("img/logo.svg")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "logo" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"../outside.txt", "img/../../outside.txt", "link", "img", "", ".", "/etc/passwd", "none", "img/logo.svg/x", "a\x00b"} {
		if f, err := p.Open(name); err == nil {
			f.Close()
			t.Errorf("opened %q", name)
		}
	}
}
