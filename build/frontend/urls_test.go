package frontend

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// new URL means the same in the repository, in a package and in a worker of either.
func TestURLs(t *testing.T) {
	t.Parallel()
	const module = "https://cdn/acme/"
	hash := regexp.MustCompile(`-[A-Z2-7]{8}\b`)
	for expression, want := range map[string]string{
		"new URL('x.wasm', import.meta.url)":                            module + "x.wasm",
		"new URL('./x.wasm', import.meta.url)":                          module + "x.wasm",
		"new URL(/* @vite-ignore */ \"../up.png\",\n import.meta.url,)": module + "up.png",
		"new URL(`./x.wasm`, import.meta.url)":                          module + "x.wasm",
		"((require) => new URL('./x.wasm', import.meta.url))()":         module + "x.wasm",
		"new URL('https://example.com/x', import.meta.url)":             "https://example.com/x",
		"new URL('//example.com/x', import.meta.url)":                   "https://example.com/x",
		"new URL('data:text/plain,x', import.meta.url)":                 "data:text/plain,x",
		"new URL('/api/health', import.meta.url)":                       "https://cdn/api/health",
		"new URL('#a', import.meta.url)":                                module + "#a",
		"new URL('?a', import.meta.url)":                                module + "?a",
		"new URL('.', import.meta.url)":                                 module,
		"new URL('./img/', import.meta.url)":                            module + "img/",
		"new URL('..', import.meta.url)":                                "https://cdn/",
		"new URL(/* webpackIgnore: true */ './none', import.meta.url)":  module + "none",
	} {
		expression += " /* new URL('./none', import.meta.url) */ // or new URL('./none', import.meta.url)\n"
		for _, dir := range []string{"src/part", "node_modules/dep/lib"} {
			r, err := bundle(t, map[string]string{
				dir + "/index.js":               "export const href = (" + expression + ").href;",
				dir + "/work.js":                "import { href } from './index'; globalThis.href = href;",
				dir + "/x.wasm":                 "wasm",
				path.Dir(dir) + "/up.png":       "png",
				"node_modules/dep/package.json": `{"name": "dep", "type": "module"}`,
				"src/module.ts": "import { href } from '../" + dir + "/index'; export const plugin = href;\n" +
					"export const worker = new URL('../" + dir + "/work.js', import.meta.url).href;",
			})
			if err != nil {
				t.Errorf("%s in %s: %v", expression, dir, err)
				continue
			}
			vm, exports := load(t, r, map[string]string{"module": `{uri: "` + module + `module.js"}`})
			if got := hash.ReplaceAllString(text(t, vm, exports, "plugin"), ""); got != want {
				t.Errorf("%s in %s is %q, want %q", expression, dir, got, want)
			}
			code := "delete globalThis.document; var location = {href: '" + module + "work.js'};" + bySuffix(t, r, ".js", "work-") + ";href"
			href := testkit.Must(vm.RunString(code))(t)
			if got := hash.ReplaceAllString(href.String(), ""); got != want {
				t.Errorf("%s in a worker of %s is %q, want %q", expression, dir, got, want)
			}
		}
	}
}

// A URL is that of the file, whatever is in its name.
func TestNamesOfAssets(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{ // name: in a style sheet
		"a#b": "a%23b", "100% done": "100% done", "a b": "a b", "a%20b": "a%2520b", "a&b+c": "a&b+c", "\u00e9": "\u00e9", "c": "c",
	} {
		for _, dir := range []string{"./", "dep/"} {
			at := map[string]string{"./": "src/", "dep/": "node_modules/dep/"}[dir]
			r, err := bundle(t, map[string]string{
				at + name + ".svg": "script", at + name + ".png": "style", at + "a_23b.svg": "other", at + "a_23b.png": "other",
				at + "all.css":  "a { background: url('./" + code + ".png') } b { background: url('./a_23b.png') }",
				at + "index.js": "import './all.css'; import url from './" + name + ".svg'; export { url }",
				"src/module.ts": "import { url } from '" + dir + "index'; export const plugin = url;",
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			vm, exports := load(t, r, map[string]string{"module": "{ uri: 'https://cdn/module.js' }"})
			styles := testkit.Must(vm.RunString("styles().join()"))(t)
			style := regexp.MustCompile(`https://cdn/[^")]*`).FindString(styles.String())
			for address, want := range map[string]string{exports.Get("plugin").String(): "script", style: "style"} {
				u, err := url.Parse(address)
				if err != nil || u.Fragment != "" || u.RawQuery != "" || file(t, r, strings.TrimPrefix(u.Path, "/")) != want {
					t.Errorf("%s is at %s, want %s there: %v", name, address, want, err)
				}
			}
		}
	}
}
