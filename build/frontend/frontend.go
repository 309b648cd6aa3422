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
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/bundle/config"
)

// Options describe one frontend.
type Options struct {
	Root     string // of the plugin repository, absolute
	Source   string // directory of the plugin's plugin.json, absolute
	PluginID string
	Dev      bool // keep names and line breaks
	Refresh  bool // register components with React Fast Refresh, if the page has it
	// MapID and MapDir are the id and the source directory of the plugin that contains this one, for
	// the names in the source map, or "".
	MapID, MapDir string
	// Packages provides what is not in a node_modules; nil provides nothing.
	Packages Packages

	Substitutions config.Substitutions // over those of the repository's webpack configuration
}

// Packages provides packages in the versions of the lockfile of a repository.
type Packages interface {
	// Dir returns a directory whose node_modules contains the package that an import in a
	// file refers to, or the directory of the package itself if it is part of the repository; ok
	// reports whether the package was found.
	Dir(ctx context.Context, importer, name string) (dir string, ok bool, err error)
}

// Result is a bundle.
type Result struct {
	Files    []File    // module.js, its source map and what it loads, sorted by path
	Shared   []string  // the libraries that module.js asks the host for, sorted
	Read     []string  // the files that were read, relative to Root or absolute, sorted
	Warnings []Message // of the bundler
}

// File is an output, relative to the directory of plugin.json in dist.
type File struct {
	Path     string // slash-separated
	Contents []byte
}

// Message is an error or a warning at a place in a source file.
type Message struct {
	File   string // relative to Root, slash-separated; "" if the message has no position
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

// Error is everything that keeps a frontend from being bundled.
type Error struct {
	Messages []Message
	// IsConfig reports that the messages are about tsconfig.json, without which imports mean something
	// else: which packages were missing says nothing.
	IsConfig bool
}

// Error returns the messages, one per line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Messages))
	for i, m := range e.Messages {
		lines[i] = m.String()
		if m.Help != "" {
			lines[i] += "\n  help: " + m.Help
		}
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

// Bundle bundles a frontend. If the sources have errors, the error is an *Error.
func Bundle(ctx context.Context, o Options) (*Result, error) {
	s := NewSession(o)
	defer s.Close()
	return s.Bundle(ctx)
}

// result turns what esbuild wrote into a bundle.
func (b *bundler) result(built api.BuildResult) (*Result, error) {
	var meta metafile
	if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
		return nil, fmt.Errorf("read the bundler's report: %w", err)
	}
	r := &Result{Warnings: Messages(b.Root, built.Warnings), Read: b.files(meta)}
	var code, sourceMap, css []byte
	for _, f := range built.OutputFiles {
		switch name := filepath.Base(f.Path); name {
		case "module.js":
			code = f.Contents
		case "module.js.map":
			sourceMap = f.Contents
		case "module.css":
			css = f.Contents
		case "module.css.map", "dark.css.map", "light.css.map": // styles have no source maps
		case "dark.css", "light.css":
			b.assets[themesDir+"/"+name] = bytes.ReplaceAll(f.Contents, []byte(basePlaceholder), []byte("../"))
		default:
			b.assets[name] = f.Contents
		}
	}
	r.Shared = b.sharedIn(meta.module())
	if b.isAsync {
		code = returnExports(code)
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

// sharedIn returns the shared libraries that are left in an output, sorted. It omits
// those that only unused code imports.
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

// Tsconfig returns the tsconfig.json of a repository, or "" if there is none. Without one,
// esbuild would look above the repository.
func Tsconfig(root string) string {
	file := filepath.Join(root, "tsconfig.json")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// settings are those of esbuild for an entry and style sheets.
func (b *bundler) settings(entries ...string) api.BuildOptions {
	mode := "production"
	if b.Dev {
		mode = "development"
	}
	format, target := api.FormatCommonJS, api.ES2020
	if b.isAsync {
		format, target = api.FormatESModule, api.ES2022
	}
	define := map[string]string{
		"process.env.NODE_ENV": `"` + mode + `"`, "global": "globalThis", "import.meta.url": baseName,
		// A library that prefers AMD to CommonJS would pass its exports to the host's loader.
		"define": "undefined",
	}
	maps.Copy(define, b.replaced.define)
	var inject []string
	for _, name := range slices.Sorted(maps.Keys(b.replaced.inject)) {
		inject = append(inject, injectPrefix+name)
	}
	return api.BuildOptions{
		EntryPoints:       entries,
		Inject:            inject,
		AbsWorkingDir:     b.Root,
		Tsconfig:          Tsconfig(b.Root),
		Outdir:            b.outdir(),
		EntryNames:        "[name]",
		AssetNames:        "[name]-[hash]",
		Bundle:            true,
		NodePaths:         slices.Sorted(maps.Values(b.native)),
		Format:            format,
		Platform:          api.PlatformBrowser,
		MainFields:        []string{"browser", "module", "main"},
		Target:            target,
		JSX:               api.JSXAutomatic, // where tsconfig.json does not decide
		Define:            define,
		Sourcemap:         api.SourceMapExternal,
		MinifyWhitespace:  !b.Dev,
		MinifyIdentifiers: !b.Dev && !b.traits.isInjected,
		MinifySyntax:      !b.Dev,
		LegalComments:     api.LegalCommentsNone,
		Charset:           api.CharsetUTF8,
		PublicPath:        basePlaceholder,
		Loader:            loaders(),
		Metafile:          true,
		Plugins:           []api.Plugin{b.plugin()},
		LogLevel:          api.LogLevelSilent,
		LogOverride:       map[string]api.LogLevel{"empty-import-meta": api.LogLevelSilent},
	}
}

// loaders returns what is done with the files that are not code.
func loaders() map[string]api.Loader {
	list := map[string]api.Loader{".txt": api.LoaderText, ".js": api.LoaderJSX}
	for _, extension := range assetExtensions() {
		list[extension] = api.LoaderFile
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
	Inputs  map[string]struct{} `json:"inputs"`
	Outputs map[string]output   `json:"outputs"`
}

type output struct {
	Inputs  map[string]struct{} `json:"inputs"`
	Imports []struct {
		Path     string `json:"path"`
		External bool   `json:"external"`
	} `json:"imports"`
}

// module returns the output that is module.js.
func (m metafile) module() output {
	for name, out := range m.Outputs {
		if path.Base(name) == "module.js" {
			return out
		}
	}
	return output{}
}

// files returns all files that were read, slash-separated.
func (b *bundler) files(meta metafile) []string {
	list := slices.Clone(b.read)
	for name := range meta.Inputs {
		if !strings.Contains(strings.TrimPrefix(name, filepath.ToSlash(filepath.VolumeName(name))), ":") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// baseConfig matches the warning about a tsconfig.json that extends one in a package that is not
// installed. Such packages have settings for type checks; the one that matters here, "jsx", is
// the default.
var baseConfig = regexp.MustCompile(`^Cannot find base config file "([^."]|\./node_modules/|\.\./node_modules/)`)

// missing is the detail of an error about an import whose package cannot be provided.
type missing struct {
	module       string
	shared, help string // of a sharedError
}

// sharedError is an error of Packages that many packages have for the same reason.
type sharedError interface {
	error
	Shared() (text, help string) // the reason, and what to do about it
}

// Messages turns the bundler's messages into ours, with our own help where we have some. Those about
// the repository come before those about packages. A missing package is one message, at its first import,
// and so is a registry that cannot be reached. The package.json is that of root.
func Messages(root string, list []api.Message) []Message {
	type message struct {
		Message
		module string // import of a missing package, or ""
		shared string // why it and other packages are missing, or ""
	}
	var sorted []message
	imports := map[string]int{}      // by the text about a missing package
	blocked := map[string][]string{} // packages, by the error that they share
	for _, m := range list {
		if baseConfig.MatchString(m.Text) {
			continue
		}
		to := message{Message: Message{Text: lowerFirst(m.Text)}}
		if l := m.Location; l != nil {
			to.File, to.Line, to.Column = filepath.ToSlash(l.File), l.Line, l.Column+1
			if i := strings.LastIndex(to.File, "/node_modules/"); i >= 0 {
				to.File = to.File[i+1:] // wherever the cache is
			}
			to.Source, to.Length = l.LineText, l.Length
		}
		for _, note := range m.Notes {
			if to.Help == "" && note.Location == nil {
				to.Help = note.Text
			}
		}
		if detail, ok := m.Detail.(missing); ok {
			to.module = detail.module
			if to.shared = detail.shared; to.shared != "" {
				to.Text, to.Help = strings.TrimSuffix(to.Text, ": "+detail.shared), detail.help
				blocked[to.shared] = append(blocked[to.shared], to.Text)
			}
		} else if found := unresolved.FindStringSubmatch(to.Text); found != nil && isBare(found[1]) {
			to.module = found[1]
		}
		to.Text, to.Help = explain(root, to.Text, to.Help)
		if to.module != "" {
			imports[to.Text]++
		}
		sorted = append(sorted, to)
	}
	isPackage := func(m message) int {
		if strings.HasPrefix(m.File, "node_modules/") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(sorted, func(a, c message) int {
		return cmp.Or(isPackage(a)-isPackage(c), strings.Compare(a.File, c.File), a.Line-c.Line, a.Column-c.Column)
	})
	var out []Message
	for _, m := range sorted {
		if m.module != "" {
			n := imports[m.Text]
			if n == 0 {
				continue
			}
			imports[m.Text] = 0
			if packages := blocked[m.shared]; len(packages) > 0 {
				slices.Sort(packages)
				m.Text = m.shared + ", so these packages are missing: " + strings.Join(slices.Compact(packages), ", ")
				out, blocked[m.shared] = append(out, m.Message), nil
			}
			if m.shared != "" {
				continue
			}
			m.Text += importNote(m.Message, m.module, n-1)
		}
		out = append(out, m.Message)
	}
	return out
}

// importNote returns what to say about the first import of a missing package.
func importNote(m Message, module string, more int) string {
	var notes []string
	if 0 < m.Column && m.Column <= len(m.Source) && m.Source[m.Column-1] == '<' { // which is where the bundler places it
		notes = append(notes, "for JSX, which imports "+module)
	}
	switch {
	case more == 1:
		notes = append(notes, "and 1 more import")
	case more > 1:
		notes = append(notes, fmt.Sprintf("and %d more imports", more))
	}
	if notes == nil {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

func lowerFirst(text string) string {
	if len(text) > 1 && text[0] >= 'A' && text[0] <= 'Z' && (text[1] < 'A' || text[1] > 'Z') {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}
