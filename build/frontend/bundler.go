package frontend

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundler is one run of esbuild and what it leaves to us: the modules that the host shares,
// packages outside the repository, and the URLs of assets and workers, which are known only
// when the module runs.
type bundler struct {
	Options
	ctx       context.Context // of the one call of Bundle
	libraries []library
	assets    map[string][]byte // by path in dist
}

// The suffixes that a repository can write behind a path, and the one that we write for
// new URL(path, import.meta.url).
const (
	rawSuffix   = "?raw"
	urlSuffix   = "?url"
	assetSuffix = "?plugin-asset"
)

// legacyPrefix begins the imports of Grafana's core that old repositories contain. The
// loader knows them without it.
const legacyPrefix = "grafana/"

const assetNamespace = "plugin-asset"

func (b *bundler) plugin() api.Plugin {
	return api.Plugin{Name: "plugin", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(in api.OnResolveArgs) (api.OnResolveResult, error) {
			return b.resolve(build, in)
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: assetNamespace}, b.loadAsset)
		build.OnLoad(api.OnLoadOptions{Filter: `\.[cm]?[jt]sx?$`}, b.loadCode)
	}}
}

// resolved marks a resolution that we asked for ourselves.
type resolved struct{}

func (b *bundler) resolve(build api.PluginBuild, in api.OnResolveArgs) (api.OnResolveResult, error) {
	if _, again := in.PluginData.(resolved); again || in.Kind == api.ResolveEntryPoint || in.Namespace != "file" {
		return api.OnResolveResult{}, nil
	}
	isStyle := in.Kind == api.ResolveCSSImportRule || in.Kind == api.ResolveCSSURLToken
	name := in.Path
	for _, suffix := range []string{rawSuffix, urlSuffix, assetSuffix} {
		if path, ok := strings.CutSuffix(name, suffix); ok && !isStyle {
			found := b.find(build, in, path)
			return b.suffixed(found, suffix), nil
		}
	}
	switch {
	case isStyle:
	case isShared(b.libraries, name):
		return api.OnResolveResult{Path: name, External: true}, nil
	case strings.HasPrefix(name, legacyPrefix):
		return api.OnResolveResult{Path: strings.TrimPrefix(name, legacyPrefix), External: true}, nil
	case slices.Contains(assetExtensions(), strings.ToLower(filepath.Ext(name))):
		return b.suffixed(b.find(build, in, name), urlSuffix), nil
	}
	if isBare(name) && b.Packages != nil {
		found := b.find(build, in, name)
		return api.OnResolveResult{Path: found.Path, Namespace: found.Namespace, External: found.External,
			Suffix: found.Suffix, Errors: found.Errors, SideEffects: sideEffects(found)}, nil
	}
	return api.OnResolveResult{}, nil
}

func sideEffects(r api.ResolveResult) api.SideEffects {
	if r.SideEffects {
		return api.SideEffectsTrue
	}
	return api.SideEffectsFalse
}

// find resolves a path as esbuild does, in node_modules if it is there and else in the
// packages of the lockfile.
func (b *bundler) find(build api.PluginBuild, in api.OnResolveArgs, path string) api.ResolveResult {
	options := api.ResolveOptions{Importer: in.Importer, Namespace: in.Namespace, ResolveDir: in.ResolveDir, Kind: in.Kind, PluginData: resolved{}}
	found := build.Resolve(path, options)
	if len(found.Errors) == 0 || !isBare(path) || b.Packages == nil {
		return found
	}
	dir, ok, err := b.Packages.Dir(b.ctx, in.Importer, packageName(path))
	if err != nil {
		found.Errors = []api.Message{{Text: err.Error()}}
	}
	if !ok || err != nil {
		return found
	}
	options.ResolveDir = dir
	return build.Resolve(path, options)
}

func (b *bundler) suffixed(found api.ResolveResult, suffix string) api.OnResolveResult {
	if len(found.Errors) > 0 {
		return api.OnResolveResult{Errors: found.Errors}
	}
	return api.OnResolveResult{Path: found.Path, Namespace: assetNamespace, PluginData: suffix}
}

// isBare reports whether an import names a package rather than a file.
func isBare(path string) bool {
	return !strings.HasPrefix(path, ".") && !filepath.IsAbs(path) && !strings.Contains(path, ":")
}

// loadAsset loads a file as text or as the URL it will have. Code becomes a worker, a
// program of its own.
func (b *bundler) loadAsset(in api.OnLoadArgs) (api.OnLoadResult, error) {
	text, err := os.ReadFile(in.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	if in.PluginData == rawSuffix {
		contents := string(text)
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderText}, nil
	}
	name := filepath.Base(in.Path)
	if isCode(name) && in.PluginData == assetSuffix {
		built := api.Build(b.workerSettings(in.Path))
		if len(built.Errors) > 0 {
			return api.OnLoadResult{Errors: built.Errors}, nil
		}
		text, name = built.OutputFiles[0].Contents, strings.TrimSuffix(name, filepath.Ext(name))+".js"
	}
	sum := sha256.Sum256(text)
	extension := filepath.Ext(name)
	name = strings.TrimSuffix(name, extension) + "-" + base32.StdEncoding.EncodeToString(sum[:5]) + extension
	b.assets[name] = text
	contents := "module.exports=" + baseName + "+" + quote(name)
	return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
}

// workerSettings are those of esbuild for a worker, which has no host to ask.
func (b *bundler) workerSettings(entry string) api.BuildOptions {
	worker := &bundler{Options: b.Options, ctx: b.ctx, assets: b.assets}
	o := worker.settings(entry)
	o.Format, o.Sourcemap, o.EntryNames = api.FormatIIFE, api.SourceMapNone, "[name]"
	o.Define[baseName] = `""`
	return o
}

func isCode(name string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts"}, filepath.Ext(name))
}

// assetURL is the standard way to name a file beside a module.
var assetURL = regexp.MustCompile("new\\s+URL\\(\\s*(?:/\\*[^*]*\\*/\\s*)?(['\"])([^'\"\\n]+)['\"]\\s*,\\s*import\\.meta\\.url\\s*\\)")

// loadCode turns new URL(path, import.meta.url) into the URL that the file will have. Line
// numbers stay as they are.
func (b *bundler) loadCode(in api.OnLoadArgs) (api.OnLoadResult, error) {
	if strings.Contains(filepath.ToSlash(in.Path), "/node_modules/") {
		return api.OnLoadResult{}, nil
	}
	text, err := os.ReadFile(in.Path)
	if err != nil || !assetURL.Match(text) {
		return api.OnLoadResult{}, err
	}
	contents := assetURL.ReplaceAllStringFunc(string(text), func(match string) string {
		path := assetURL.FindStringSubmatch(match)[2]
		return "new URL(require(" + quote(path+assetSuffix) + "),document.baseURI)" + strings.Repeat("\n", strings.Count(match, "\n"))
	})
	loader := map[string]api.Loader{".ts": api.LoaderTS, ".tsx": api.LoaderTSX, ".mts": api.LoaderTS}[filepath.Ext(in.Path)]
	if loader == api.LoaderNone {
		loader = api.LoaderJSX
	}
	return api.OnLoadResult{Contents: &contents, Loader: loader, ResolveDir: filepath.Dir(in.Path)}, nil
}

var (
	unresolved = regexp.MustCompile(`^could not resolve "([^"]+)"`)
	noLoader   = regexp.MustCompile(`^no loader is configured for "([^"]+)" files: (.+)$`)
)

// explain says what to do about the errors that repositories meet most.
func (b *bundler) explain(text, help string) (string, string) {
	if m := unresolved.FindStringSubmatch(text); m != nil {
		if !isBare(m[1]) {
			return fmt.Sprintf("cannot find %q", m[1]), "check the path and the case of its letters"
		}
		name := packageName(m[1])
		return fmt.Sprintf("cannot find the package %q", name), fmt.Sprintf("install the packages of package.json; if %q is not among them, add it: npm install %s", name, name)
	}
	if m := noLoader.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("no loader for %s files", m[1]), "import it as text with ?raw or as a URL with ?url, or build the frontend with the repository's own bundler"
	}
	return text, help
}

// packageName returns the package of an import such as @a/b/c or a/b.
func packageName(module string) string {
	parts := strings.SplitN(module, "/", 3)
	if strings.HasPrefix(module, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
