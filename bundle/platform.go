package bundle

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Platform is an operating system and an architecture in Go's own words.
type Platform struct {
	OS   string
	Arch string
}

// Host is the platform this program runs on.
func Host() Platform { return Platform{OS: runtime.GOOS, Arch: runtime.GOARCH} }

// AllPlatforms lists the platforms that a release is built for.
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
// <name>_<os>_<arch>, with .exe on Windows. name may contain folders.
func (p Platform) Executable(name string) string {
	file := name + "_" + p.OS + "_" + strings.ToLower(p.Arch)
	if p.OS == "windows" {
		file += ".exe"
	}
	return file
}

// systems are the operating systems on which a backend can be a process of its own
// and whose programs ExecutablePlatform tells apart.
func systems() []string {
	return []string{"linux", "darwin", "windows", "freebsd", "netbsd", "openbsd"}
}

// ParsePlatforms reads "all", "host" or a comma-separated list of os/arch. An
// architecture outside AllPlatforms is accepted: the Go toolchain is the judge of
// what it can build. "" means all.
func ParsePlatforms(list string) ([]Platform, error) {
	switch list {
	case "", "all":
		return AllPlatforms(), nil
	case "host":
		return []Platform{Host()}, nil
	}
	var out []Platform
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		os, arch, ok := strings.Cut(item, "/")
		if !ok || !isWord(os) || !isWord(arch) {
			return nil, fmt.Errorf("platform %q: write it as os/arch, such as linux/amd64, or use all or host", item)
		}
		if !slices.Contains(systems(), os) {
			return nil, fmt.Errorf("platform %q: backends are built for the systems %s", item, strings.Join(systems(), ", "))
		}
		if p := (Platform{os, arch}); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

func isWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
