// Package typecheck checks the types of a frontend with the compiler of TypeScript: from version 7, it is a program
// that needs no Node.js. Package packages brings the types and the compiler; this package finds, runs and reads it.
package typecheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// ErrNotBrought is the error if Bring has not run, or not for the lockfile as it is.
var ErrNotBrought = errors.New("the types of packages and the compiler are not there")

// Options say which frontend is checked.
type Options struct {
	Root     string // of the plugin repository, absolute
	CacheDir string // of Slipway; "" is in the user's cache
}

// Compiler is a compiler of TypeScript that can run.
type Compiler struct {
	Version  string
	Locked   string // the version in node_modules, if it is another one
	isPinned bool   // not of the repository
	modules  string // the node_modules that Slipway laid out, or ""
	command  []string
	root     string
}

// String returns "TypeScript 7.0.2", and which version the repository has.
func (c *Compiler) String() string {
	if c.Locked != "" {
		return fmt.Sprintf("TypeScript %s (the repository has %s)", c.Version, c.Locked)
	}
	return "TypeScript " + c.Version
}

// Find returns the compiler that is there: that of node_modules, or the pinned one if it cannot run. The error is the
// reason why types cannot be checked.
func Find(ctx context.Context, o Options) (*Compiler, error) {
	if _, err := os.Stat(filepath.Join(o.Root, "tsconfig.json")); err != nil {
		return nil, errors.New("the repository has no tsconfig.json")
	}
	modules := nearest(o.Root)
	if modules == "" {
		return nil, ErrNotBrought
	}
	isOurs := tree.IsLaidOut(modules)
	if isOurs {
		if store, err := o.open(o.Root, true); err != nil {
			return nil, err
		} else if !store.IsLaidOut() {
			return nil, fmt.Errorf("the lockfile has changed: %w", ErrNotBrought)
		}
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(modules, "typescript"))
	locked := ""
	if err == nil {
		locked = version(dir)
	}
	if native := filepath.Join(filepath.Dir(dir), filepath.FromSlash(nativeName())); locked != "" && version(native) == locked {
		return o.native(native)
	}
	if node, err := exec.LookPath("node"); err == nil && locked != "" && major(locked) < nativeMajor && !isOurs {
		return &Compiler{Version: locked, command: []string{node, filepath.Join(dir, "lib", "tsc.js")}, root: o.Root}, nil
	}
	native, err := o.pinned(ctx, true)
	if errors.Is(err, packages.ErrMissing) {
		return nil, ErrNotBrought
	} else if err != nil {
		return nil, err
	}
	c, err := o.native(native)
	if err != nil {
		return nil, err
	}
	if isOurs {
		c.modules = modules
	}
	if c.isPinned = true; locked != c.Version {
		c.Locked = locked
	}
	return c, nil
}

// native returns the compiler in the directory of a package.
func (o Options) native(dir string) (*Compiler, error) {
	file := filepath.Join(dir, "lib", "tsc")
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	info, err := os.Stat(file)
	if err == nil && info.Mode()&0o100 == 0 { // in the cache, nothing is executable
		err = os.Chmod(file, 0o755)
	}
	return &Compiler{Version: version(dir), command: []string{file}, root: o.Root}, err
}

// Brought is what Bring did.
type Brought struct {
	Packages, Downloaded, Bytes int64
	IsInstalled                 bool     // a package manager wrote node_modules, which stays as it is
	Left                        []string // which packages are left out, and why
}

// Bring lays out node_modules from the lockfile, unless a package manager wrote it, and downloads the compiler
// if that is not there.
func Bring(ctx context.Context, o Options) (*Brought, error) {
	store, err := o.open(o.Root, false)
	if err != nil {
		return nil, err
	}
	n, left, err := store.LayOut(ctx, nativeName())
	b := &Brought{Packages: int64(n), Left: left, IsInstalled: errors.Is(err, packages.ErrInstalled)}
	if b.Downloaded, b.Bytes = store.Downloaded(); err != nil && !b.IsInstalled {
		return nil, err
	}
	if _, err := Find(ctx, o); !errors.Is(err, ErrNotBrought) {
		return b, err
	}
	_, err = o.pinned(ctx, false)
	return b, err
}

func (o Options) open(root string, isOffline bool) (*packages.Store, error) {
	cache, err := o.cache()
	if err != nil {
		return nil, err
	}
	return packages.Open(packages.Options{Root: root, Config: o.Root, CacheDir: filepath.Join(cache, "npm"), Environ: os.Environ(), Offline: isOffline})
}

func (o Options) cache() (string, error) {
	if o.CacheDir != "" {
		return o.CacheDir, nil
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache directory: %w", err)
	}
	return filepath.Join(user, "slipway"), nil
}

// The first version that is a native program, and the one for repositories that have none.
const (
	nativeMajor   = 7
	pinnedVersion = "7.0.2"
)

// nativeName returns the name of the package with the compiler for this platform.
func nativeName() string {
	name := runtime.GOOS + "-" + runtime.GOARCH
	return "@typescript/typescript-" + strings.NewReplacer("windows", "win32", "amd64", "x64").Replace(name)
}

// pinned returns the directory of the pinned compiler, and downloads it unless isOffline.
func (o Options) pinned(ctx context.Context, isOffline bool) (string, error) {
	name := nativeName()
	integrity := map[string]string{
		"@typescript/typescript-linux-x64":    "sha512-EYdf2cNg7rgCWJnxCdJ+F3V39O8ihb37eHAu1LK8oAFizgTQbPOK7zHHXbPt8rX24COqODXeI3sIf0fCXG7H/A==",
		"@typescript/typescript-linux-arm64":  "sha512-Qh4eU4/y3yDjnfjjyPYihMj5/ODIlmt+Bzu17OI+fiSRDW57QmU5SiN63exPRNJPKUzcc1INa1NXdrJ+MqHjUQ==",
		"@typescript/typescript-darwin-arm64": "sha512-gowzar9MwS/aRWp6f3a4KUqzRjAZjOsmGNCM6LcTgXum+dBfgsBVMN+AgvOCCbguXyick6LJhpBszxMebJ8syA==",
		"@typescript/typescript-darwin-x64":   "sha512-SZ9xZInqApNlNGc9s0W1VSsktYSOe9cFqNOIqmN1Gs8SmkjKZYFt017G4VwPxASInODuAdbTW7sXiFUf893RgA==",
		"@typescript/typescript-win32-x64":    "sha512-0BQ3HkAHHlKLSp1qRvf3SUhGpGsDuhB/jgFw75guyqbxJqEaS0Cw/VFO8i2nHglJUzQCRtMMR/IBAKE3ETMC4g==",
		"@typescript/typescript-win32-arm64":  "sha512-Gyl1Vy6OsWesLzmq+EP0Fb7b4Nid5232AvcA2SFcdYreldpNtYFFofPjnt62y9hQy7VTaZp65ICJjuAQRaVcIQ==",
	}[name]
	if integrity == "" {
		return "", fmt.Errorf("Slipway has no compiler of TypeScript for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	cache, err := o.cache()
	if err != nil {
		return "", err
	}
	lock := filepath.Join(cache, "typescript-"+pinnedVersion)
	if err := os.MkdirAll(lock, 0o755); err != nil {
		return "", err
	}
	text := fmt.Sprintf(`{"lockfileVersion": 3, "packages": {"node_modules/%s": {"version": %q, "integrity": %q}}}`, name, pinnedVersion, integrity)
	if err := atomicfile.Write(filepath.Join(lock, "package-lock.json"), 0o644, atomicfile.Bytes([]byte(text))); err != nil {
		return "", err
	}
	store, err := o.open(lock, isOffline)
	if err != nil {
		return "", err
	}
	dir, _, err := store.Dir(ctx, filepath.Join(lock, "package.json"), name)
	return filepath.Join(dir, "node_modules", filepath.FromSlash(name)), err
}

// version returns the version of the package in a directory, or "".
func version(dir string) string {
	var about struct{ Version string }
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil || json.Unmarshal(text, &about) != nil {
		return ""
	}
	return about.Version
}

func major(version string) int {
	n, _ := strconv.Atoi(strings.SplitN(version, ".", 2)[0]) // a version that does not begin with a number counts as old
	return n
}

// nearest returns the node_modules with a compiler, or Slipway's, in a directory or above it, or "".
func nearest(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if at := filepath.Join(dir, "node_modules"); version(filepath.Join(at, "typescript")) != "" || tree.IsLaidOut(at) {
			return at
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
