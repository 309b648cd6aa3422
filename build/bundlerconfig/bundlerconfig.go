// Package bundlerconfig evaluates the configuration of webpack or rspack of a repository, in an interpreter
// without network, environment and programs that reads only files of the repository. Packages are stand-ins
// which record what is asked of them, except for those that merge configurations. It owns what of a
// configuration is read; what it asks for and is not read is in Config.Unread.
package bundlerconfig

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
)

// Config is an evaluated configuration. Its methods may be called concurrently.
type Config struct {
	Settings
	File   string    // of the configuration, slash-separated and relative to the root; "" without one
	Read   []string  // the files that were read, in the same form or absolute
	Unread []Message // what the configuration asks for and is not read

	root  string
	mu    sync.Mutex // the interpreter runs in one goroutine at a time
	e     *evaluation
	known map[string]string // results of calls
}

// Settings are the values of a configuration. Paths are absolute.
type Settings struct {
	HasExternals bool                     `json:"hasExternals"`
	Alias        map[string]string        `json:"alias"`    // as config.Substitutions has them
	Fallback     map[string]string        `json:"fallback"` // in the place of modules that are not found, as in Alias
	Define       map[string]string        `json:"define"`   // expressions
	Inject       map[string]config.Export `json:"inject"`
	Copies       []Copy                   `json:"copies"`
	Styles       []Style                  `json:"styles"`
	Extensions   []string                 `json:"extensions"` // of files that imports name without
	Modules      []string                 `json:"modules"`    // directories with modules, besides node_modules
	MainFields   []string                 `json:"mainFields"`
	Conditions   []string                 `json:"conditions"` // of "exports" in package.json, besides the usual ones

	// CompilerOptions are those of tsconfig.json with which it says what the compiler of the repository does, and
	// IsTypeScript reports that this is TypeScript, which reads the others. HasTypes reports that .js files may have types, too.
	CompilerOptions map[string]any `json:"compilerOptions,omitempty"`
	IsTypeScript    bool           `json:"isTypeScript"`
	HasTypes        bool           `json:"hasTypes"`

	IsExact         bool `json:"isExact"`         // what stands for a module depends on its name alone
	HasRelative     bool `json:"hasRelative"`     // something may stand for a file
	HasRules        bool `json:"hasRules"`        // Loader may return something
	HasOther        bool `json:"hasOther"`        // also for code
	HasPostCSS      bool `json:"hasPostCSS"`      // style sheets go through plugins of PostCSS
	HasReplacements bool `json:"hasReplacements"` // Replace may return something else
}

// Style is a style sheet that is an entry of its own.
type Style struct {
	File   string `json:"file"`
	Output string `json:"output"` // relative to dist
	What   string `json:"what"`   // the name of the entry
}

// Message is about a place in a configuration, or in another source file.
type Message struct {
	File   string // relative to the root, slash-separated; "" if the message has no position
	Line   int    // from 1
	Column int    // from 1, in bytes
	Source string // the line
	Length int    // bytes of Source that the message is about
	Text   string
	Help   string // what to do; may be empty
}

// String returns "file:line:column: text".
func (m Message) String() string {
	if m.File == "" {
		return m.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Text)
}

// WithHelp returns the message, and the help in a second line.
func (m Message) WithHelp() string {
	if m.Help == "" {
		return m.String()
	}
	return m.String() + "\n  help: " + m.Help
}

// Error is the reason why a configuration cannot be evaluated.
type Error struct{ Message }

// Error returns "file:line: text".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// OwnBundler is the help about what only the repository's own bundler does.
const OwnBundler = `build the frontend with the repository's own bundler: set "frontend: {command: npm run build}" in slipway.yaml`

// named finds the configuration that a script of package.json passes to the bundler.
var named = regexp.MustCompile(`\b(?:webpack|rspack)\b[^&|;]*?\s(?:-c|--config)[ =]['"]?([^\s'"&|;]+)`)

// find returns the name of the configuration that the script "build" of package.json uses, or the first of the names
// that configurations have.
func find(root string) string {
	isFile := func(name string) bool {
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		return err == nil && info.Mode().IsRegular()
	}
	_, build := buildScripts(root)
	if m := named.FindStringSubmatch(build); m != nil {
		if name := filepath.ToSlash(filepath.Clean(m[1])); filepath.IsLocal(name) && isFile(name) {
			return name
		}
	}
	var names []string
	for _, base := range []string{
		"webpack.config", "rspack.config", ".config/webpack/webpack.config", ".config/rspack/rspack.config",
		".config/bundler/webpack.config", ".config/bundler/rspack.config", ".config/bundler/externals",
	} {
		for _, extension := range []string{".ts", ".js", ".mjs", ".cjs", ".mts", ".cts"} {
			if isFile(base + extension) {
				names = append(names, base+extension)
			}
		}
	}
	if strings.Contains(build, "rspack") {
		slices.SortStableFunc(names, func(a, b string) int {
			return strings.Count(b, "rspack") - strings.Count(a, "rspack")
		})
	}
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// buildScripts returns package.json, and its script "build" with those that it runs, in lines. Both are empty without one.
func buildScripts(root string) (text []byte, all string) {
	text, _ = limit.ReadSettings(filepath.Join(root, "package.json"))
	var about struct{ Scripts map[string]string }
	_ = json.Unmarshal(text, &about)
	all = about.Scripts["build"]
	for _, name := range slices.Sorted(maps.Keys(about.Scripts)) {
		runs := regexp.MustCompile(`\b(?:run|run-s|run-p|npm|yarn|pnpm)\b.*[\s"']` + regexp.QuoteMeta(name) + `(?:$|[\s"'&|;])`)
		if name != "build" && runs.MatchString(about.Scripts["build"]) {
			all += "\n" + about.Scripts[name]
		}
	}
	return text, all
}

var (
	// others matches a bundler, or a script that is named after one, as the command of a script of package.json.
	others = regexp.MustCompile(`(?:^|["'&|;\n])\s*(?:(?:cross-env|npx|npm|yarn|pnpm|exec|dlx|node|bun|bunx|-\S+|\w+=\S+)\s+)*(?:\S*/)?` +
		`(vite|rollup|rolldown|rsbuild|parcel|tsup|tsdown|esbuild|gulp|grunt|browserify|brunch|bun build|ng build)(?:[\w.-]*\.[cm]?[jt]s)?(?:["'&|;\s]|$)`)
	packs    = regexp.MustCompile(`webpack|rspack|grafana-toolkit`)
	buildKey = regexp.MustCompile(`"build"\s*:\s*"`)
)

// otherBundler returns a message if the script "build" of package.json runs a bundler whose configuration is not
// read, or was not found: file is the one that was.
func otherBundler(root, file string) []Message {
	text, all := buildScripts(root)
	at, problem, pack := buildKey.FindIndex(text), "", packs.FindString(all)
	if other := others.FindStringSubmatch(all); other != nil && pack == "" {
		problem = fmt.Sprintf("the script runs %s, but builds do not read its configuration", other[1])
	} else if pack != "" && pack != "grafana-toolkit" && file == "" {
		problem = fmt.Sprintf("the script runs %s, but its configuration was not found", pack)
	}
	if problem == "" || at == nil {
		return nil
	}
	start := bytes.LastIndexByte(text[:at[0]], '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	return []Message{{
		File: "package.json", Line: bytes.Count(text[:start], []byte("\n")) + 1, Column: at[0] - start + 1, Source: string(line), Length: len(`"build"`),
		Text: problem, Help: OwnBundler,
	}}
}

// IsCurrent reports whether Evaluate would read the same files.
func (c *Config) IsCurrent() bool {
	if find(c.root) != c.File {
		return false
	}
	if c.e == nil {
		return true
	}
	if !slices.Equal(compilers(c.root), c.e.compilers) {
		return false
	}
	for name, sum := range c.e.sums {
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.root, filepath.FromSlash(name))
		}
		text, err := os.ReadFile(name)
		if err != nil || sha256.Sum256(text) != sum {
			return false
		}
	}
	return true
}

// External returns what an import stands for outside of the bundle: the kind, such as amd or window, and the
// name. Both are "" for a module of the bundle.
func (c *Config) External(ctx context.Context, request, dir, importer string) (kind, name string, err error) {
	if !c.HasExternals || !c.HasRelative && (strings.HasPrefix(request, ".") || filepath.IsAbs(request)) {
		return "", "", nil
	}
	key := request
	if !c.IsExact {
		key += "\x00" + dir
	}
	found, err := c.call(ctx, "external", key, request, dir, importer)
	kind, name, _ = strings.Cut(found, " ")
	return kind, name, err
}

// Loader returns how a file is loaded: "" as usual, a kind of slipway.yaml, "inline n" for a URL with the contents
// of files of up to n bytes (-1 for all), or "! " and what builds do not run.
func (c *Config) Loader(ctx context.Context, file, query, importer string) (string, error) {
	if !c.HasRules {
		return "", nil
	}
	return c.call(ctx, "loader", file+query+"\x00"+importer, file, query, importer)
}

// Replace returns what is imported instead of a request, or "" if nothing is.
func (c *Config) Replace(ctx context.Context, request, dir, importer string) (string, error) {
	if !c.HasReplacements {
		return request, nil
	}
	return c.call(ctx, "replace", request+"\x00"+importer, request, dir, importer)
}

// Resource returns the file that is loaded instead of another one.
func (c *Config) Resource(ctx context.Context, file, request, dir string) (string, error) {
	instead, err := c.call(ctx, "resource", file, file, request, dir)
	return filepath.FromSlash(instead), err
}

// call calls a function of settings.js, which returns a string, or returns what it returned for the key. Paths are
// given with slashes.
func (c *Config) call(ctx context.Context, function, key string, arguments ...string) (result string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key = function + "\x00" + key
	if result, ok := c.known[key]; ok || c.e.dead != nil {
		return result, c.e.dead
	}
	err = c.e.run(ctx, func() error {
		values := make([]goja.Value, len(arguments))
		for i, a := range arguments {
			values[i] = c.e.vm.ToValue(filepath.ToSlash(a))
		}
		value, err := c.e.call(c.e.calls[function], values...)
		if err == nil {
			result = value.String()
		}
		return err
	})
	if err == nil {
		c.known[key] = result
	}
	return result, err
}
