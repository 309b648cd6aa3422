package server

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/limit"
)

const (
	maxValue  = 64 << 10 // bytes of a value, and of a file that $__file names
	maxValues = 1 << 20  // bytes of all values
)

// settingVariable matches what expand replaces, as existing hosts do in this file: not a
// name after a single $, which may be a part of a password.
var settingVariable = regexp.MustCompile(`\$__(env|file)\{([^{}]*)\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expander replaces variables in values.
type expander struct {
	dir     string // where relative names of files start
	environ map[string]string
	log     *slog.Logger
	size    int // bytes of all values so far
}

// expand replaces the variables in a value. One that is not set is replaced by an empty
// string, as in existing hosts. Replacements are not expanded again.
func (e *expander) expand(at, value string) (string, error) {
	var failed error
	size := 0
	expanded := settingVariable.ReplaceAllStringFunc(value, func(match string) string {
		m := settingVariable.FindStringSubmatch(match)
		if m[1] == "file" {
			name := m[2]
			if size > maxValue || failed != nil {
				return ""
			}
			if !filepath.IsAbs(name) {
				name = filepath.Join(e.dir, name)
			}
			text, err := limit.ReadFile(name, maxValue)
			failed = err
			size += len(text)
			return strings.TrimSpace(string(text))
		}
		name := m[2] + m[3]
		text, isSet := e.environ[name]
		if !isSet {
			e.log.Warn("variable is not set: it is replaced by an empty string", "at", at) // not the name: it may be a part of a password
		}
		return text
	})
	if failed != nil {
		return "", failed
	}
	return expanded, e.check(max(size, len(expanded)), expanded)
}

// check returns an error for a value that a process or a call cannot receive.
func (e *expander) check(size int, value string) error {
	e.size += size
	switch {
	case size > maxValue:
		return fmt.Errorf("the value is %w", &limit.TooLargeError{Limit: maxValue})
	case e.size > maxValues:
		return fmt.Errorf("all values together are %w", &limit.TooLargeError{Limit: maxValues})
	case !utf8.ValidString(value) || strings.Contains(value, "\x00"):
		return errors.New("the value must be valid UTF-8 without NUL")
	}
	return nil
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
