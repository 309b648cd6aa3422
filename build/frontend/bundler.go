package frontend

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/bundlerconfig"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
)

// bundler is one run of esbuild and what it leaves to us: modules that the host shares, packages outside the
// repository, and the URLs of assets and workers, which only the module knows.
type bundler struct {
	Options
	ctx      context.Context // of the one call of Bundle
	config   *bundlerconfig.Config
	isAlone  bool // a worker or a program of our own, which has no host
	replaced replacements

	confinement Confinement
	isAsync     bool           // the entry awaits at its top level
	compiler    map[string]any // see compilerOptions

	resolved sync.Map // api.ResolveResult by request
	browsers sync.Map // names that a package replaces, map[string]bool by its directory

	native map[string]string // see Session.native
	traits traits            // that the settings are for
	themed []theme           // that the settings are for

	mu       sync.Mutex        // esbuild resolves and loads in parallel
	seen     traits            // of the code
	themes   []theme           // that the code loads, in any order
	asked    map[string]bool   // shared libraries that some module imports
	assets   map[string][]byte // by path in dist
	licenses map[string][]byte // comments, by the output that they are of
	read     []string          // files that esbuild did not read itself, as in Result.Read
	texts    map[string]string // of the code of the repository, by absolute path

	// packages has, by name, the node_modules where packages of the lockfile were found, and whether as ES modules.
	packages map[string]map[string]bool
}

// traits of the code determine settings, but are known only once it is bundled.
type traits struct {
	isInjected bool // the host passes arguments by the names of parameters: it runs Angular
}

func newBundler(ctx context.Context, o Options, c *bundlerconfig.Config) *bundler {
	return &bundler{
		Options: o, ctx: ctx, config: c, replaced: replacementsOf(o, c), confinement: Confine(o.Root), compiler: compilerOptions(o.Root, c), asked: map[string]bool{},
		assets: map[string][]byte{}, licenses: map[string][]byte{}, texts: map[string]string{}, packages: map[string]map[string]bool{},
	}
}

// The suffixes that a repository can append to a path, and the one that we append for
// new URL(path, import.meta.url), where x is ./x if there is such a file.
const (
	rawSuffix    = "?raw"
	urlSuffix    = "?url"
	assetSuffix  = "?plugin-asset"
	styleSuffix  = "?plugin-style"  // of a file in a style sheet
	inlineSuffix = "?plugin-inline" // a URL with the contents
	jsonSuffix   = "?plugin-json"
)

// inlineLoaders matches webpack's way to say in an import how a file is loaded.
var inlineLoaders = regexp.MustCompile(`^(?:!!?|-!)?((?:[^!]+!)+)([^!]+)$`)

// nodeScheme begins the names of modules of Node.js where they cannot be those of packages.
const nodeScheme = "node:"

// legacyPrefix begins imports of Grafana's core, as old repositories have them. Hosts know the modules without it.
const legacyPrefix = "grafana/"

const (
	assetNamespace = "plugin-asset"
	// sharedNamespace holds the shared libraries of an asynchronous module. It is written as
	// an ES module, whose imports would end up outside of the function that AMD calls.
	sharedNamespace = "plugin-shared"
	globalNamespace = "plugin-global" // of expressions that the repository puts in the place of modules
	ignoreNamespace = "plugin-ignore" // of modules that IgnorePlugin removes: an import of them throws
	emptyNamespace  = "plugin-empty"  // of modules that the repository replaces by nothing
	injectNamespace = "plugin-inject" // of modules that export what a name stands for
	injectPrefix    = injectNamespace + ":"
)

func (b *bundler) plugin() api.Plugin {
	return api.Plugin{Name: "plugin", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(in api.OnResolveArgs) (api.OnResolveResult, error) {
			return b.resolve(build, in)
		})
		// esbuild asks one after the other until one has contents, and fails at the first error.
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(in api.OnLoadArgs) (api.OnLoadResult, error) {
			return api.OnLoadResult{}, b.confinement.Check(in.Path)
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: assetNamespace}, b.loadAsset)
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: injectNamespace}, b.loadInjected)
		for namespace, contents := range map[string]func(name string) string{
			emptyNamespace:  func(string) string { return "" },
			globalNamespace: func(expression string) string { return "module.exports=" + expression },
			sharedNamespace: func(name string) string { return "module.exports=" + requireName + "(" + quote(name) + ")" },
			ignoreNamespace: func(name string) string {
				return "throw Object.assign(new Error(" + quote("Cannot find module '"+name+"'") + "),{code:'MODULE_NOT_FOUND'})"
			},
		} {
			build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, func(in api.OnLoadArgs) (api.OnLoadResult, error) {
				return api.OnLoadResult{Contents: new(contents(in.Path)), Loader: api.LoaderJS}, nil
			})
		}
		build.OnLoad(api.OnLoadOptions{Filter: `\.[cm]?[jt]sx?$`}, b.loadCode)
		sheets := &sass{b: b, limits: sassLimits()}
		build.OnLoad(api.OnLoadOptions{Filter: `\.s[ac]ss$`}, sheets.load)
		build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, b.loadCSS)
		build.OnLoad(api.OnLoadOptions{Filter: `\.wasm$`}, b.loadWasm)
	}}
}

// alone marks a resolution that we ask esbuild for.
type alone struct{}

func (b *bundler) resolve(build api.PluginBuild, in api.OnResolveArgs) (api.OnResolveResult, error) {
	if name, ok := strings.CutPrefix(in.Path, injectPrefix); ok && in.Kind == api.ResolveEntryPoint {
		return api.OnResolveResult{Path: name, Namespace: injectNamespace, SideEffects: api.SideEffectsFalse}, nil
	}
	if in.Namespace == injectNamespace {
		in.Importer, in.Namespace = filepath.Join(b.Root, "package.json"), "file"
		found, err := b.resolveOther(build, in)
		found.SideEffects = api.SideEffectsFalse // it is left out if nothing uses the name
		return found, err
	}
	if _, again := in.PluginData.(alone); again || in.Kind == api.ResolveEntryPoint || in.Namespace != "file" {
		return api.OnResolveResult{}, nil
	}
	isStyle := in.Kind == api.ResolveCSSImportRule || in.Kind == api.ResolveCSSURLToken
	if file := filepath.Join(in.ResolveDir, in.Path); strings.HasPrefix(in.Path, ".") {
		found, err := b.located(file)
		switch {
		case err != nil:
			return api.OnResolveResult{Errors: failed(err, in.Path)}, nil
		case found != file && isStyle: // in which an absolute path is one of the host
			return resolution(b.find(build, in, found)), nil
		case found != file:
			in.Path = found
			return b.resolveOther(build, in)
		}
	}
	name := in.Path
	inline := inlineLoaders.FindStringSubmatch(name)
	if inline != nil {
		if suffix, ok := map[string]string{"raw-loader!": rawSuffix, "file-loader!": urlSuffix}[inline[1]]; ok {
			name, inline = inline[2]+suffix, nil
		}
	}
	if leaves(in, name) && !(in.Kind == api.ResolveCSSURLToken && strings.HasPrefix(name, "/")) {
		text := fmt.Sprintf("a package asks for %q, which is outside of it: a bundle contains only files of the repository and of its packages", name)
		return api.OnResolveResult{Errors: []api.Message{{Text: text}}}, nil
	}
	if !isStyle && b.config.HasReplacements && !b.isAlone && in.PluginData != (replaced{}) {
		if out, err := b.replaceRequest(build, in); out != nil || err != nil {
			return *cmp.Or(out, &api.OnResolveResult{}), err
		}
	}
	for _, suffix := range []string{rawSuffix, urlSuffix, assetSuffix} {
		if path, ok := strings.CutSuffix(name, suffix); ok && !isStyle {
			return b.suffixed(b.findAsset(build, in, path, suffix), suffix), nil
		}
	}
	if in.Kind == api.ResolveCSSURLToken && strings.HasPrefix(name, "/") { // of the host
		return api.OnResolveResult{Path: name, External: true}, nil
	}
	if isStyle {
		return b.resolveStyle(build, in), nil
	}
	if out, err := b.external(in, name); out != nil || err != nil {
		return *cmp.Or(out, &api.OnResolveResult{}), err
	}
	if inline != nil {
		text := fmt.Sprintf("the import goes through %s, which builds do not run", strings.TrimSuffix(inline[1], "!"))
		return api.OnResolveResult{Errors: []api.Message{{Text: text, Notes: []api.Note{{Text: ownBundler}}}}}, nil
	}
	if isWasmModule(in) {
		return resolution(b.findAsset(build, in, name, urlSuffix)), nil
	}
	if out, err := b.resolveAsset(build, in, name); out != nil || err != nil {
		return *cmp.Or(out, &api.OnResolveResult{}), err
	}
	if !isBare(name) && !strings.HasPrefix(name, nodeScheme) {
		return api.OnResolveResult{}, nil
	}
	if to, ok := instead(b.replaced.alias, name); ok {
		return b.replace(build, in, to)
	}
	if !isBare(name) {
		return api.OnResolveResult{}, nil
	}
	if !b.Dev && !b.IsDiscarded && isThere(in.ResolveDir, name, true) {
		return api.OnResolveResult{Errors: []api.Message{{Text: "node_modules was laid out for type checks, and would change how packages of the lockfile are bundled",
			Notes: []api.Note{{Text: "delete node_modules before a build for release"}}, Detail: missing{module: name}}}}, nil
	}
	if b.isInstalled(in, name) || b.isNative(in, PackageName(name)) {
		if local := b.resolution(build, in, in.ResolveDir, name); len(local.Errors) == 0 {
			return api.OnResolveResult{}, nil
		}
	}
	found, err := b.elsewhere(build, in, name)
	if err != nil {
		return api.OnResolveResult{Errors: failed(err, name)}, nil
	}
	if found != nil {
		return resolution(*found), nil
	}
	if to, ok := instead(b.replaced.fallback, name); ok {
		return b.replace(build, in, to)
	}
	// Without any, esbuild reports the error.
	return api.OnResolveResult{Errors: unknownInWasm(in)}, nil
}

// resolveOther resolves an import that esbuild does not have in this form.
func (b *bundler) resolveOther(build api.PluginBuild, in api.OnResolveArgs) (api.OnResolveResult, error) {
	found, err := b.resolve(build, in)
	if err == nil && found.Path == "" && len(found.Errors) == 0 {
		found = resolution(b.find(build, in, in.Path))
	}
	return found, err
}

// resolveStyle resolves what a style sheet refers to: a file of the repository or, perhaps after "~", of a package.
func (b *bundler) resolveStyle(build api.PluginBuild, in api.OnResolveArgs) api.OnResolveResult {
	name := strings.TrimPrefix(in.Path, "~")
	if strings.HasPrefix(name, "#") { // a part of an image, which esbuild leaves as it is
		return api.OnResolveResult{}
	}
	if base := path.Base(name); in.Kind == api.ResolveCSSURLToken && urlName(base) != base && !strings.Contains(name, ":") {
		found := b.find(build, in, name)
		if decoded, err := url.PathUnescape(name); err == nil && len(found.Errors) > 0 {
			found = b.find(build, in, decoded)
		}
		if base := filepath.Base(found.Path); len(found.Errors) == 0 && urlName(base) != base {
			return b.suffixed(found, styleSuffix)
		}
	}
	if !isBare(name) {
		return api.OnResolveResult{}
	}
	found := b.find(build, in, name)
	if len(found.Errors) > 0 && name == in.Path {
		return api.OnResolveResult{} // esbuild reports the error
	}
	return resolution(found)
}

// replace resolves the module that the repository puts in the place of another one.
func (b *bundler) replace(build api.PluginBuild, in api.OnResolveArgs, to string) (api.OnResolveResult, error) {
	if to == "" {
		return api.OnResolveResult{Path: in.Path, Namespace: emptyNamespace}, nil
	}
	return resolution(b.find(build, in, to)), nil
}

// located returns where a path of the repository is: packages of the lockfile may be in the cache.
func (b *bundler) located(file string) (string, error) {
	above, name, ok := strings.Cut(filepath.ToSlash(file), modulesDir)
	if !ok || b.Packages == nil || !isBelow(filepath.FromSlash(above), b.Root) {
		return file, nil
	}
	if _, err := os.Lstat(above + modulesDir + PackageName(name)); err == nil && !tree.IsLaidOut(above+modulesDir) {
		return file, nil
	}
	dir, ok, err := b.Packages.Dir(b.ctx, filepath.Join(b.Root, "package.json"), PackageName(name))
	if err != nil || !ok {
		return file, err
	}
	return filepath.Join(dir, "node_modules", filepath.FromSlash(name)), nil
}

// failed returns the error of an import whose package cannot be provided.
func failed(err error, module string) []api.Message {
	detail := missing{module: module}
	if shared, ok := errors.AsType[sharedError](err); ok {
		detail.shared, detail.help = shared.Shared()
	}
	return []api.Message{{Text: err.Error(), Detail: detail}}
}

// resolution turns what esbuild resolved into the result of a plugin.
func resolution(r api.ResolveResult) api.OnResolveResult {
	effects := api.SideEffectsFalse
	if r.SideEffects {
		effects = api.SideEffectsTrue
	}
	return api.OnResolveResult{Errors: r.Errors, Path: r.Path, Namespace: r.Namespace, External: r.External, Suffix: r.Suffix, PluginData: r.PluginData, SideEffects: effects}
}

// request is what a resolution depends on.
type request struct {
	dir, name string
	kind      api.ResolveKind
}

// ask returns what esbuild alone resolves a name to in a directory. For each such question, it
// reads all directories again. What is laid out for types is not bundled: it may be of an older lockfile.
func ask(build api.PluginBuild, in api.OnResolveArgs, dir, name string) api.ResolveResult {
	found := build.Resolve(name, api.ResolveOptions{Importer: in.Importer, Namespace: in.Namespace, ResolveDir: dir, Kind: in.Kind, PluginData: alone{}})
	if tree.InLaidOut(found.Path) {
		return api.ResolveResult{Errors: []api.Message{{Text: fmt.Sprintf("cannot find the package %q", PackageName(name))}}}
	}
	return found
}

// resolution returns what ask first returned for a package. After an error, esbuild looks in the repository again.
func (b *bundler) resolution(build api.PluginBuild, in api.OnResolveArgs, dir, name string) api.ResolveResult {
	key := request{dir, name, in.Kind}
	if found, ok := b.resolved.Load(key); ok {
		return found.(api.ResolveResult)
	}
	found := ask(build, in, dir, name)
	b.resolved.Store(key, found)
	return found
}

// isInstalled reports whether esbuild may find a module by itself. In a package, it cannot if no
// node_modules above has the module and the "browser" of package.json does not replace it.
func (b *bundler) isInstalled(in api.OnResolveArgs, name string) bool {
	before, inside, ok := strings.Cut(filepath.ToSlash(in.ResolveDir), "/node_modules/")
	if !ok {
		return true // tsconfig.json may name it
	}
	if isThere(in.ResolveDir, name, false) {
		return true
	}
	if i := strings.LastIndex(inside, "/node_modules/"); i >= 0 {
		before, inside = before+"/node_modules/"+inside[:i], inside[i+len("/node_modules/"):]
	}
	return b.browser(filepath.Join(filepath.FromSlash(before), "node_modules", PackageName(inside)))[name]
}

// isThere reports whether the package of a module is in a node_modules of a directory or above it: in one that is laid out for
// types, or in another one. esbuild finds both, and decides by their package.json what a default import is.
func isThere(dir, name string, isLaidOut bool) bool {
	for ; ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, "node_modules")
		if _, err := os.Stat(filepath.Join(modules, PackageName(name))); err == nil && tree.IsLaidOut(modules) == isLaidOut {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// browser returns the modules that a package replaces for browsers.
func (b *bundler) browser(dir string) map[string]bool {
	if names, ok := b.browsers.Load(dir); ok {
		return names.(map[string]bool)
	}
	names := map[string]bool{}
	var about struct{ Browser json.RawMessage }
	var replaced map[string]any
	text, err := limit.ReadSettings(filepath.Join(dir, "package.json"))
	if err == nil && json.Unmarshal(text, &about) == nil && json.Unmarshal(about.Browser, &replaced) == nil {
		for name := range replaced {
			names[name] = true
		}
	}
	b.browsers.Store(dir, names)
	return names
}

// elsewhere resolves the import of a package that esbuild does not find: by the names that webpack tries too, in
// node_modules and in the packages of the lockfile. It returns nil for none.
func (b *bundler) elsewhere(build api.PluginBuild, in api.OnResolveArgs, module string) (*api.ResolveResult, error) {
	names := []string{module}
	if polyfill, ok := polyfills()[module]; ok {
		names = append(names, polyfill)
	}
	if module != PackageName(module) {
		names = append(names, module+".js", module+".mjs", module+"/index.js")
	}
	lacks := false // the module, although the package is there
	for _, name := range names {
		if b.isInstalled(in, name) {
			if found := b.resolution(build, in, in.ResolveDir, name); len(found.Errors) == 0 {
				return &found, nil
			}
		}
		if isThere(in.ResolveDir, name, false) {
			lacks = true
			continue
		}
		if b.Packages == nil {
			continue
		}
		dir, ok, err := b.Packages.Dir(b.ctx, in.Importer, PackageName(name))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		// A package of the repository knows itself by name only if its package.json has "exports".
		for _, name := range []string{name, "." + strings.TrimPrefix(name, PackageName(name))} {
			if found := b.resolution(build, in, dir, name); len(found.Errors) == 0 {
				b.note(PackageName(module), dir, found.Path)
				return &found, nil
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil && name == names[len(names)-1] {
			return nil, fmt.Errorf("cannot find %q: it is in %s, but the file that its package.json names does not exist; build it first", module, b.shown(dir))
		}
		lacks = true
	}
	// A call of require may be in a try, of which only esbuild knows.
	if _, ok := b.replaced.fallback[module]; lacks && !ok && module != PackageName(module) && in.Kind == api.ResolveJSImportStatement {
		return nil, fmt.Errorf("cannot find %q: the package has no such file, or its package.json does not export it", module)
	}
	return nil, nil
}

// isNative reports whether esbuild resolves a package itself: the lockfile gives the importer that in NodePaths.
func (b *bundler) isNative(in api.OnResolveArgs, name string) bool {
	if b.native[name] == "" {
		return false
	}
	dir, ok, err := b.Packages.Dir(b.ctx, in.Importer, name)
	return err == nil && ok && filepath.Join(dir, "node_modules") == b.native[name]
}

// note remembers where a file of a package was found.
func (b *bundler) note(name, dir, file string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.packages[name] == nil {
		b.packages[name] = map[string]bool{}
	}
	dir = filepath.Join(dir, "node_modules")
	b.packages[name][dir] = b.packages[name][dir] || isModule(file)
}

// polyfills are the packages that stand in for modules of Node.js in a browser, where their
// names differ. They are used only if the repository has them, as for its own bundler.
func polyfills() map[string]string {
	return map[string]string{
		"constants": "constants-browserify", "crypto": "crypto-browserify", "http": "stream-http", "https": "https-browserify",
		"os": "os-browserify/browser", "path": "path-browserify", "querystring": "querystring-es3", "stream": "stream-browserify",
		"timers": "timers-browserify", "tty": "tty-browserify", "vm": "vm-browserify", "zlib": "browserify-zlib",
	}
}

// findAsset resolves the path of a file that is not a module.
func (b *bundler) findAsset(build api.PluginBuild, in api.OnResolveArgs, path, suffix string) api.ResolveResult {
	if suffix == assetSuffix && isBare(path) {
		if found := ask(build, in, in.ResolveDir, "./"+path); len(found.Errors) == 0 {
			return found
		}
	}
	if to, ok := instead(b.replaced.alias, path); ok && to != "" && isBare(path) {
		path = to
	}
	return b.find(build, in, path)
}

// find resolves the path of an import whose suffix we know.
func (b *bundler) find(build api.PluginBuild, in api.OnResolveArgs, path string) api.ResolveResult {
	path, err := b.located(path)
	if err != nil {
		return api.ResolveResult{Errors: failed(err, path)}
	}
	found := ask(build, in, in.ResolveDir, path)
	if len(found.Errors) > 0 && isBare(path) {
		elsewhere, err := b.elsewhere(build, in, path)
		if err != nil {
			found.Errors = failed(err, path)
		} else if elsewhere != nil {
			return *elsewhere
		}
	}
	return found
}

// shown is the name of a file in the bundle and its source map, wherever the repository and the packages are.
func (b *bundler) shown(file string) string {
	file = filepath.ToSlash(file)
	if i := strings.LastIndex(file, "/node_modules/"); i >= 0 {
		return file[i+1:]
	}
	if rel, err := filepath.Rel(b.Root, filepath.FromSlash(file)); err == nil {
		return filepath.ToSlash(rel)
	}
	return file
}

// relative returns a path relative to the repository if there is one.
func (b *bundler) relative(file string) string {
	if rel, err := filepath.Rel(b.Root, file); err == nil {
		return rel
	}
	return file
}

func (b *bundler) suffixed(found api.ResolveResult, suffix string) api.OnResolveResult {
	if len(found.Errors) > 0 {
		return api.OnResolveResult{Errors: found.Errors}
	}
	out := api.OnResolveResult{Path: b.shown(found.Path), Namespace: assetNamespace, Suffix: suffix, PluginData: asset{found.Path, suffix}}
	if suffix == styleSuffix { // esbuild makes the URL of path and suffix
		out.Path, out.Suffix = path.Dir(out.Path)+"/"+urlName(path.Base(out.Path)), ""
	}
	return out
}

// isBare reports whether an import names a package rather than a file.
func isBare(path string) bool {
	return !strings.HasPrefix(path, ".") && !filepath.IsAbs(path) && !strings.Contains(path, ":")
}

// PackageName returns the package of an import such as @a/b/c or a/b.
func PackageName(module string) string {
	parts := strings.SplitN(module, "/", 3)
	if strings.HasPrefix(module, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
