// Package origin says where the running Slipway comes from: a local checkout or
// a published version. It changes nothing and starts nothing.
package origin

import (
	"errors"
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

// Origin is a checkout or a version; one of the two is set.
type Origin struct {
	Checkout string // absolute folder of a local checkout
	Version  string // such as v1.2.3
}

// ErrUnknown is returned for a program that was built from a checkout in a way
// that left no trace of it.
var ErrUnknown = errors.New("this slipway was built with -trimpath from a checkout, so it cannot tell plugin repositories where to find its module: build it without -trimpath, or install a released version")

// Find looks at how the running program was built.
func Find() (Origin, error) {
	if dir, ok := checkout(); ok {
		return Origin{Checkout: dir}, nil
	}
	if v := Version(); v != devel {
		return Origin{Version: v}, nil
	}
	return Origin{}, ErrUnknown
}

// Version is the version of the module in the running program, "(devel)" for a
// checkout.
func Version() string {
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

// checkout finds the module's folder from where this file was compiled. A file in
// the module cache has the version in the name of the module's folder.
func checkout() (string, bool) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", false
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(filepath.FromSlash(file))))
	return dir, isCheckout(dir)
}

func isCheckout(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && !strings.Contains(filepath.Base(dir), "@v")
}
