package provisioning

import (
	"cmp"
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

// mostVisited limits the files and directories that are read, and looked at again every few seconds.
const mostVisited = 20_000

// errVisited reports that there are more files and directories than mostVisited.
var errVisited = fmt.Errorf("there are more than %d provisioning files and directories", mostVisited)

// variable matches what expand replaces.
var variable = regexp.MustCompile(`\$\$|\$__(env|file)\{([^{}]*)\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)

type expander struct {
	dir    string // of provisioning; relative names of files start here
	lookup func(name string) (string, bool)
	seen   map[string]string // files and directories, and what they were before they were read
	visits int               // see mostVisited
}

// visited notes a file or directory that is about to be read.
func (e *expander) visited(name string) error {
	if e.visits++; e.visits > mostVisited {
		return errVisited
	}
	e.seen[name] = stamp(name)
	return nil
}

// expand replaces the variables in a value. A variable that is not set is replaced by "",
// as in existing hosts. Replacements are not expanded again.
func (e *expander) expand(value string) (string, error) {
	var failed error
	expanded := variable.ReplaceAllStringFunc(value, func(match string) string {
		if match == "$$" {
			return "$"
		}
		m := variable.FindStringSubmatch(match)
		if m[1] != "file" {
			text, _ := e.lookup(m[2] + m[3] + m[4])
			return text
		}
		text, err := e.file(m[2])
		failed = cmp.Or(failed, err)
		return text
	})
	return expanded, failed
}

// unset returns the environment variables in a value that are not set.
func (e *expander) unset(value string) (names []string) {
	for _, m := range variable.FindAllStringSubmatch(value, -1) {
		name := m[2] + m[3] + m[4]
		if _, ok := e.lookup(name); !ok && m[0] != "$$" && m[1] != "file" {
			names = append(names, name)
		}
	}
	return names
}

// file returns a file without white space at its ends. A relative name must stay in the directory.
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
	if err := e.visited(name); err != nil {
		return nil, err
	}
	return os.ReadDir(name)
}

// readFile is limit.ReadFile.
func (e *expander) readFile(name string, most int64) ([]byte, error) {
	if err := e.visited(name); err != nil {
		return nil, err
	}
	return limit.ReadFile(name, most)
}
