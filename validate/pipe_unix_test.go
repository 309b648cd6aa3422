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
	"github.com/slipway-dev/slipway/internal/testkit"
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
			testkit.OK(t, os.Mkdir(filepath.Join(dir, "img"), 0o755))
			testkit.OK(t, os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(manifest), 0o644))
			pipe := filepath.Join(dir, filepath.FromSlash(c.pipe))
			testkit.OK(t, os.RemoveAll(pipe))
			testkit.OK(t, syscall.Mkfifo(pipe, 0o644))
			report := testkit.Must(validate.Run(context.Background(), os.DirFS(dir), validate.Options{Path: ".", Rules: rules.All()}))(t)
			if got := findings(report); !strings.Contains(got, c.want) {
				t.Errorf("want %q in the report:\n%s", c.want, got)
			}
		})
	}
	t.Run(config.FileName, func(t *testing.T) {
		t.Parallel()
		pipe := filepath.Join(t.TempDir(), config.FileName)
		testkit.OK(t, syscall.Mkfifo(pipe, 0o644))
		if _, err := config.Read(pipe, config.FileName, nil); err == nil || !strings.Contains(err.Error(), "it is not a regular file but a named pipe") {
			t.Error(err)
		}
	})
}
