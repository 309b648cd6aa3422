package frontend

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/internal/limit"
)

const wasmExtension = ".wasm"

// isWasmModule reports whether an import is of the names of a WebAssembly module, as with asyncWebAssembly of
// webpack. An import of a default, which such a module does not have, is one of its URL.
func isWasmModule(in api.OnResolveArgs) bool {
	if strings.ToLower(filepath.Ext(in.Path)) != wasmExtension || in.Namespace != "file" {
		return false
	}
	text, _ := os.ReadFile(in.Importer) // esbuild has read it
	isURL := regexp.MustCompile(`\bimport\s+[\w$]+\s+from\s*["']` + regexp.QuoteMeta(in.Path) + `["']`)
	return !isURL.Match(text)
}

// loadWasm turns a WebAssembly module into an ES module, which awaits its file.
func (b *bundler) loadWasm(in api.OnLoadArgs) (api.OnLoadResult, error) {
	text, err := limit.ReadFile(in.Path, maxAsset)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	imported, exported, ok := wasmNames(text)
	if !ok {
		return api.OnLoadResult{}, fmt.Errorf("%s is not a WebAssembly module", b.shown(in.Path))
	}
	var out, given, names strings.Builder
	fmt.Fprintf(&out, "import url from %s;\n", quote("./"+filepath.Base(in.Path)+urlSuffix))
	for i, module := range imported {
		fmt.Fprintf(&out, "import * as imported%d from %s;\n", i, quote(module))
		fmt.Fprintf(&given, "%s: imported%d, ", quote(module), i)
	}
	out.WriteString("const response = await fetch(url);\n" +
		"if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);\n")
	fmt.Fprintf(&out, "const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), { %s});\n", given.String())
	for i, name := range exported {
		fmt.Fprintf(&out, "const exported%d = instance.exports[%s];\n", i, quote(name))
		fmt.Fprintf(&names, "exported%d as %s, ", i, quote(name))
	}
	fmt.Fprintf(&out, "export { %s};\n", names.String())
	return api.OnLoadResult{Contents: new(out.String()), Loader: api.LoaderJS, ResolveDir: filepath.Dir(in.Path)}, nil
}

// requiredWasm returns the errors for require of a WebAssembly module, or of what imports one: esbuild misses some.
func (b *bundler) requiredWasm(meta metafile) (list []api.Message) {
	awaits := map[string]bool{} // by name of the input
	for more := true; more; {
		more = false
		for name, in := range meta.Inputs {
			isWasm := filepath.Ext(name) == wasmExtension && !strings.HasPrefix(name, assetNamespace+":")
			for _, i := range in.Imports {
				isWasm = isWasm || i.Kind == "import-statement" && awaits[i.Path]
			}
			more = more || isWasm && !awaits[name]
			awaits[name] = isWasm
		}
	}
	for name, in := range meta.Inputs {
		for _, i := range in.Imports {
			if i.Kind != "require-call" || !awaits[i.Path] {
				continue
			}
			file := filepath.Join(b.Root, filepath.FromSlash(name))
			text, _ := os.ReadFile(file) // esbuild has read it
			at := max(strings.Index(string(text), i.Original)-1, 0)
			list = append(list, api.Message{
				Text:     fmt.Sprintf("require cannot wait for %q, which is or imports a WebAssembly module", i.Original),
				Notes:    []api.Note{{Text: "write import instead, or require the URL of the .wasm file with ?url"}},
				Location: b.location(file, text, at, len(i.Original)+2),
			})
		}
	}
	return list
}

// unknownInWasm returns the error for a module that a WebAssembly module imports and nobody has.
func unknownInWasm(in api.OnResolveArgs) []api.Message {
	if filepath.Ext(in.Importer) != wasmExtension {
		return nil
	}
	return []api.Message{{
		Text:  fmt.Sprintf("the WebAssembly module imports %q, which is neither a file nor a package", in.Path),
		Notes: []api.Note{{Text: "import the URL of the file with ?url, and pass what it needs to WebAssembly.instantiate"}},
	}}
}

// The sections of a WebAssembly module that have names of other modules.
const (
	importSection = 2
	exportSection = 7
)

// wasmNames returns the modules that a WebAssembly module imports, and the names that it exports.
func wasmNames(text []byte) (imported, exported []string, ok bool) {
	body, ok := strings.CutPrefix(string(text), "\x00asm\x01\x00\x00\x00")
	r := wasmReader{rest: body, ok: ok}
	modules := map[string]bool{}
	for r.ok && r.rest != "" {
		kind := r.byte()
		section := wasmReader{rest: r.name(), ok: r.ok}
		if kind != importSection && kind != exportSection {
			continue
		}
		for n := section.number(); section.ok && n > 0; n-- {
			name := section.name()
			if kind == importSection {
				modules[name] = true
				section.name()
				section.description()
				continue
			}
			exported = append(exported, name)
			section.byte()
			section.number()
		}
		r.ok = r.ok && section.ok
	}
	return slices.Sorted(maps.Keys(modules)), exported, r.ok
}

type wasmReader struct {
	rest string
	ok   bool // nothing was missing
}

func (r *wasmReader) byte() byte {
	if r.rest == "" {
		r.ok = false
		return 0
	}
	first := r.rest[0]
	r.rest = r.rest[1:]
	return first
}

func (r *wasmReader) number() uint64 {
	n, size := binary.Uvarint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		r.ok = false
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// name reads a length and as many bytes.
func (r *wasmReader) name() string {
	size := r.number()
	if size > uint64(len(r.rest)) {
		r.ok = false
		return ""
	}
	name := r.rest[:size]
	r.rest = r.rest[size:]
	return name
}

// description reads what an import is: a function, a table, a memory, a global or a tag.
func (r *wasmReader) description() {
	limits := func() {
		if r.byte()&1 != 0 {
			r.number()
		}
		r.number()
	}
	reference := func() {
		if kind := r.byte(); kind == 0x63 || kind == 0x64 { // a reference to a type
			r.number()
		}
	}
	switch r.byte() {
	case 0:
		r.number()
	case 1:
		reference()
		limits()
	case 2:
		limits()
	case 3:
		reference()
		r.byte()
	case 4:
		r.byte()
		r.number()
	default:
		r.ok = false
	}
}
