// Package program finds the program slipway of the version that go.mod requires, builds it into the
// user's cache if needed, and runs it. The program is built outside of the module of the plugin,
// whose go.mod therefore does not list what it requires.
//
// The package uses nothing but the standard library of Go 1.24.
package program

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
	"runtime/debug"
	"strings"
)

const (
	module  = "github.com/slipway-dev/slipway"
	targets = module + "/targets"
)

// origin is where the program is built from: a version, or a local checkout.
type origin struct{ version, checkout string }

// findOrigin returns the origin that go.mod specifies. Both modules have the same version numbers.
func findOrigin() (origin, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return origin{}, errors.New("find the version of Slipway: this program has no build information")
	}
	_, file, _, _ := runtime.Caller(0) // at compile time
	return originIn(info, file)
}

// originIn returns the origin of a program, one of whose files was compiled from the path file.
func originIn(info *debug.BuildInfo, file string) (origin, error) {
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path != targets {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Version != "" && m.Version != "(devel)" {
			return origin{version: m.Version}, nil
		}
		for _, dir := range []string{filepath.Dir(m.Path), filepath.Join(filepath.Dir(filepath.FromSlash(file)), "..", "..", "..")} {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && filepath.IsAbs(dir) {
				return origin{checkout: filepath.Clean(dir)}, nil
			}
		}
	}
	return origin{}, errors.New("find the version of Slipway: it is neither a release nor a directory on this machine; require a release of " + targets)
}

// Find returns the path of the program. It prints progress to w while it builds it.
func Find(ctx context.Context, w io.Writer) (string, error) {
	from, err := findOrigin()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w", err)
	}
	return from.program(ctx, filepath.Join(cache, "slipway", "programs"), w)
}

// program returns the path of the program in a directory. Two processes may build it at once.
func (o origin) program(ctx context.Context, dir string, w io.Writer) (string, error) {
	path := filepath.Join(dir, o.directory(), "slipway")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	stamp, err := o.stamp()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", o.checkout, err)
	}
	if isBuilt(path, stamp) {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(path + ".lock")
	if err != nil {
		return "", fmt.Errorf("lock %s: %w", path, err)
	}
	defer unlock()
	if isBuilt(path, stamp) {
		return path, nil
	}
	if err := o.build(ctx, path, w); err != nil {
		return "", err
	}
	return path, os.WriteFile(path+".stamp", []byte(record(path, stamp)), 0o644)
}

// directory names an origin in the cache, where the program slipway looks for others.
func (o origin) directory() string {
	if o.checkout == "" {
		return o.version
	}
	sum := sha256.Sum256([]byte(o.checkout))
	return "checkout-" + hex.EncodeToString(sum[:6])
}

// isBuilt reports whether the program was built from the files of a stamp, and is whole: a machine may have crashed.
func isBuilt(path, stamp string) bool {
	was, err := os.ReadFile(path + ".stamp")
	return err == nil && string(was) == record(path, stamp)
}

// record returns what is kept about a program.
func record(path, stamp string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "no program"
	}
	return fmt.Sprintf("%s %d %v", stamp, info.Size(), info.Mode())
}

// stamp returns a digest of the names, sizes and times of the sources in a checkout, which is faster than the go command.
func (o origin) stamp() (string, error) {
	sum := sha256.New()
	if o.checkout == "" {
		return "", nil
	}
	err := filepath.WalkDir(o.checkout, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != o.checkout: // removed meanwhile
			return nil
		case err != nil:
			return err
		case d.IsDir() && path != o.checkout && (strings.HasPrefix(name, ".") || name == "testdata" || filepath.Dir(path) == o.checkout && isOther(name)):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // removed meanwhile
		}
		_, err = fmt.Fprintln(sum, path, info.Size(), info.ModTime().UnixNano())
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// isOther reports whether the program is built from nothing in a directory of the checkout.
func isOther(name string) bool {
	switch name {
	case "targets", "doc", "examples", "host", "loader", "sdk", "conformance", "tools", "dist":
		return true
	}
	return false
}
