package bundlerconfig

import (
	"crypto/sha256"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate/script"
)

// loadName is the function of modules.js that returns a package.
const loadName = "__load_package__"

// packageNamespace has the modules that modules.js provides.
const packageNamespace = "package"

// bundle makes one script of a configuration and the files that it imports.
type bundle struct {
	root, file string
	compilers  []string
	check      func(file string) error

	mu    sync.Mutex
	texts map[string][]byte            // of the code of the repository, by name as in Config.Read
	sums  map[string][sha256.Size]byte // of all files, by these names
}

// isTool matches the packages that are never run: what they do is known by their name, or not read.
var isTool = regexp.MustCompile(`webpack|rspack|plugin$|-loader$|-loader/|^(@babel|@swc|@types|@svgr)/|` +
	`^(typescript|esbuild|sass|glob|fast-glob|globby|tinyglobby|terser|autoprefixer|tailwindcss|eslint)\b|^postcss`)

// compilers returns the names of the configurations of swc and Babel in a repository.
func compilers(root string) []string {
	names, _ := glob(root, "{.swcrc,.babelrc*,babel.config.*}", true, false) // the pattern is valid
	return names
}

// isData matches those that are JSON, with comments and more. As an expression of JavaScript, they mean the same.
var isData = regexp.MustCompile(`^(\.swcrc|\.babelrc|\.babelrc\.json|babel\.config\.json)$`)

// build returns the script: an async function of module, exports and one that gets the exports of the configuration, and
// functions which return those of compilers.
func (b *bundle) build() (string, error) {
	entry := "import * as config from " + quote("./"+b.file) + ";__done__(config,{"
	for _, name := range b.compilers {
		entry += quote(name) + ":()=>require(" + quote("./"+name) + "),"
	}
	built := api.Build(api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: entry + "})", ResolveDir: b.root, Sourcefile: "entry"},
		AbsWorkingDir: b.root,
		TsconfigRaw:   "{}",
		Outfile:       filepath.Join(b.root, bundleName), // not written; the source map is relative to it
		Bundle:        true,
		KeepNames:     true, // of plugins
		Format:        api.FormatESModule,
		Platform:      api.PlatformNeutral,
		MainFields:    []string{"module", "main"},
		Conditions:    []string{"node"},
		Target:        api.ES2017,
		Supported: map[string]bool{
			"top-level-await": true, "object-rest-spread": true, "optional-chain": true, "nullish-coalescing": true, "dynamic-import": true,
		},
		Define: map[string]string{
			"__dirname": "__config_dir__", "__filename": "__config_file__", "import.meta.url": "__config_url__",
			"import.meta.dirname": "__config_dir__", "import.meta.filename": "__config_file__",
		},
		Banner:         map[string]string{"js": "(async(module,exports,__done__)=>{"},
		Footer:         map[string]string{"js": "})"},
		Sourcemap:      api.SourceMapInline,
		SourcesContent: api.SourcesContentExclude,
		Plugins:        []api.Plugin{{Name: "config", Setup: b.setup}},
		LogLevel:       api.LogLevelSilent,
	})
	if len(built.Errors) > 0 {
		m := Message{File: b.file, Line: 1, Column: 1, Text: built.Errors[0].Text}
		if l := built.Errors[0].Location; l != nil {
			m.File, m.Line, m.Column = filepath.ToSlash(l.File), l.Line, l.Column+1
		}
		return "", b.refused(m)
	}
	return string(built.OutputFiles[0].Contents), nil
}

// alone marks a resolution that we ask esbuild for.
type alone struct{}

func (b *bundle) setup(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: `^[^./]`}, func(in api.OnResolveArgs) (api.OnResolveResult, error) {
		if _, again := in.PluginData.(alone); again || in.Namespace == packageNamespace || filepath.IsAbs(in.Path) {
			return api.OnResolveResult{}, nil
		}
		contents := "module.exports=" + loadName + "(" + quote(in.Path) + ")"
		if in.Path == "webpack-merge" || !isTool.MatchString(in.Path) && !IsNode(strings.TrimPrefix(in.Path, "node:")) {
			found := build.Resolve(in.Path, api.ResolveOptions{Importer: in.Importer, ResolveDir: in.ResolveDir, Kind: in.Kind, PluginData: alone{}})
			has := len(found.Errors) == 0 && !tree.InLaidOut(found.Path) // the repository
			if has && strings.Contains(filepath.ToSlash(in.Importer), "/node_modules/") {
				return api.OnResolveResult{}, nil
			}
			if has {
				contents = "module.exports=" + loadName + "(" + quote(in.Path) + ",()=>require(" + quote(in.Path) + "))"
			}
		}
		loaded := api.OnLoadResult{Contents: &contents, ResolveDir: in.ResolveDir}
		return api.OnResolveResult{Path: in.Path, Namespace: packageNamespace, PluginData: loaded}, nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: packageNamespace}, func(in api.OnLoadArgs) (api.OnLoadResult, error) {
		return in.PluginData.(api.OnLoadResult), nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: `.*`}, b.load)
}

// load adds what a file may know of itself.
func (b *bundle) load(in api.OnLoadArgs) (api.OnLoadResult, error) {
	if err := b.check(in.Path); err != nil {
		return api.OnLoadResult{}, err
	}
	text, err := os.ReadFile(in.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	name := b.note(in.Path, text)
	extension := filepath.Ext(in.Path)
	if extension == ".json" && !isData.MatchString(name) || strings.Contains(filepath.ToSlash(in.Path), "/node_modules/") {
		return api.OnLoadResult{}, nil
	}
	b.mu.Lock()
	b.texts[name] = text
	b.mu.Unlock()
	contents := b.prefix(name) + string(text)
	out := api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS, ResolveDir: filepath.Dir(in.Path)}
	if strings.HasSuffix(extension, "ts") {
		out.Loader = api.LoaderTS
	}
	return out, nil
}

// note notes a file that was read, and returns its name.
func (b *bundle) note(file string, text []byte) string {
	name := file
	if rel, err := filepath.Rel(b.root, file); err == nil {
		name = rel
	}
	name = filepath.ToSlash(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sums[name] = sha256.Sum256(text)
	return name
}

// prefix returns what the first line of a file begins with: where the file is.
func (b *bundle) prefix(name string) string {
	file := filepath.ToSlash(filepath.Join(b.root, filepath.FromSlash(name)))
	text := "var __config_dir__=" + quote(path.Dir(file)) + ",__config_file__=" + quote(file) + ",__config_url__=" + quote("file://"+file) + ";"
	if isData.MatchString(name) {
		text += "module.exports="
	}
	return text
}

// refused returns the error at a place in the script.
func (b *bundle) refused(m Message) error {
	if m.Line == 1 {
		m.Column = max(m.Column-len(b.prefix(m.File)), 1)
	}
	if lines := strings.Split(string(b.texts[m.File]), "\n"); m.Line <= len(lines) {
		m.Source = lines[m.Line-1]
	}
	m.Text = "cannot evaluate the configuration of the bundler: " + strings.ReplaceAll(strings.TrimPrefix(m.Text, "Error: "), mark, "")
	m.Help = OwnBundler
	return &Error{m}
}

// find returns the place of a name or of a part of a string: in a file, or if that is "", in the configuration if it has it, or in
// one of the files that it imports, first in those that create-plugin did not write.
func (b *bundle) find(what, file string) Message {
	rank := func(name string) string {
		return strings.Repeat("~", strings.Count(name, ".config/")) + name
	}
	files := slices.SortedFunc(maps.Keys(b.texts), func(x, y string) int { return strings.Compare(rank(x), rank(y)) })
	files = slices.DeleteFunc(files, func(name string) bool { return slices.Contains(b.compilers, name) })
	all := append([]string{b.file}, files...)
	if file != "" {
		all = []string{file}
	}
	for _, name := range all {
		f, err := script.Parse(name, b.texts[name])
		if err != nil || what == "" {
			continue
		}
		for _, t := range f.Tokens {
			text := string(f.Data[t.From:t.To])
			at := strings.Index(text, what)
			if at < 0 || t.Kind == script.Punct || t.Kind == script.Name && text != what {
				continue
			}
			before := string(f.Data[:t.From+at])
			line := strings.Count(before, "\n")
			return Message{
				File: name, Line: line + 1, Column: len(before) - strings.LastIndexByte(before, '\n'), Length: len(what),
				Source: strings.Split(string(f.Data), "\n")[line],
			}
		}
	}
	source, _, _ := strings.Cut(string(b.texts[all[0]]), "\n")
	return Message{File: all[0], Line: 1, Column: 1, Source: source}
}
