package extensions

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/frontend"
)

// hostNamespace contains the modules that the host provides during evaluation: packages, what a
// dynamic import loads, and files that are not code.
const hostNamespace = "host"

// bundleName is the file of positions that are not in a source file.
const bundleName = "bundle.js"

// bundle returns the entry and the files of the repository that it imports as one script,
// with an inline source map. The script is an async function and a call of it, so that it
// may await at its top level.
func bundle(o Options) (string, error) {
	entry := frontend.Entry(o.Source)
	if entry == "" {
		return "", fmt.Errorf("no frontend in %s", o.Source)
	}
	built := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{
			Contents:   "import " + quote("./"+filepath.Base(entry)),
			ResolveDir: o.Source,
			Sourcefile: "entry",
		},
		AbsWorkingDir: o.Root,
		Tsconfig:      frontend.Tsconfig(o.Root),
		Outfile:       filepath.Join(o.Root, bundleName), // not written; the source map is relative to it
		Bundle:        true,
		Format:        api.FormatESModule,
		Platform:      api.PlatformBrowser,
		Target:        api.ES2017,
		// The interpreter knows these, and the rest of this package reads them.
		Supported: map[string]bool{
			"top-level-await": true, "object-rest-spread": true, "optional-chain": true, "nullish-coalescing": true,
		},
		IgnoreAnnotations: true, // "sideEffects": false would leave out the entry
		JSX:               api.JSXAutomatic,
		Define:            map[string]string{"process.env.NODE_ENV": `"production"`, "global": "globalThis", "import.meta.url": `""`},
		Banner:            map[string]string{"js": "(async()=>{"},
		Footer:            map[string]string{"js": "})()"},
		Sourcemap:         api.SourceMapInline,
		SourcesContent:    api.SourcesContentExclude,
		Loader:            map[string]api.Loader{".js": api.LoaderJSX, ".txt": api.LoaderText},
		Plugins:           []api.Plugin{{Name: "host", Setup: resolver{frontend.Confine(o.Root), o.Source}.setup}},
		LogLevel:          api.LogLevelSilent,
	})
	if len(built.Errors) > 0 {
		return "", &frontend.Error{Messages: frontend.Messages(o.Root, built.Errors)}
	}
	return string(built.OutputFiles[0].Contents), nil
}

// resolver decides which imports are files of the repository.
type resolver struct {
	confinement frontend.Confinement
	source      string
}

// again marks a resolution that the resolver asks for itself.
type again struct{}

func (r resolver) setup(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(in api.OnResolveArgs) (api.OnResolveResult, error) {
		if _, ok := in.PluginData.(again); ok || in.Namespace == hostNamespace {
			return api.OnResolveResult{}, nil
		}
		provided := api.OnResolveResult{Path: in.Path, Namespace: hostNamespace}
		if in.Kind == api.ResolveJSDynamicImport {
			return provided, nil
		}
		for _, name := range []string{in.Path, "./" + in.Path} {
			dir := in.ResolveDir
			if name != in.Path { // bundlers of plugins also look in the source directory
				dir = r.source
			}
			found := build.Resolve(name, api.ResolveOptions{
				Importer: in.Importer, Namespace: in.Namespace, ResolveDir: dir, Kind: in.Kind, PluginData: again{},
			})
			if len(found.Errors) == 0 && r.isLocalCode(found) {
				return api.OnResolveResult{Path: found.Path, Namespace: found.Namespace}, nil
			}
		}
		return provided, nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: hostNamespace}, func(in api.OnLoadArgs) (api.OnLoadResult, error) {
		contents := "module.exports=" + moduleHelper + "(" + quote(in.Path) + ")"
		return api.OnLoadResult{Contents: &contents}, nil
	})
}

// isLocalCode reports whether a module is code or data of the repository.
func (r resolver) isLocalCode(found api.ResolveResult) bool {
	if found.External || found.Namespace != "file" || strings.Contains(filepath.ToSlash(found.Path), "/node_modules/") {
		return false
	}
	if r.confinement.Check(found.Path) != nil {
		return false
	}
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".txt"}, filepath.Ext(found.Path))
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string always encodes
	return string(text)
}
