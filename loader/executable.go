package loader

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/slipway-dev/slipway/bundle"
)

// Executable returns the path of a plugin's executable for this platform. If there is
// none, the error lists those for other platforms.
func Executable(p bundle.Plugin) (string, error) {
	if p.Metadata.Executable == "" {
		return "", errors.New(`plugin.json sets "backend" but not "executable"`)
	}
	host := bundle.Host()
	path := filepath.Join(p.Dir, filepath.FromSlash(host.Executable(p.Metadata.Executable)))
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s not found%s: build the plugin for %s", path, otherExecutables(p), host)
	case err != nil:
		return "", fmt.Errorf("open executable: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", path)
	case runtime.GOOS != "windows" && info.Mode()&0o100 == 0:
		return "", fmt.Errorf("%s is not executable: run chmod +x on it, and check the tool that unpacked it", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open executable: %w", err)
	}
	defer func() { _ = f.Close() }()
	platform, err := bundle.ExecutablePlatform(f)
	if errors.Is(err, bundle.ErrNotExecutable) {
		return path, nil // perhaps a script: let the system decide
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if platform != host {
		return "", fmt.Errorf("%s is built for %s, but this host is %s: build the plugin again", path, platform, host)
	}
	return path, nil
}

// otherExecutables names the executables for other platforms beside a missing one.
func otherExecutables(p bundle.Plugin) string {
	matches, err := filepath.Glob(filepath.Join(p.Dir, filepath.FromSlash(p.Metadata.Executable)) + "_*_*")
	if err != nil || len(matches) == 0 {
		return ""
	}
	names := make([]string, len(matches))
	for i, m := range matches {
		names[i] = filepath.Base(m)
	}
	return " (found " + strings.Join(names, ", ") + ")"
}

// copyTo writes a file to w and returns its SHA-256 in hexadecimal.
func copyTo(w io.Writer, file string) (sum string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(w, hash), f)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// copyExecutable copies an executable whose SHA-256 must be sum: a build may be writing
// to it.
func copyExecutable(source, target, sum string) error {
	// A child that is forked while the copy is open for writing inherits it until its own
	// exec. Meanwhile the copy cannot be executed ("text file busy").
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	copied, err := copyTo(out, source)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if copied != sum {
		return fmt.Errorf("%s changed during the copy", source)
	}
	return nil
}
