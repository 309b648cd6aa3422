// Package version determines where the running Slipway comes from: a local checkout or a
// published version.
package version

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Module is the path of the Go module this package belongs to.
const Module = "github.com/slipway-dev/slipway"

// Origin is either a checkout or a version.
type Origin struct {
	Checkout string // absolute path of a local checkout
	Version  string // such as v1.2.3
}

// ErrUnknown is returned for an executable built from a checkout that it cannot find.
var ErrUnknown = errors.New("plugin repositories cannot refer to the module of this slipway")

// Find returns the origin of the running executable.
func Find() (Origin, error) {
	if dir, ok := checkout(); ok {
		return Origin{Checkout: dir}, nil
	}
	if v := Current(); v != devel {
		return Origin{Version: v}, nil
	}
	return Origin{}, unknown(sourceFile())
}

// unknown returns the error for an executable that was compiled from a source file. With
// -trimpath, its name begins with the path of the module.
func unknown(file string) error {
	if strings.HasPrefix(file, Module+"/") {
		return fmt.Errorf("%w: it was built from a checkout with -trimpath; build it without -trimpath, or install a release", ErrUnknown)
	}
	return fmt.Errorf("%w: it was built from a checkout that is not here (its file %s is missing); build it on this machine, or "+
		"install a release", ErrUnknown, file)
}

// Current returns the version of the module in the executable, "(devel)" for a checkout.
func Current() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return devel
	}
	return versionIn(info)
}

const devel = "(devel)"

// pseudoVersion matches the end of a version made from a commit without a tag.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}$`)

// versionIn returns the version that the go command recorded. A program built in a
// checkout has one too: it can be downloaded only if it is the tag of the commit.
func versionIn(info *debug.BuildInfo) string {
	isCheckout := slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs" })
	version := info.Main.Version
	isTag := !strings.Contains(version, "+dirty") && !pseudoVersion.MatchString(version)
	if info.Main.Path == Module && version != "" && (isTag || !isCheckout) {
		return version
	}
	for _, m := range info.Deps {
		if m.Path == Module && m.Version != "" && m.Replace == nil {
			return m.Version
		}
	}
	return devel
}

// sourceFile returns the path of this file at compile time.
func sourceFile() string {
	_, file, _, _ := runtime.Caller(0)
	return file
}

// checkout returns the directory of the module, from the path of this file at compile
// time. In the module cache, the name of that directory contains the version.
func checkout() (string, bool) {
	file := sourceFile()
	if !filepath.IsAbs(file) { // as on Windows, if it was built on another system
		return "", false
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(filepath.FromSlash(file))))
	return dir, isCheckout(dir)
}

func isCheckout(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && !strings.Contains(filepath.Base(dir), "@v")
}
