package bundlerconfig

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
)

const maxFile = 8 << 20 // bytes that a configuration reads of a file

// host returns what modules.js and settings.js get. Paths are absolute and slash-separated.
func (e *evaluation) host() map[string]any {
	return map[string]any{
		"root": e.root, "loader": loadName, "ownBundler": OwnBundler, "loaderHelp": loaderHelp,
		"kind": e.kind, "read": e.readFile, "list": e.list, "glob": e.glob, "resolve": e.resolve, "isNode": isNode, "isMember": config.IsMember,
		"variable": func(name string) {
			if !e.variables[name] {
				e.variables[name] = true
				e.report(name, "the environment variable "+name+" has no value: builds do not read the environment",
					`if the value matters, write what it decides below "frontend" in slipway.yaml, such as define: {process.env.`+name+`: ...}`)
			}
		},
	}
}

// local returns the path of a file that the configuration may read, or "".
func (e *evaluation) local(file string) string {
	file = filepath.Clean(filepath.FromSlash(file))
	if _, err := os.Stat(file); err != nil || e.bundle.check(file) != nil {
		return ""
	}
	return file
}

func (e *evaluation) kind(file string) string {
	file = filepath.FromSlash(file)
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return "directory"
	case e.local(file) == "":
		return ""
	}
	return "file"
}

// readFile returns the contents of a file, or nil.
func (e *evaluation) readFile(file string) any {
	if file = e.local(file); file == "" {
		return nil
	}
	text, err := limit.ReadFile(file, maxFile)
	if err != nil {
		return nil
	}
	e.bundle.note(file, text)
	return string(text)
}

func (e *evaluation) list(dir string) []string {
	entries, _ := os.ReadDir(filepath.FromSlash(dir)) // the caller has asked for its kind
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

// resolve returns what require.resolve does: a file of a package, or the request, which means the same as an alias.
func (e *evaluation) resolve(name string) string {
	file := filepath.Join(e.bundle.root, "node_modules", filepath.FromSlash(name))
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() || path.Ext(name) != "" && strings.Contains(strings.TrimPrefix(name, "@"), "/") {
		return filepath.ToSlash(file)
	}
	return name
}

// glob returns the files below a directory that match a pattern, relative to it.
func (e *evaluation) glob(dir, pattern string, isDot, isDirectories bool) []string {
	found, err := Glob(filepath.FromSlash(dir), pattern, isDot, isDirectories)
	if err != nil {
		panic(e.vm.NewGoError(err))
	}
	return found
}

// Glob returns the files, or directories, below a directory that match a pattern, relative to it and sorted. It looks into
// node_modules only if the pattern says so, and at names that begin with a dot only then or with isDot.
func Glob(dir, pattern string, isDot, isDirectories bool) (found []string, err error) {
	pattern = strings.TrimPrefix(filepath.ToSlash(pattern), "./")
	for strings.HasPrefix(pattern, "../") {
		pattern, dir = pattern[3:], filepath.Dir(dir)
	}
	base := dir
	fixed, _, _ := strings.Cut(pattern+"/", "*")
	fixed = strings.TrimPrefix(path.Dir(strings.FieldsFunc(fixed+" ", func(r rune) bool { return strings.ContainsRune("?[{(!", r) })[0]+"x"), ".")
	expression, err := globExpression(pattern)
	if err != nil {
		return nil, err
	}
	start := filepath.Join(base, filepath.FromSlash(fixed))
	err = filepath.WalkDir(start, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read does not match
		}
		rel, err := filepath.Rel(base, file)
		if err != nil {
			return err
		}
		rel, name := filepath.ToSlash(rel), d.Name()
		isHidden := strings.HasPrefix(name, ".") && !isDot && !strings.Contains(pattern, "/.") && !strings.HasPrefix(pattern, ".")
		if file != start && (isHidden || name == "node_modules" && !strings.Contains(pattern, "node_modules")) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() == isDirectories && expression.MatchString(rel) {
			found = append(found, rel)
		}
		return nil
	})
	return found, err
}

// globExpression returns the regular expression of a pattern with **, *, ?, [...], {a,b}, @(a|b), +(a|b), *(a|b), ?(a|b).
func globExpression(pattern string) (*regexp.Regexp, error) {
	var out strings.Builder
	var ends []string // of the groups that are open
	for i := 0; i < len(pattern); i++ {
		c, rest := pattern[i], pattern[i+1:]
		switch {
		case strings.HasPrefix(pattern[i:], "**/") && (i == 0 || pattern[i-1] == '/'):
			out.WriteString("(?:[^/]+/)*")
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			out.WriteString(".*")
			i++
		case strings.ContainsRune("@+*?!", rune(c)) && strings.HasPrefix(rest, "("):
			ends = append(ends, strings.Trim(string(c), "@"))
			out.WriteString(map[byte]string{'!': "(?!"}[c])
			if c != '!' {
				out.WriteString("(?:")
			}
			i++
		case c == ')' && len(ends) > 0:
			out.WriteString(")" + ends[len(ends)-1])
			ends = ends[:len(ends)-1]
		case c == '{':
			ends = append(ends, "")
			out.WriteString("(?:")
		case c == '}' && len(ends) > 0:
			out.WriteString(")")
			ends = ends[:len(ends)-1]
		case (c == ',' || c == '|') && len(ends) > 0:
			out.WriteString("|")
		case c == '*':
			out.WriteString("[^/]*")
		case c == '?':
			out.WriteString("[^/]")
		case c == '[' && strings.Contains(rest, "]"):
			n := strings.Index(rest, "]")
			out.WriteString("[" + strings.Replace(rest[:n], "!", "^", 1) + "]")
			i += n + 1
		default:
			out.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return regexp.Compile("^" + out.String() + "$")
}

// isNode reports whether a module is one of Node.js.
func isNode(name string) bool {
	return slices.Contains(strings.Fields("assert async_hooks buffer child_process cluster console constants crypto dgram dns events http http2 "+
		"https inspector net perf_hooks punycode querystring readline repl stream string_decoder timers tls tty v8 vm worker_threads zlib os url util"), name)
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string always encodes
	return string(text)
}
