package frontend

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// replacements are the modules that a repository's own bundler replaces, by name. The value is
// another module, an absolute path, or "" for an empty module.
type replacements struct {
	alias    map[string]string // before anything else is tried
	fallback map[string]string // if the module is not found
}

var (
	aliasObject    = regexp.MustCompile(`(?s)\balias\s*:\s*\{(.*?)\}`)
	fallbackObject = regexp.MustCompile(`(?s)\bfallback\s*:\s*\{(.*?)\}`)
	// replacement matches a property of those objects with a literal value.
	replacement = regexp.MustCompile(`(?m)^\s*['"]?([^\s'":]+)['"]?\s*:\s*(?:(false)|['"]([^'"\n]+)['"]|require\.resolve\(['"]([^'"\n]+)['"]\)|path\.(?:resolve|join)\((?:__dirname|process\.cwd\(\)),\s*['"]([^'"\n]+)['"]\))\s*,?\s*(?://.*)?$`)
)

// replacementsBy returns what the webpack configuration in a repository replaces. It reads the
// literal values and runs nothing: what a program computes is left out.
func replacementsBy(root string) replacements {
	for _, name := range []string{"webpack.config.ts", "webpack.config.js", "webpack.config.mjs", "webpack.config.cjs"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue
		}
		return replacements{literals(root, aliasObject, text), literals(root, fallbackObject, text)}
	}
	return replacements{}
}

func literals(root string, object *regexp.Regexp, text []byte) map[string]string {
	found := map[string]string{}
	for _, o := range object.FindAllSubmatch(text, -1) {
		for _, m := range replacement.FindAllSubmatch(o[1], -1) {
			to := string(m[3]) + string(m[4]) // at most one
			if path := string(m[5]); path != "" {
				to = filepath.Join(root, filepath.FromSlash(path))
			}
			found[string(m[1])] = to
		}
	}
	return found
}

// of returns what an import is replaced by: the longest name that is the import, or a directory
// of it. A name that ends in $ stands for the import alone.
func (r replacements) of(module string) (to string, ok bool) {
	if to, ok := r.alias[module+"$"]; ok {
		return to, true
	}
	for name := module; ; {
		if to, ok := r.alias[name]; ok {
			rest := strings.TrimPrefix(module, name)
			if rest != "" && (to == "" || strings.HasPrefix(module, to)) {
				return "", false // it already names the replacement
			}
			return to + rest, true
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return "", false
		}
		name = name[:i]
	}
}
