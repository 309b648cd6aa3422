package bundlerconfig

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
)

const maxFile = 8 << 20 // bytes that a configuration reads of a file

// host returns what modules.js and settings.js get. Paths are absolute and slash-separated.
func (e *evaluation) host() map[string]any {
	return map[string]any{
		"root": filepath.ToSlash(e.root), "loader": loadName, "ownBundler": OwnBundler,
		"kind": e.kind, "read": e.readFile, "glob": e.glob, "resolve": e.resolve, "isNode": IsNode, "isMember": config.IsMember,
		"report": e.report, "fail": e.fail,
	}
}

// kind returns "file" or "directory", or "" for what the configuration must not read.
func (e *evaluation) kind(file string) string {
	file = filepath.FromSlash(file)
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return "directory"
	case e.check(file) != nil:
		return ""
	}
	return "file"
}

// readFile returns the contents of a file, or nil.
func (e *evaluation) readFile(file string) any {
	if e.kind(file) != "file" {
		return nil
	}
	text, err := limit.ReadFile(filepath.FromSlash(file), maxFile)
	if err != nil {
		return nil
	}
	e.note(filepath.FromSlash(file), text)
	return string(text)
}

// resolve returns what require.resolve does: a file of a package, or the request, which means the same as an alias.
func (e *evaluation) resolve(name string) string {
	file := filepath.Join(e.root, "node_modules", filepath.FromSlash(name))
	info, err := os.Stat(file)
	if err == nil && info.Mode().IsRegular() || path.Ext(name) != "" && strings.Contains(strings.TrimPrefix(name, "@"), "/") {
		return filepath.ToSlash(file)
	}
	return name
}

// glob returns the files below a directory that match a pattern, relative to it.
func (e *evaluation) glob(dir, pattern string, isDot, isDirectories bool) []string {
	found, err := glob(filepath.FromSlash(dir), pattern, isDot, isDirectories)
	if err != nil {
		panic(e.vm.NewGoError(err))
	}
	return found
}

var (
	extended = regexp.MustCompile(`[@!+*?]\(`)
	braces   = regexp.MustCompile(`\{([^{}]*)\}`)
)

// patterns returns a pattern without the alternatives in its braces.
func patterns(pattern string) (list []string, err error) {
	if extended.MatchString(pattern) {
		return nil, fmt.Errorf("the pattern %s has parentheses, which builds do not read: list the files", pattern)
	}
	at := braces.FindStringSubmatchIndex(pattern)
	if at == nil {
		return []string{strings.TrimPrefix(pattern, "./")}, nil
	}
	for choice := range strings.SplitSeq(pattern[at[2]:at[3]], ",") {
		more, err := patterns(pattern[:at[0]] + choice + pattern[at[1]:])
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// glob returns the files, or directories, below a directory that match a pattern, relative to it and sorted. It looks into
// node_modules only if the pattern says so, and at names that begin with a dot only then or with isDot.
func glob(dir, pattern string, isDot, isDirectories bool) (found []string, err error) {
	list, err := patterns(filepath.ToSlash(pattern))
	if err != nil {
		return nil, err
	}
	isDot = isDot || strings.Contains("/"+pattern, "/.")
	fixed, _, _ := strings.Cut(strings.NewReplacer("?", "*", "[", "*", "{", "*").Replace(filepath.ToSlash(pattern)), "*")
	start := filepath.Join(dir, filepath.FromSlash(path.Dir(fixed+"x")))
	err = filepath.WalkDir(start, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read does not match
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		isHidden := !isDot && strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" && !strings.Contains(pattern, "node_modules")
		if file != start && isHidden && d.IsDir() {
			return fs.SkipDir
		}
		matches := func(p string) bool { return validate.MatchFile(p, filepath.ToSlash(rel)) }
		if d.IsDir() == isDirectories && !isHidden && slices.ContainsFunc(list, matches) {
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	return found, err
}

// IsNode reports whether a module is one of Node.js.
func IsNode(name string) bool {
	return slices.Contains(strings.Fields("assert async_hooks buffer child_process cluster console constants crypto dgram dns events fs http http2 "+
		"https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder timers tls tty url "+
		"util v8 vm worker_threads zlib"), name)
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string always encodes
	return string(text)
}
