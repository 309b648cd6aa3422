package provisioning

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/internal/limit"
)

// Limits of the size of files, in bytes.
const (
	maxFile      = 4 << 20 // of provisioning and of a dashboard
	maxValueFile = 1 << 16 // that $__file names
)

// variable matches what expand replaces.
var variable = regexp.MustCompile(`\$\$|\$__(env|file)\{([^{}]*)\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)

// expander replaces variables in values.
type expander struct {
	dir    string // of provisioning; relative names of files start here
	lookup func(name string) (string, bool)
	seen   map[string]string // files and directories, and what they were before they were read
}

// expand replaces the variables in a value. A variable that is not set is replaced by "",
// as existing hosts do. Replacements are not expanded again.
func (e *expander) expand(value string) (string, error) {
	var failed error
	expanded := variable.ReplaceAllStringFunc(value, func(match string) string {
		if match == "$$" {
			return "$"
		}
		m := variable.FindStringSubmatch(match)
		if m[1] == "file" {
			text, err := e.file(m[2])
			if err != nil && failed == nil {
				failed = err
			}
			return text
		}
		text, _ := e.lookup(m[2] + m[3] + m[4])
		return text
	})
	return expanded, failed
}

// file returns the contents of a file without white space at both ends. A relative name
// must not lead out of the provisioning directory.
func (e *expander) file(name string) (string, error) {
	if !filepath.IsAbs(name) {
		if !filepath.IsLocal(name) {
			return "", fmt.Errorf("%q leads out of the provisioning directory; use an absolute path", name)
		}
		name = filepath.Join(e.dir, name)
	}
	text, err := e.readFile(name, maxValueFile)
	return strings.TrimSpace(string(text)), err
}

// readDir is os.ReadDir.
func (e *expander) readDir(name string) ([]os.DirEntry, error) {
	e.seen[name] = stamp(name)
	return os.ReadDir(name)
}

// readFile reads a regular file. Others, such as named pipes, might never end.
func (e *expander) readFile(name string, most int64) ([]byte, error) {
	e.seen[name] = stamp(name)
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := limit.ReadAll(f, most)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}
