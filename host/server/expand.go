package server

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/internal/limit"
)

const maxValueFile = 64 << 10 // bytes of a file that $__file names

// settingVariable matches what expand replaces, as existing hosts do in this file: not a
// name after a single $, which may be a part of a password.
var settingVariable = regexp.MustCompile(`\$__(env|file)\{([^{}]*)\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expander replaces variables in values.
type expander struct {
	dir     string // where relative names of files start
	environ map[string]string
	log     *slog.Logger
}

// expand replaces the variables in a value. One that is not set is replaced by "", as
// existing hosts do. Replacements are not expanded again.
func (e expander) expand(at, value string) (string, error) {
	var failed error
	expanded := settingVariable.ReplaceAllStringFunc(value, func(match string) string {
		m := settingVariable.FindStringSubmatch(match)
		if m[1] == "file" {
			name := m[2]
			if !filepath.IsAbs(name) {
				name = filepath.Join(e.dir, name)
			}
			text, err := readRegular(name, maxValueFile)
			failed = cmp.Or(failed, err)
			return strings.TrimSpace(string(text))
		}
		name := m[2] + m[3]
		text, isSet := e.environ[name]
		if !isSet {
			e.log.Warn("variable is not set: it is replaced by an empty text", "at", at, "variable", name)
		}
		return text
	})
	return expanded, failed
}

// readRegular reads a regular file. Others, such as named pipes, might never end.
func readRegular(name string, most int64) ([]byte, error) {
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

// variables returns the variables of an environment. The last one of a name wins.
func variables(environ []string) map[string]string {
	found := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		found[name] = value
	}
	return found
}
