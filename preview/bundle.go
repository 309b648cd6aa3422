package preview

import (
	"context"
	"crypto/sha256"
	_ "embed" // bundle.go
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/frontend"
)

// BundleOptions configure Bundle.
type BundleOptions struct {
	Libraries Libraries
	Page      fs.FS  // with page.ts and beside.ts; nil is the page of this program
	CacheDir  string // of Slipway, absolute
}

// Page is a bundled page. What it imports and the libraries do not have is empty.
type Page struct {
	Libraries Libraries
	Dir       string // of the files, absolute
}

const pageEntry = "page.ts"

// bundler is this file: pages are bundled again when it changes, as when they change themselves.
//
//go:embed bundle.go
var bundler string

// Bundle returns the page for some libraries. It is bundled once for each set of versions.
func Bundle(ctx context.Context, o BundleOptions) (*Page, error) {
	if o.Page == nil {
		o.Page = pageSource()
	}
	p := &Page{Libraries: o.Libraries}
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	p.Dir = filepath.Join(o.CacheDir, "preview", "page-"+key)
	if exists(p.Dir) {
		now := time.Now()
		_ = os.Chtimes(p.Dir, now, now) // else, it is bundled again in a month
		return p, nil
	}
	b, err := build(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("bundle the preview with %s: %w", o.Libraries, err)
	}
	return p, appear(p.Dir, func(dir string) error {
		for name, text := range b.files {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// Imported returns the directories of the packages in the page, relative to that of the libraries, for a lock.
func Imported(ctx context.Context, l Libraries) ([]string, error) {
	b, err := build(ctx, BundleOptions{Libraries: l, Page: pageSource()})
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, input := range b.inputs {
		if i := strings.LastIndex("/"+input, "/node_modules/"); i >= 0 {
			i += len("node_modules/")
			found[input[:i]+frontend.PackageName(input[i:])] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

type made struct {
	files  map[string][]byte
	inputs []string // slash-separated, relative to the directory of the libraries
}

// key identifies the page and what it imports, by the records of package managers, which they change with a package.
func (o BundleOptions) key() (string, error) {
	sum := sha256.New()
	settings := settings(o)
	settings.AbsWorkingDir, settings.Outdir = "", ""
	fmt.Fprintf(sum, "%s%s %s\n%+v\n", bundler, o.Libraries, filepath.Base(o.Libraries.Extra), settings)
	err := fs.WalkDir(o.Page, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(o.Page, name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		return err
	})
	modules := modulesWith(o.Libraries.Dir, "@grafana/ui")
	for _, name := range []string{".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"} {
		text, _ := os.ReadFile(filepath.Join(modules, name)) // each is of one package manager
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	if o.Libraries.Lock != nil {
		sum.Write(o.Libraries.Lock.text)
	} else {
		fmt.Fprintln(sum, o.Libraries.Dir) // another repository may have patched its packages
	}
	return hex.EncodeToString(sum.Sum(nil)[:10]), err
}

// build runs esbuild for the page and for the workers of Monaco, which are scripts of their own.
func build(ctx context.Context, o BundleOptions) (*made, error) {
	r := &resolver{source: o.Page, dir: o.Libraries.Dir, extra: o.Libraries.Extra, found: map[string]api.ResolveResult{}}
	page := settings(o)
	page.EntryPointsAdvanced = []api.EntryPoint{{InputPath: pageEntry, OutputPath: "page"}, {InputPath: "beside.ts", OutputPath: "beside"}}
	page.Format, page.Splitting, page.ChunkNames = api.FormatESModule, true, "chunk-[hash]"
	page.Plugins = []api.Plugin{{Name: "page", Setup: r.setup}}
	all := []api.BuildOptions{page}
	if monaco := packageDir(packageDir(o.Libraries.Dir, "@grafana/ui"), "monaco-editor"); monaco != "" {
		workers := settings(o)
		workers.Format, workers.MinifyIdentifiers = api.FormatIIFE, true
		for name, file := range map[string]string{"editor": "editor/editor", "json": "language/json/json", "ts": "language/typescript/ts",
			"css": "language/css/css", "html": "language/html/html"} {
			input := filepath.Join(monaco, "esm", "vs", filepath.FromSlash(file)+".worker.js")
			workers.EntryPointsAdvanced = append(workers.EntryPointsAdvanced, api.EntryPoint{InputPath: input, OutputPath: name + ".worker"})
		}
		all = append(all, workers)
	}
	out := &made{files: map[string][]byte{}}
	for _, options := range all {
		session, contextErr := api.Context(options)
		if contextErr != nil {
			return nil, contextErr
		}
		stop := context.AfterFunc(ctx, session.Cancel)
		built := session.Rebuild()
		stop()
		session.Dispose()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if n := len(built.Errors); n > 0 {
			texts := api.FormatMessages(built.Errors[:min(n, 3)], api.FormatMessagesOptions{})
			return nil, errors.New(strings.TrimSpace(strings.Join(texts, "")))
		}
		for _, f := range built.OutputFiles {
			out.files[filepath.Base(f.Path)] = f.Contents
		}
		var meta struct{ Inputs map[string]struct{} }
		if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
			return nil, err
		}
		out.inputs = slices.AppendSeq(out.inputs, maps.Keys(meta.Inputs))
	}
	return out, nil
}

// settings are those of development, in which React says what is wrong.
func settings(o BundleOptions) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir: o.Libraries.Dir, Outdir: o.Libraries.Dir, Bundle: true, Metafile: true,
		Platform: api.PlatformBrowser, Target: api.ES2022, JSX: api.JSXAutomatic, TsconfigRaw: "{}",
		MainFields: []string{"browser", "module", "main"},
		Define:     map[string]string{"process.env.NODE_ENV": `"development"`, "global": "globalThis"},
		Loader: map[string]api.Loader{".ttf": api.LoaderDataURL, ".woff": api.LoaderDataURL, ".woff2": api.LoaderDataURL,
			".svg": api.LoaderDataURL, ".png": api.LoaderDataURL, ".gif": api.LoaderDataURL},
		// Names stay, since people read them.
		MinifyWhitespace: true, MinifySyntax: true,
		LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
	}
}

// resolver finds the modules of the page in its source and in the libraries.
type resolver struct {
	source fs.FS
	dir    string // of the libraries
	extra  string // as in Libraries

	mu    sync.Mutex // esbuild resolves in parallel
	found map[string]api.ResolveResult
}

const (
	pageNamespace  = "page"
	emptyNamespace = "missing"
	// insidePrefix begins imports of files that a package does not export, as in @inside/@grafana/runtime/dist/esm/x.mjs.
	insidePrefix = "@inside/"
)

// defaultOnly matches CommonJS modules whose default export the libraries import from .mjs files. There,
// a default import is module.exports, as in Node.js; the host is built from other sources.
const defaultOnly = `node_modules[/\\](react-custom-scrollbars-2|calculate-size|react-use)[/\\]lib[/\\][^/\\]*\.js$`

// ours marks a resolution that we ask esbuild for.
type ours struct{}

func (r *resolver) setup(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(in api.OnResolveArgs) (api.OnResolveResult, error) {
		_, isOurs := in.PluginData.(ours)
		switch {
		case isOurs:
			return api.OnResolveResult{}, nil
		case in.Kind == api.ResolveEntryPoint:
			return api.OnResolveResult{Path: in.Path, Namespace: pageNamespace}, nil
		case in.Kind == api.ResolveCSSURLToken && strings.Contains(in.Path, "/fontawesome-webfont.") && !strings.Contains(in.Path, ".woff2"):
			return api.OnResolveResult{Path: in.Path, External: true}, nil // the same font for browsers that do not know woff2
		case in.Namespace == pageNamespace && strings.HasPrefix(in.Path, "."):
			return r.local(path.Join(path.Dir(in.Importer), in.Path))
		case in.Namespace == pageNamespace:
			return r.library(build, in)
		case isReact(in.Path): // one instance, even if packages nest others
			return r.library(build, in)
		}
		return api.OnResolveResult{}, nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: pageNamespace}, func(in api.OnLoadArgs) (api.OnLoadResult, error) {
		text, err := fs.ReadFile(r.source, in.Path)
		loader := map[string]api.Loader{".ts": api.LoaderTS, ".tsx": api.LoaderTSX, ".css": api.LoaderCSS}[path.Ext(in.Path)]
		return api.OnLoadResult{Contents: new(string(text)), Loader: loader, ResolveDir: r.dir}, err
	})
	build.OnLoad(api.OnLoadOptions{Filter: defaultOnly}, func(in api.OnLoadArgs) (api.OnLoadResult, error) {
		text, err := os.ReadFile(in.Path)
		contents := string(text) + "\nif (typeof exports.default === 'function') module.exports = Object.assign(exports.default, exports);"
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, err
	})
	build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: emptyNamespace}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
		return api.OnLoadResult{Contents: new("module.exports = {}"), Loader: api.LoaderJS}, nil
	})
}

func isReact(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return first == "react" || first == "react-dom"
}

// local resolves a file of the page.
func (r *resolver) local(name string) (api.OnResolveResult, error) {
	for _, candidate := range []string{name, name + ".ts", name + ".tsx", name + "/index.ts", name + "/index.tsx"} {
		if info, err := fs.Stat(r.source, candidate); err == nil && !info.IsDir() {
			return api.OnResolveResult{Path: candidate, Namespace: pageNamespace}, nil
		}
	}
	return api.OnResolveResult{}, fmt.Errorf("the page has no file %s", name)
}

// library resolves a package that the page imports, as the packages of Grafana would: a repository
// may have another version of react-router-dom, for example. What no package has is empty.
func (r *resolver) library(build api.PluginBuild, in api.OnResolveArgs) (api.OnResolveResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.found[in.Path]
	if !ok {
		if found, ok = r.find(build, in); !ok {
			// Not with the extension of an ES module, which it is not.
			found = api.ResolveResult{Path: strings.TrimSuffix(in.Path, ".mjs"), Namespace: emptyNamespace}
		}
		r.found[in.Path] = found
	}
	effects := api.SideEffectsTrue
	if !found.SideEffects && found.Namespace != emptyNamespace {
		effects = api.SideEffectsFalse
	}
	return api.OnResolveResult{Path: found.Path, Namespace: found.Namespace, SideEffects: effects}, nil
}

func (r *resolver) find(build api.PluginBuild, in api.OnResolveArgs) (found api.ResolveResult, ok bool) {
	if file, ok := strings.CutPrefix(in.Path, insidePrefix); ok {
		name := frontend.PackageName(file)
		full := filepath.Join(packageDir(r.dir, name), filepath.FromSlash(strings.TrimPrefix(file, name)))
		if _, err := os.Stat(full); err != nil || !filepath.IsAbs(full) {
			return found, false
		}
		return api.ResolveResult{Path: full, Namespace: "file", SideEffects: true}, true
	}
	var dirs []string
	for _, name := range []string{"@grafana/ui", "@grafana/runtime", "@grafana/data"} {
		dir := packageDir(r.dir, name)
		if !isReact(in.Path) && manifestIn(dir).Dependencies[frontend.PackageName(in.Path)] != "" {
			dirs = append(dirs, dir)
		}
	}
	// pnpm has what packages depend on in a directory of its own.
	dirs = append(dirs, r.dir, filepath.Join(modulesWith(r.dir, "@grafana/ui"), ".pnpm"))
	if r.extra != "" {
		dirs = append(dirs, r.extra)
	}
	for _, dir := range dirs {
		found = build.Resolve(in.Path, api.ResolveOptions{ResolveDir: dir, Kind: in.Kind, PluginData: ours{}})
		if len(found.Errors) == 0 {
			return found, true
		}
	}
	return found, false
}
