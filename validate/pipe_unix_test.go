//go:build unix

package validate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// TestPipe puts named pipes in place of files. Opening one would block forever, since
// nothing writes to them.
func TestPipe(t *testing.T) {
	t.Parallel()
	const manifest = `{"id":"acme-pipes-panel","type":"panel","name":"Pipes","info":{"logos":{"small":"img/logo.svg","large":"img/logo.svg"}}}`
	for _, c := range []struct{ pipe, want string }{
		{"plugin.json", "plugin.json error: plugin.json is not read: it is not a regular file but a named pipe"},
		{"README.md", "README.md error: README.md is not read: it is not a regular file but a named pipe"},
		{"img/logo.svg", "img/logo.svg error: logo.svg is not read: it is not a regular file but a named pipe"},
		{"CHANGELOG.md", ""},
		{"MANIFEST.txt", ""},
	} {
		t.Run(c.pipe, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "img"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(manifest), 0o644); err != nil {
				t.Fatal(err)
			}
			pipe := filepath.Join(dir, filepath.FromSlash(c.pipe))
			if err := os.RemoveAll(pipe); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				t.Fatal(err)
			}
			report, err := validate.Run(context.Background(), os.DirFS(dir), validate.Options{Path: ".", Rules: rules.All()})
			if err != nil {
				t.Fatal(err)
			}
			if got := findings(report); !strings.Contains(got, c.want) {
				t.Errorf("want %q in the report:\n%s", c.want, got)
			}
		})
	}
	t.Run(config.FileName, func(t *testing.T) {
		t.Parallel()
		pipe := filepath.Join(t.TempDir(), config.FileName)
		if err := syscall.Mkfifo(pipe, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Read(pipe, config.FileName, nil); err == nil || !strings.Contains(err.Error(), "it is not a regular file but a named pipe") {
			t.Error(err)
		}
	})
}
