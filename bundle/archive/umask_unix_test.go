//go:build unix

package archive

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestPackIgnoresUmask is not parallel: the umask belongs to the process.
func TestPackIgnoresUmask(t *testing.T) {
	dir := plugin().write(t)
	defer syscall.Umask(syscall.Umask(0o077))
	out := packed(t, dir, Options{})
	for name := range contents(t, out) {
		info := testkit.Must(os.Stat(filepath.Join(out, name)))(t)
		if info.Mode().Perm() != 0o644 {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	dir := plugin().write(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skipf("this system has no named pipes: %v", err)
	}
	if _, err := WriteManifest(dir); errorText(err) != "pipe: not a regular file" {
		t.Errorf("error = %v", err)
	}
	removeTest(t, dir, "pipe")
	testkit.OK(t, syscall.Mkfifo(filepath.Join(dir, SignatureFile), 0o644))
	if _, err := verifyPath(dir, publicKey(testKey(1))); errorText(err) != "open MANIFEST.json.minisig: not a regular file" {
		t.Errorf("error = %v", err)
	}
}
