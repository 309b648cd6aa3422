package frontend

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// library is a module that the host shares with plugins: a plugin asks for it by name and
// does not contain it.
type library struct {
	name     string
	isPrefix bool // the name and everything that begins with it
}

// shared lists the libraries that existing hosts provide. The source is the list that
// create-plugin 6 writes into a repository as .config/bundler/externals.ts.
func shared() []library {
	return []library{
		{"lodash", false},
		{"jquery", false},
		{"moment", false},
		{"slate", false},
		{"emotion", false},
		{"@emotion/react", false},
		{"@emotion/css", false},
		{"prismjs", false},
		{"slate-plain-serializer", false},
		{"@grafana/slate-react", false},
		{"react", false},
		{"react-dom", false},
		{"react-redux", false},
		{"redux", false},
		{"rxjs", false},
		{"i18next", false},
		{"react-router", false},
		{"d3", false},
		{"angular", false},
		{"@grafana/ui", true},
		{"@grafana/runtime", true},
		{"@grafana/data", true},
	}
}

// externalsFiles are where create-plugin keeps the list in a repository, newest first.
func externalsFiles() []string {
	return []string{
		".config/bundler/externals.ts",
		".config/webpack/webpack.config.ts",
		".config/webpack/webpack.config.js",
	}
}

var (
	externalsArray = regexp.MustCompile(`(?s)\bexternals\b[^=\n]*[:=]\s*\[(.*?)\n\s*\]`)
	externalsEntry = regexp.MustCompile(`(?m)^\s*(?:'([^'\n]+)'|"([^"\n]+)"|/\^((?:[^/\\\n]|\\.)+)/i?),?\s*(?://.*)?$`)
)

// sharedBy returns the libraries that the repository's own bundler leaves to the host. A
// library that newer hosts share, such as react/jsx-runtime, must be in the bundle of a
// plugin for older ones, and only the repository knows which those are. Without such a
// list, the libraries are those of shared.
func sharedBy(root string) []library {
	for _, name := range externalsFiles() {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		array := externalsArray.FindSubmatch(text)
		if array == nil {
			continue
		}
		var list []library
		for _, entry := range externalsEntry.FindAllSubmatch(array[1], -1) {
			if pattern := string(entry[3]); pattern != "" {
				list = append(list, library{strings.ReplaceAll(pattern, `\`, ""), true})
				continue
			}
			list = append(list, library{string(entry[1]) + string(entry[2]), false})
		}
		if len(list) > 0 {
			return list
		}
	}
	return shared()
}

// isShared reports whether the host provides the module.
func isShared(list []library, module string) bool {
	return slices.ContainsFunc(list, func(l library) bool {
		return module == l.name || l.isPrefix && strings.HasPrefix(module, l.name)
	})
}
