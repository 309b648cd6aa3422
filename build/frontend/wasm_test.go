package frontend

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// calculator is a WebAssembly module with imports of each kind, all of "./calc_bg.js", and the exports add and "a-b".
const calculator = "\x00asm\x01\x00\x00\x00" +
	"\x01\x04\x01\x60\x00\x00" + // a type
	"\x02\x5e\x05" + // imports
	"\x0c./calc_bg.js\x03log\x00\x00" + // a function
	"\x0c./calc_bg.js\x01m\x02\x01\x01\x02" + // a memory with a maximum
	"\x0c./calc_bg.js\x01t\x01\x70\x00\x01" + // a table
	"\x0c./calc_bg.js\x01g\x03\x7f\x01" + // a global
	"\x0c./calc_bg.js\x01e\x04\x00\x00" + // a tag
	"\x07\x0d\x02\x03add\x00\x00\x03a-b\x00\x00" // exports

// calculators are the files of a package as wasm-bindgen writes it.
var calculators = map[string]string{
	"calc_bg.wasm": calculator,
	"calc_bg.js":   "let wasm; export function set(w) { wasm = w } export const log = () => 'log'; export const add = (a, b) => wasm.add(a, b);",
	"calc.js":      "import * as wasm from './calc_bg.wasm'; export * from './calc_bg.js'; import { set } from './calc_bg.js'; set(wasm);",
	"around.js":    "import { add as added, 'a-b' as odd } from './calc_bg.wasm'; export const add = (a, b) => added(a, b) + odd;",
	"work.js":      "import { add } from './calc'; globalThis.posted = add(2, 3);",
	"common.cjs":   "\nrequire('./around');",
	"bad.wasm":     "<html>",
	"wasi.wasm":    "\x00asm\x01\x00\x00\x00\x02\x0f\x01\x08wasi_abi\x02fd\x00\x00",
}

// A WebAssembly module is an ES module, as with webpack: what imports it waits for it.
func TestWasmModules(t *testing.T) {
	t.Parallel()
	const webAssembly = `{
	location: { href: "https://cdn/acme/work.js" },
	fetch: async (url) => ({ ok: true, arrayBuffer: async () => url }),
	WebAssembly: { instantiate: async (url, imports) => ({ instance: { exports: {
		add: (a, b) => [imports["./calc_bg.js"].log(), url, a + b].join(), "a-b": "odd" } } }) } }`
	const sum = "log,https://cdn/acme/calc_bg.wasm,5"
	hash := regexp.MustCompile(`-[A-Z2-7]{8}\b`)
	for _, dir := range []string{"./", "dep/"} {
		for code, want := range map[string]string{
			"import { add } from 'DIRcalc_bg.wasm'; export const plugin = add(2, 3);":         sum,
			"import { add } from 'DIRcalc'; export const plugin = add(2, 3);":                 sum,
			"import { add } from 'DIRaround'; export const plugin = add(2, 3);":               sum + "odd",
			"export const plugin = await import('DIRcalc_bg.wasm').then((c) => c.add(2, 3));": sum,
			"export const plugin = await import('DIRcalc').then((c) => c.add(2, 3));":         sum,
			"import url from 'DIRcalc_bg.wasm'; export const plugin = url;":                   "https://cdn/acme/calc_bg.wasm",
			"import url from 'DIRcalc_bg.wasm?url'; export const plugin = url;":               "https://cdn/acme/calc_bg.wasm",
			"export const plugin = new URL('DIRwork', import.meta.url).href;":                 "https://cdn/acme/work.js",
			"const c = require('DIRcalc_bg.wasm'); export const plugin = c;":                  "!src/module.ts:1:19: require cannot wait for",
			"const c = require('DIRcalc'); export const plugin = c;":                          "!src/module.ts:1:19: require cannot wait for",
			"import c from 'DIRcommon.cjs'; export const plugin = c;":                         "!DIR/common.cjs:2:9: require cannot wait for",
			"import { add } from 'DIRbad.wasm'; export const plugin = add;":                   "!src/module.ts:1:21: DIR/bad.wasm is not a WebAssembly module",
			"import { add } from 'DIRwasi.wasm'; export const plugin = add;":                  `!DIR/wasi.wasm:2:28: the WebAssembly module imports "wasi_abi", which is neither`,
			"import { sub } from 'DIRcalc_bg.wasm'; export const plugin = sub;":               `!src/module.ts:1:10: no matching export in`,
		} {
			code = strings.ReplaceAll(code, "DIR", dir)
			files := map[string]string{"src/module.ts": code, "node_modules/dep/package.json": `{"name": "dep", "type": "module"}`}
			for name, text := range calculators {
				files["src/"+name], files["node_modules/dep/"+name] = text, text
			}
			r, err := bundle(t, files)
			if problem, ok := strings.CutPrefix(want, "!"); ok {
				if err == nil || !strings.Contains(strings.NewReplacer("node_modules/dep", "DIR", "src/wasi", "DIR/wasi", "src/bad", "DIR/bad", "src/common", "DIR/common").Replace(err.Error()), problem) {
					t.Errorf("%s: got the error %v, want %s", code, err, problem)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", code, err)
				continue
			}
			vm, exports := load(t, r, map[string]string{"module": "Object.assign(globalThis, " + webAssembly + `, { uri: "https://cdn/acme/module.js" })`})
			if p, ok := exports.Export().(*goja.Promise); ok {
				exports = p.Result().ToObject(nil)
			}
			if got := hash.ReplaceAllString(exports.Get("plugin").String(), ""); got != want {
				t.Errorf("%s: plugin is %q, want %q", code, got, want)
			}
			if strings.Contains(code, "work") {
				testkit.Must(vm.RunString(bySuffix(t, r, ".js", "work-")))(t)
				if got := hash.ReplaceAllString(vm.Get("posted").String(), ""); got != sum {
					t.Errorf("a worker: got %q, want %q", got, sum)
				}
			}
		}
	}
}
