package bundle

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Platform is an operating system and an architecture as Go names them.
type Platform struct {
	OS   string
	Arch string
}

// Host returns the platform that this program runs on.
func Host() Platform { return Platform{OS: runtime.GOOS, Arch: runtime.GOARCH} }

// AllPlatforms returns the platforms that plugins are built for by default.
func AllPlatforms() []Platform {
	return []Platform{
		{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "arm"},
		{"darwin", "amd64"}, {"darwin", "arm64"},
		{"windows", "amd64"},
	}
}

// String returns "os/arch".
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// Executable returns the file name of the executable for the platform:
// <name>_<os>_<arch>, with .exe on Windows. name may contain slashes.
func (p Platform) Executable(name string) string {
	file := name + "_" + p.OS + "_" + strings.ToLower(p.Arch)
	if p.OS == "windows" {
		file += ".exe"
	}
	return file
}

// systems returns the operating systems that can run a backend as a process of its
// own and that ExecutablePlatform recognizes.
func systems() []string {
	return []string{"linux", "darwin", "windows", "freebsd", "netbsd", "openbsd"}
}

// architectures returns the architectures that SplitExecutable recognizes.
func architectures() []string {
	return []string{
		"amd64", "arm64", "arm", "386", "riscv64", "s390x", "loong64",
		"mips", "mipsle", "mips64", "mips64le", "ppc64", "ppc64le",
	}
}

// SplitExecutable splits a file name such as gpx_clock_linux_amd64, with or without
// .exe, into the name of the executable and its platform. ok is false for any other
// file name.
func SplitExecutable(file string) (name string, p Platform, ok bool) {
	rest, arch, _ := cutLast(strings.TrimSuffix(file, ".exe"), "_")
	name, os, ok := cutLast(rest, "_")
	if !ok || !slices.Contains(systems(), os) || !slices.Contains(architectures(), arch) {
		return "", Platform{}, false
	}
	return name, Platform{OS: os, Arch: arch}, true
}

// cutLast is strings.Cut around the last separator.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// ParsePlatforms parses "all" or a comma-separated list of os/arch and "host"; "" means
// all. The go command may still not know a combination of the two.
func ParsePlatforms(list string) ([]Platform, error) {
	if list == "" || list == "all" {
		return AllPlatforms(), nil
	}
	var out []Platform
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if item == "all" {
			return nil, errors.New(`"all" includes every other platform: use it alone`)
		}
		if item == "host" {
			item = Host().String()
		}
		os, arch, ok := strings.Cut(item, "/")
		switch {
		case !ok || os == "" || arch == "":
			return nil, fmt.Errorf("invalid platform %q: write os/arch, such as linux/amd64, or use all or host", item)
		case !slices.Contains(systems(), os):
			return nil, fmt.Errorf("invalid platform %q: the operating system must be one of %s", item, strings.Join(systems(), ", "))
		case !slices.Contains(architectures(), arch):
			return nil, fmt.Errorf("invalid platform %q: the architecture must be one of %s", item, strings.Join(architectures(), ", "))
		}
		if p := (Platform{os, arch}); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}
