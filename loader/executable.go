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
	runDir  string // where private folders are made
	source  string // the executable in the plugin's folder
	sum     string // its SHA-256
	print   string // what it would run: differs when a restart is due
	token   TokenDecision
	options Options
	plugin  bundle.Plugin
	output  Output
}

// prepare checks the executable.
func prepare(b bundle.Plugin, o Options, runDir string) (*spec, error) {
	source, err := Executable(b)
	if err != nil {
		return nil, permanentError{err}
	}
	sum, err := digest(source)
	if err != nil {
		return nil, err
	}
	permissions := "none"
	if b.Metadata.IAM != nil {
		permissions = fmt.Sprint(b.Metadata.IAM.Permissions)
	}
	return &spec{
		runDir: runDir, source: source, sum: sum,
		print: strings.Join([]string{sum, b.Metadata.Info.Version, permissions}, "\n"),
		token: decideToken(b.Metadata, o), options: o, plugin: b,
	}, nil
}

// copyProgram makes a private folder with a copy of the executable: what was
// checked is what runs, and a rebuild never meets a busy file. The process runs in
// that folder, so that the plugin's own can be replaced, on Windows too.
func (s *spec) copyProgram() (home, program string, err error) {
	home, err = os.MkdirTemp(s.runDir, "")
	if err != nil {
		return "", "", fmt.Errorf("copy executable: %w", err)
	}
	program = filepath.Join(home, filepath.Base(s.source))
	if err := privateCopy(s.source, program, s.sum); err != nil {
		return "", "", errors.Join(err, os.RemoveAll(home))
	}
	return home, program, nil
}

// environment issues the token, if the plugin gets one, and returns what the
// process sees.
func (s *spec) environment(ctx context.Context) ([]string, error) {
	var token string
	if s.token.Injected {
		var err error
		if token, err = s.options.Token(ctx, s.plugin); err != nil {
			return nil, fmt.Errorf("issue service account token: %w", err)
		}
	}
	return environment(s.options, s.plugin.Metadata, token), nil
}

// Executable finds the executable of a plugin for this platform and says what is
// there instead if it is missing.
func Executable(b bundle.Plugin) (string, error) {
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

// digest returns the SHA-256 of a file in hexadecimal digits.
func digest(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read executable: %w", err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read executable: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// privateCopy copies a program that must have the digest sum: it may be written to
// just now.
func privateCopy(source, target, sum string) error {
	in, err := os.Open(source)
	if err != nil {
		return fmt.Errorf("copy executable: %w", err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return fmt.Errorf("copy executable: %w", err)
	}
	copied := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, copied), in)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copy executable: %w", err)
	}
	if hex.EncodeToString(copied.Sum(nil)) != sum {
		return fmt.Errorf("copy executable: %s changed meanwhile", source)
	}
	return nil
}
