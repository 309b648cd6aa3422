package loader

import (
	"context"
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

	"github.com/slipway-dev/slipway/bundle"
)

// spec is all that a launch needs.
type spec struct {
	dir     string // working directory: the plugin's folder
	program string // private copy of the executable
	print   string // what it would run: differs when a restart is due
	env     []string
	sockets string
	token   TokenDecision
	options Options
	plugin  bundle.Plugin
}

// prepare checks the executable and copies it to a private place named by its
// content: what was checked is what runs, and a rebuild never meets a busy file.
func (p *Plugin) prepare(b bundle.Plugin) (*spec, error) {
	source, err := executablePath(b)
	if err != nil {
		return nil, permanentError{err}
	}
	program, sum, err := privateCopy(source, p.runDir)
	if err != nil {
		return nil, err
	}
	s := &spec{
		dir: b.Dir, program: program, sockets: p.runDir,
		token: decideToken(b.Metadata, p.options), options: p.options, plugin: b,
	}
	permissions := "none"
	if b.Metadata.IAM != nil {
		permissions = fmt.Sprint(b.Metadata.IAM.Permissions)
	}
	s.print = strings.Join([]string{sum, b.Dir, b.Metadata.Info.Version, permissions}, "\n")
	return s, nil
}

// credentials issues the token, if the plugin gets one, and completes the spec's
// environment.
func (s *spec) credentials(ctx context.Context) error {
	var token string
	if s.token.Injected {
		var err error
		if token, err = s.options.Token(ctx, s.plugin); err != nil {
			return fmt.Errorf("issue service account token: %w", err)
		}
	}
	s.env = environment(s.options, s.plugin.Metadata, token)
	return nil
}

// executablePath finds the executable for this platform and says what is there
// instead if it is missing.
func executablePath(b bundle.Plugin) (string, error) {
	if b.Metadata.Executable == "" {
		return "", errors.New("plugin.json says \"backend\": true but names no \"executable\"")
	}
	host := bundle.Host()
	path := filepath.Join(b.Dir, filepath.FromSlash(host.Executable(b.Metadata.Executable)))
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s is missing%s: build the plugin with -platforms=host", path, othersThere(b))
	case err != nil:
		return "", fmt.Errorf("open executable: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", path)
	case runtime.GOOS != "windows" && info.Mode()&0o100 == 0:
		return "", fmt.Errorf("%s is not executable: chmod +x it, and check what unpacked it", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open executable: %w", err)
	}
	defer func() { _ = f.Close() }()
	is, err := bundle.ExecutablePlatform(f)
	if errors.Is(err, bundle.ErrNotExecutable) {
		return path, nil // a script, say: the system is the judge
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if is != host {
		return "", fmt.Errorf("%s is a program for %s, this host is %s: build the plugin again", path, is, host)
	}
	return path, nil
}

// othersThere names the executables of other platforms beside a missing one.
func othersThere(b bundle.Plugin) string {
	matches, err := filepath.Glob(filepath.Join(b.Dir, filepath.FromSlash(b.Metadata.Executable)) + "_*_*")
	if err != nil || len(matches) == 0 {
		return ""
	}
	names := make([]string, len(matches))
	for i, m := range matches {
		names[i] = filepath.Base(m)
	}
	return " (there is " + strings.Join(names, ", ") + ")"
}

// privateCopy copies a program to dir/<sha256>/<name> and returns the copy and
// the digest. An existing copy is used again.
func privateCopy(source, dir string) (path, sum string, err error) {
	in, err := os.Open(source)
	if err != nil {
		return "", "", fmt.Errorf("open executable: %w", err)
	}
	defer func() { _ = in.Close() }()
	tmp, err := os.CreateTemp(dir, "copy-")
	if err != nil {
		return "", "", fmt.Errorf("copy executable: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	digest := sha256.New()
	_, err = io.Copy(io.MultiWriter(tmp, digest), in)
	err = errors.Join(err, tmp.Chmod(0o700), tmp.Close())
	if err != nil {
		return "", "", fmt.Errorf("copy executable: %w", err)
	}
	sum = hex.EncodeToString(digest.Sum(nil))
	home := filepath.Join(dir, sum[:16])
	path = filepath.Join(home, filepath.Base(source))
	if _, err := os.Stat(path); err == nil {
		return path, sum, nil
	}
	if err := errors.Join(os.MkdirAll(home, 0o700), os.Rename(tmp.Name(), path)); err != nil {
		return "", "", fmt.Errorf("copy executable: %w", err)
	}
	return path, sum, nil
}
