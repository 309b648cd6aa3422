package frontend

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate/script"
)

const maxAsset = 256 << 20 // bytes

// urlName returns the name of an asset in dist: one without characters that mean something else in a URL.
func urlName(name string) string { return strings.ReplaceAll(url.PathEscape(name), "%", "_") }

// asset is a file that is loaded as text or as a URL.
type asset struct {
	file, suffix string
}

// loadAsset loads a file as text or as the URL it will have. Code becomes a worker.
func (b *bundler) loadAsset(in api.OnLoadArgs) (api.OnLoadResult, error) {
	from := in.PluginData.(asset)
	if err := b.confinement.Check(from.file); err != nil {
		return api.OnLoadResult{}, err
	}
	text, err := limit.ReadFile(from.file, maxAsset)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	b.mu.Lock()
	b.read = append(b.read, filepath.ToSlash(b.relative(from.file)))
	b.mu.Unlock()
	if loader, ok := map[string]api.Loader{
		rawSuffix: api.LoaderText, styleSuffix: api.LoaderFile, inlineSuffix: api.LoaderDataURL, jsonSuffix: api.LoaderJSON,
	}[from.suffix]; ok {
		return api.OnLoadResult{Contents: new(string(text)), Loader: loader}, nil
	}
	name := urlName(filepath.Base(from.file))
	isCode := slices.Contains([]string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts"}, filepath.Ext(name))
	if isCode && from.suffix == assetSuffix {
		worker := newBundler(b.ctx, b.Options, b.config)
		worker.isAlone = true
		built := api.Build(worker.workerSettings(from.file))
		if worker.isAsync = awaits(built.Errors); worker.isAsync {
			built = api.Build(worker.workerSettings(from.file))
		}
		if len(built.Errors) > 0 {
			return api.OnLoadResult{Errors: built.Errors}, nil
		}
		var meta metafile
		if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
			return api.OnLoadResult{}, err
		}
		if wrong := worker.requiredWasm(meta); wrong != nil {
			return api.OnLoadResult{Errors: wrong}, nil
		}
		outputs := worker.takeLicenses(b.shown(from.file), built.OutputFiles)
		b.mu.Lock()
		maps.Copy(b.assets, worker.assets)
		maps.Copy(b.licenses, worker.licenses)
		b.read = append(b.read, worker.files(meta)...)
		b.mu.Unlock()
		text, name = outputs[0].Contents, strings.TrimSuffix(name, filepath.Ext(name))+".js"
		if worker.isAsync { // which only functions of scripts can be
			text = slices.Concat([]byte("(async()=>{"), exports.ReplaceAll(text, nil), []byte("})();\n"))
		}
	}
	sum := sha256.Sum256(text)
	extension := filepath.Ext(name)
	name = strings.TrimSuffix(name, extension) + "-" + base32.StdEncoding.EncodeToString(sum[:5]) + extension
	b.mu.Lock()
	b.assets[name] = text
	b.mu.Unlock()
	return api.OnLoadResult{Contents: new("module.exports=" + baseName + "+" + quote(name)), Loader: api.LoaderJS}, nil
}

// workerSettings are those of esbuild for a worker, which is in the same directory as the files that it loads.
func (b *bundler) workerSettings(entry string) api.BuildOptions {
	o := b.settings(api.EntryPoint{InputPath: entry, OutputPath: "worker"})
	o.Sourcemap = api.SourceMapNone
	if !b.isAsync {
		o.Format = api.FormatIIFE
	}
	o.Banner = map[string]string{"js": "var " + baseName + `=location.href.replace(/[^/]*$/,""),` + emptyModule + ";"}
	return o
}

// assetURL is the standard way to refer to a file by its path from a module.
var assetURL = regexp.MustCompile(`(new\s+URL\(\s*(?:/\*[^*]*\*/\s*)?)` +
	`(?:'[^'\n]+'|"[^"\n]+"|` + "`[^`$\\n]+`" + `)(\s*,\s*import\.meta\.url\s*,?\s*\))`)

// notFile matches the URLs that are left to the browser: absolute ones, parts of a page, and directories.
var notFile = regexp.MustCompile(`^(?:[A-Za-z][\w+.-]+:|[/#?])|(?:^|/)\.{0,2}$`)

// importURLs turns the path of new URL(path, import.meta.url) into the URL that the file will have, which it
// imports: the file is an ES module, and may have another "require". Line numbers stay as they are.
func importURLs(file string, text []byte) []byte {
	matches := assetURL.FindAllSubmatchIndex(text, -1)
	if matches == nil {
		return text
	}
	f, err := script.Parse(file, text)
	if err != nil {
		return text // esbuild reports syntax errors
	}
	var imports []byte
	edits := map[script.Span]string{}
	for _, at := range matches {
		path := string(text[at[3]+1 : at[4]-1])
		isCode := slices.ContainsFunc(f.Tokens, func(t script.Token) bool { return t.From == at[0] && t.Kind == script.Name })
		if !isCode || notFile.MatchString(path) || bytes.Contains(text[at[0]:at[1]], []byte("webpackIgnore: true")) {
			continue
		}
		before := text[:at[3]]
		name := fmt.Sprintf("__plugin_url_%d_%d__", 1+bytes.Count(before, []byte("\n")), at[3]-bytes.LastIndexByte(before, '\n'))
		imports = fmt.Appendf(imports, "\nimport %s from %s;", name, quote(path+assetSuffix))
		edits[script.Span{From: at[3], To: at[4]}] = name
	}
	return append(edited(text, edits), imports...)
}

var (
	cssComment = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:(?:^|\s)//.*$)`) // also of Sass
	cssString  = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`)
	// postCSS matches what only plugins of PostCSS replace, outside of strings; tailwind the style sheets for one of them.
	postCSS  = regexp.MustCompile(`(?:^|[\s{};])(@(?:tailwind|apply|theme|utility|custom-variant|screen|define-mixin))(?:[\s;{(]|$)`)
	tailwind = regexp.MustCompile(`@import\s+(?:url\()?["']?(tailwindcss(?:/(?:index|base|components|preflight|theme|utilities)(?:\.css)?)?)["')\s;]`)
)

// loadCSS refuses a style sheet that esbuild would leave as it is.
func (b *bundler) loadCSS(in api.OnLoadArgs) (api.OnLoadResult, error) {
	text, err := os.ReadFile(in.Path)
	if err != nil {
		return api.OnLoadResult{}, nil // as in loadCode
	}
	return api.OnLoadResult{Errors: b.needsPostCSS(in.Path, text)}, nil
}

// needsPostCSS returns the error for a style sheet of the repository that is meant for plugins of PostCSS. If the
// configuration of the repository's bundler has no such plugins, the style sheet is as ineffective there.
func (b *bundler) needsPostCSS(file string, text []byte) []api.Message {
	if strings.Contains(filepath.ToSlash(file), modulesDir) || b.config.File != "" && !b.config.HasPostCSS {
		return nil
	}
	blank := func(part []byte) []byte { return bytes.Repeat([]byte(" "), len(part)) }
	rules := cssComment.ReplaceAllFunc(text, blank)
	at := tailwind.FindSubmatchIndex(rules)
	if at == nil {
		at = postCSS.FindSubmatchIndex(cssString.ReplaceAllFunc(rules, blank))
	}
	if at == nil {
		return nil
	}
	return []api.Message{{
		Text:     fmt.Sprintf("%s is for a plugin of PostCSS, which builds do not run", text[at[2]:at[3]]),
		Notes:    []api.Note{{Text: ownBundler}},
		Location: b.location(file, text, at[2], at[3]-at[2]),
	}}
}

var reactImport = regexp.MustCompile(`(?m)^\s*import\s+(?:\*\s+as\s+)?React\b`)

// loadCode changes what esbuild does not know of: URLs of files and, in the repository, fields of classes and JSX.
func (b *bundler) loadCode(in api.OnLoadArgs) (api.OnLoadResult, error) {
	text, err := os.ReadFile(in.Path)
	if err != nil {
		return api.OnLoadResult{}, nil // esbuild knows better: the file may be one that a package disables
	}
	var out api.OnLoadResult
	changed := text
	isOwn := !strings.Contains(filepath.ToSlash(in.Path), modulesDir)
	if isOwn {
		changed = b.loadOwn(in.Path, text, &out)
	}
	changed, wrong := b.provideDefine(in.Path, importURLs(in.Path, changed))
	out.Errors = append(out.Errors, wrong...)
	hasTypes := isOwn && b.config.HasTypes && strings.Contains(filepath.Ext(in.Path), ".js")
	if bytes.Equal(changed, text) && !hasTypes {
		return out, nil
	}
	b.mu.Lock()
	b.texts[in.Path] = string(text)
	b.mu.Unlock()
	out.Contents, out.ResolveDir, out.Loader = new(string(changed)), filepath.Dir(in.Path), api.LoaderJSX
	switch extension := filepath.Ext(in.Path); {
	case slices.Contains([]string{".ts", ".mts", ".cts"}, extension):
		out.Loader = api.LoaderTS
	case extension == ".tsx" || hasTypes:
		out.Loader = api.LoaderTSX
	}
	return out, nil
}

// loadOwn returns the code of a file of the repository, and adds what is wrong with it to out.
func (b *bundler) loadOwn(file string, text []byte, out *api.OnLoadResult) []byte {
	b.mu.Lock()
	b.seen.isInjected = b.seen.isInjected || bytes.Contains(text, []byte("ngInject"))
	b.mu.Unlock()
	var uncertain []api.Message
	out.Errors, uncertain = b.findThemes(file, text)
	out.Warnings = append(b.undefined(file, text), uncertain...)
	changed := defineFirst(file, text)
	if b.Refresh {
		changed = append(changed, registrations(b.shown(file), text)...)
	}
	if isLenient(b.compiler) && !reactImport.Match(text) && !bytes.Contains(text, []byte("@jsx")) {
		changed = append(changed, "\n// @jsxRuntime automatic"...)
	}
	return changed
}
