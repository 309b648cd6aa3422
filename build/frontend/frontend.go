// Package frontend bundles the frontend of a plugin, TypeScript or JavaScript, into
// module.js, the AMD module that hosts load. Its exports are those of src/module.ts: for an
// app, plugin, which is an AppPlugin. Package extensions finds what the app registers.
//
// It needs no Node.js. It owns the list of libraries that hosts share with plugins and the
// shape of module.js. It writes no files, runs no scripts of the repository and downloads
// nothing itself: packages that are not on disk come from Options.Packages.
package frontend

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/bundlerconfig"
	"github.com/slipway-dev/slipway/bundle/config"
)

// Options describe one frontend.
type Options struct {
	Root     string // of the plugin repository, absolute
	Source   string // directory of the plugin's plugin.json, absolute
	PluginID string
	Dev      bool // keep names and line breaks
	Refresh  bool // register components with React Fast Refresh, if the page has it
	// IsDiscarded says that the bundle shows only which packages it needs.
	IsDiscarded bool
	// MapID and MapDir are the id and the source directory of the plugin that contains this one, for
	// the names in the source map, or "".
	MapID, MapDir string
	// Packages provides what is not in a node_modules; nil provides nothing.
	Packages Packages

	Substitutions config.Substitutions // over those of the configuration of the repository's bundler
}

// Packages provides packages in the versions of the lockfile of a repository.
type Packages interface {
	// Dir returns a directory whose node_modules has the package that an import in a file refers to, or that of a package
	// of the repository; ok reports whether it was found.
	Dir(ctx context.Context, importer, name string) (dir string, ok bool, err error)
}

// Result is a bundle.
type Result struct {
	Files    []File    // module.js, its source map and what it loads, sorted by path
	Shared   []string  // the libraries that module.js asks the host for, sorted
	Exports  []string  // the names that module.js exports, or nil if they are known only when it runs
	OnDemand int       // bytes of module.js that only import() asks for
	Read     []string  // the files that were read, relative to Root or absolute, sorted
	Warnings []Message // of the bundler
}

// File is an output, relative to the directory of plugin.json in dist.
type File struct {
	Path     string // slash-separated
	Contents []byte
}

// Message is an error or a warning at a place in a source file.
type Message = bundlerconfig.Message

// Error is everything that keeps a frontend from being bundled.
type Error struct {
	Messages []Message
	// IsConfig reports that the messages are about tsconfig.json, without which missing packages say nothing.
	IsConfig bool
}

// Error returns the messages, one per line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Messages))
	for i, m := range e.Messages {
		lines[i] = m.WithHelp()
	}
	return strings.Join(lines, "\n")
}

// entries are the names that an entry can have, in order of preference.
func entries() []string { return []string{"module.ts", "module.tsx", "module.js", "module.jsx"} }

// Entry returns the entry of the frontend in a directory, or "" if there is none.
func Entry(source string) string {
	for _, name := range entries() {
		if info, err := os.Stat(filepath.Join(source, name)); err == nil && info.Mode().IsRegular() {
			return filepath.Join(source, name)
		}
	}
	return ""
}

// result turns what esbuild wrote into a bundle.
func (b *bundler) result(built api.BuildResult) (*Result, error) {
	var meta metafile
	if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
		return nil, fmt.Errorf("read the bundler's report: %w", err)
	}
	if wrong := b.requiredWasm(meta); wrong != nil {
		return nil, &Error{Messages: Messages(b.Root, wrong)}
	}
	if err := b.addCopies(); err != nil {
		return nil, err
	}
	r := &Result{Warnings: append(Messages(b.Root, built.Warnings), b.config.Unread...), Read: b.files(meta)}
	var code, sourceMap, css []byte
	for _, f := range b.takeLicenses("", built.OutputFiles) {
		switch name := filepath.Base(f.Path); name {
		case "module.js":
			code = f.Contents
		case "module.js.map":
			sourceMap = f.Contents
		case "module.css":
			css = f.Contents
		default:
			if !strings.HasSuffix(name, ".css.map") { // styles have no source maps
				b.assets[name] = f.Contents
			}
		}
	}
	for i, t := range b.themed {
		name := themePrefix + strconv.Itoa(i) + ".css"
		dir := filepath.Join(b.Source, filepath.FromSlash(path.Dir(t.output))) // sources and dist have the same directories
		base, err := filepath.Rel(dir, b.Source)                               // of the images in dist
		if err != nil {
			return nil, err
		}
		b.assets[t.output] = bytes.ReplaceAll(b.assets[name], []byte(basePlaceholder), []byte(filepath.ToSlash(base)+"/"))
		delete(b.assets, name)
	}
	r.Shared = b.sharedIn(meta.module())
	entry := filepath.ToSlash(b.relative(Entry(b.Source)))
	if meta.Inputs[entry].Format != "cjs" {
		r.Exports = exportsOf(code)
	}
	r.OnDemand = meta.onDemand(entry)
	if b.isAsync {
		code = returnExports(code)
	}
	if len(b.licenses) > 0 {
		code = append(code, "/*! For license information please see "+licenseFile+" */\n"...)
		for _, from := range slices.Sorted(maps.Keys(b.licenses)) {
			b.assets[licenseFile] = append(b.assets[licenseFile], b.licenses[from]...)
		}
	}
	header, footer := b.wrap(r.Shared, string(css), string(code))
	code = slices.Concat([]byte(header), code, []byte(footer))
	sourceMap, err := b.placeMap(sourceMap, strings.Count(header, "\n"), b.packagesIn(meta))
	if err != nil {
		return nil, err
	}
	b.assets["module.js"], b.assets["module.js.map"] = code, sourceMap
	for _, name := range slices.Sorted(maps.Keys(b.assets)) {
		r.Files = append(r.Files, File{name, b.assets[name]})
	}
	return r, nil
}

// licenseFile has the comments about licenses, by the name that webpack gives it.
const licenseFile = "module.js.LICENSE.txt"

// takeLicenses takes the comments about licenses out of what esbuild wrote for the entry or a worker.
func (b *bundler) takeLicenses(worker string, files []api.OutputFile) (others []api.OutputFile) {
	for _, f := range files {
		name := filepath.Base(f.Path)
		if of, ok := strings.CutSuffix(name, ".LEGAL.txt"); ok {
			b.mu.Lock()
			b.licenses[worker+of] = f.Contents
			b.mu.Unlock()
			continue
		}
		reference := "/*! For license information please see " + name + ".LEGAL.txt */\n"
		f.Contents = bytes.TrimSuffix(f.Contents, []byte(reference))
		others = append(others, f)
	}
	return others
}

// sharedIn returns the shared libraries in an output, sorted, without those that only unused code imports.
func (b *bundler) sharedIn(module output) []string {
	var list []string
	for _, i := range module.Imports {
		if i.External && b.asked[i.Path] {
			list = append(list, i.Path)
		}
	}
	for name := range module.Inputs {
		if name, ok := strings.CutPrefix(name, sharedNamespace+":"); ok {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// outdir is the output directory passed to esbuild, which writes nothing there.
func (b *bundler) outdir() string { return filepath.Join(b.Root, "dist") }

// settings are those of esbuild for an entry and style sheets.
func (b *bundler) settings(entries ...api.EntryPoint) api.BuildOptions {
	mode, comments := "production", api.LegalCommentsExternal
	if b.Dev {
		mode, comments = "development", api.LegalCommentsNone
	}
	format := api.FormatCommonJS
	if b.isAsync {
		format = api.FormatESModule
	}
	define := map[string]string{
		"process.env.NODE_ENV": `"` + mode + `"`, "global": "globalThis", "import.meta.url": baseName,
		"__webpack_public_path__": baseName,
		// A library that prefers AMD to CommonJS would pass its exports to the host's loader.
		"define": "undefined",
		// Those of an ES module: a CommonJS module has its own.
		"module": moduleName, "exports": "undefined",
	}
	maps.Copy(define, b.replaced.define)
	o := api.BuildOptions{
		EntryPointsAdvanced: entries,
		Inject:              b.replaced.injected(),
		AbsWorkingDir:       b.Root,
		TsconfigRaw:         tsconfigRaw(b.Root, b.compiler),
		Outdir:              b.outdir(),
		AssetNames:          "[name]-[hash]",
		Bundle:              true,
		NodePaths:           slices.Concat(slices.Sorted(maps.Values(b.native)), b.config.Modules),
		Format:              format,
		Platform:            api.PlatformBrowser,
		MainFields:          []string{"browser", "module", "main"},
		Target:              api.ES2020, // in which esbuild sets parameter properties before fields
		Supported:           map[string]bool{"top-level-await": true},
		JSX:                 api.JSXAutomatic, // where tsconfig.json does not decide
		Define:              define,
		Sourcemap:           api.SourceMapExternal,
		MinifyWhitespace:    !b.Dev,
		MinifyIdentifiers:   !b.Dev && !b.traits.isInjected,
		MinifySyntax:        !b.Dev,
		LegalComments:       comments,
		Charset:             api.CharsetUTF8,
		PublicPath:          basePlaceholder,
		Loader:              b.loaders(),
		Metafile:            true,
		Plugins:             []api.Plugin{b.plugin()},
		LogLevel:            api.LogLevelSilent,
		LogOverride:         map[string]api.LogLevel{"empty-import-meta": api.LogLevelSilent},
	}
	if len(b.config.MainFields) > 0 {
		o.MainFields = b.config.MainFields
	}
	if len(b.config.Conditions) > 0 {
		o.Conditions = append([]string{"module"}, b.config.Conditions...)
	}
	usual := []string{".tsx", ".ts", ".jsx", ".js", ".css", ".json"}
	more := slices.DeleteFunc(slices.Clone(b.config.Extensions), func(extension string) bool { return slices.Contains(usual, extension) })
	if len(more) > 0 {
		o.ResolveExtensions = append(usual, more...)
	}
	return o
}

// loaders returns what is done with the files that are not code.
func (b *bundler) loaders() map[string]api.Loader {
	list := map[string]api.Loader{".txt": api.LoaderText, ".js": api.LoaderJSX}
	for _, extension := range assetExtensions() {
		list[extension] = api.LoaderFile
	}
	kinds := map[string]api.Loader{
		"file": api.LoaderFile, "text": api.LoaderText, "dataurl": api.LoaderDataURL, "json": api.LoaderJSON, "empty": api.LoaderEmpty,
		"js": api.LoaderJSX, "ts": api.LoaderTS, "tsx": api.LoaderTSX, "css": api.LoaderCSS,
	}
	for extension, kind := range b.Substitutions.Loader {
		list[extension] = kinds[kind]
	}
	return list
}

func assetExtensions() []string {
	return []string{
		".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico",
		".woff", ".woff2", ".eot", ".ttf", ".otf", ".mp3", ".mp4", ".webm", ".pdf", ".wasm",
	}
}

// metafile is the part of esbuild's report that is used here.
type metafile struct {
	Inputs  map[string]input  `json:"inputs"`
	Outputs map[string]output `json:"outputs"`
}

type input struct {
	Format  string `json:"format"` // esm, cjs or ""
	Imports []struct {
		Path     string `json:"path"`
		Kind     string `json:"kind"`
		Original string `json:"original"` // as it is in the code
	} `json:"imports"`
}

type output struct {
	Inputs map[string]struct {
		Bytes int `json:"bytesInOutput"`
	} `json:"inputs"`
	Imports []struct {
		Path     string `json:"path"`
		External bool   `json:"external"`
	} `json:"imports"`
}

func (m metafile) module() output {
	for name, out := range m.Outputs {
		if path.Base(name) == "module.js" {
			return out
		}
	}
	return output{}
}

// onDemand returns the bytes of module.js that the entry reaches only through import().
func (m metafile) onDemand(entry string) int {
	atOnce, reached := map[string]bool{entry: true}, []string{entry}
	for i := 0; i < len(reached); i++ {
		for _, imported := range m.Inputs[reached[i]].Imports {
			if imported.Kind != "dynamic-import" && !atOnce[imported.Path] {
				atOnce[imported.Path], reached = true, append(reached, imported.Path)
			}
		}
	}
	size := 0
	for name, in := range m.module().Inputs {
		if _, isFile := m.Inputs[name]; isFile && !atOnce[name] {
			size += in.Bytes
		}
	}
	return size
}

// files returns all files that were read, slash-separated.
func (b *bundler) files(meta metafile) []string {
	list := append(slices.Clone(b.read), b.config.Read...)
	for name := range meta.Inputs {
		if !strings.Contains(strings.TrimPrefix(name, filepath.ToSlash(filepath.VolumeName(name))), ":") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
