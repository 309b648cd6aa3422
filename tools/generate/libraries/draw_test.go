package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// seed determines the names that TestDraw draws.
const seed = 34

// TestDraw draws names from the packages of pairs of versions, and requires that a plugin for both
// versions that uses them gets a finding for exactly those that one of the versions does not export, in
// its source and in its bundle. What they export is what esbuild says, or for d3 an interpreter, not our
// own reader.
func TestDraw(t *testing.T) {
	t.Parallel()
	l, err := readLock("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	store, err := packages.Open(packages.Options{Root: root, CacheDir: cacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{store: store, root: root, files: map[string]*source{}}
	random := rand.New(rand.NewPCG(seed, seed))
	drawn, outside := 0, 0
	for _, pair := range [][2]string{
		{"9.2", "9.5"}, {"10.0", "10.4"}, {"10.4", "11.5"}, {"11.2", "12.1"}, {"11.6", "13.0"}, {"12.4", "13.2"},
	} {
		for _, lib := range append(ours(), library{name: "d3"}) {
			var exports [2]map[string]bool
			for i, minor := range pair {
				if exports[i], err = exportsOf(t.Context(), r, l, lib.name, minor); err != nil {
					if unreachable, ok := errors.AsType[packages.UnreachableError](err); ok {
						t.Skipf("the registry is needed: %v", unreachable)
					}
					t.Fatal(err)
				}
			}
			var names []string
			wrong := map[string]bool{}
			for _, from := range exports {
				for name := range from {
					if wrong[name] = !exports[0][name] || !exports[1][name]; !slices.Contains(names, name) {
						names = append(names, name)
					}
				}
			}
			slices.Sort(names)
			random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			const choice, most = 60, 12 // the names outside the range first
			order := func(name string) int { return map[bool]int{false: 1}[wrong[name]] }
			slices.SortStableFunc(names[:min(len(names), choice)], func(a, b string) int { return order(a) - order(b) })
			names = names[:min(len(names), most)]
			judge(t, lib.name, pair, names, wrong)
			drawn += len(names)
			for _, name := range names {
				if wrong[name] {
					outside++
				}
			}
		}
	}
	t.Logf("%d names, of which %d are outside the range", drawn, outside)
	if drawn < 200 || outside < 50 {
		t.Errorf("too few names: %d, %d", drawn, outside)
	}
}

func exportsOf(ctx context.Context, r *reader, l *lock, name, minor string) (map[string]bool, error) {
	version := l.at(name, minor)
	if version == "" {
		var err error
		if version, err = r.required(ctx, l, name, minor); err != nil {
			return nil, err
		}
	}
	about, dir, err := r.about(ctx, name, version)
	if err != nil {
		return nil, err
	}
	code, _ := entries(about, dir, name, "")
	if filepath.Base(code) == d3Bundle {
		return evaluated(code, name)
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{code}, Bundle: true, Plugins: []api.Plugin{packagesExternal()}, Format: api.FormatESModule, Metafile: true,
		Outdir: dir, Loader: map[string]api.Loader{".svg": api.LoaderEmpty, ".css": api.LoaderEmpty}, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("%s@%s: %s", name, version, result.Errors[0].Text)
	}
	return metafileExports(result.Metafile)
}

// evaluated returns the members of the global variable that a script sets.
func evaluated(file, global string) (map[string]bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	vm := goja.New()
	if _, err := vm.RunScript(file, string(text)); err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, name := range vm.Get(global).ToObject(vm).Keys() {
		all[name] = true
	}
	return all, nil
}

func packagesExternal() api.Plugin {
	return api.Plugin{Name: "external", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^[^./]|node_modules/`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if a.Kind == api.ResolveEntryPoint {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: a.Path, External: true}, nil
		})
	}}
}

// judge validates the source and the bundle of a plugin that uses names of a module.
func judge(t *testing.T, module string, pair [2]string, names []string, wrong map[string]bool) {
	t.Helper()
	var source strings.Builder
	for i, name := range names {
		fmt.Fprintf(&source, "import { %s as x%d } from '%s'; f(x%[2]d.a, <x%[2]d.b />);\n", name, i, module)
	}
	meta := fmt.Sprintf(`{"id":"acme-x-panel","type":"panel","dependencies":{"grafanaDependency":"%s.x || %s.x"}}`, pair[0], pair[1])
	for _, form := range []string{"src", "dist"} {
		files := fstest.MapFS{form + "/plugin.json": {Data: []byte(meta)}}
		if form == "src" {
			files["src/module.tsx"] = &fstest.MapFile{Data: []byte(source.String())}
		} else {
			files["dist/module.js"] = &fstest.MapFile{Data: bundled(t, module, source.String())}
		}
		report, err := validate.Run(t.Context(), files, validate.Options{Rules: rules.All()})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, f := range report.Findings {
			if f.Rule != "import-outside-range" {
				continue
			}
			line := strings.Split(string(files[f.File].Data), "\n")[f.Line-1]
			name := line[f.Column-1 : f.EndColumn-1]
			found[name] = true
			if form == "src" && (f.Line > len(names) || names[f.Line-1] != name) {
				t.Errorf("%s is reported in line %d", name, f.Line)
			}
		}
		for _, name := range names {
			if found[name] != wrong[name] {
				t.Errorf("%s of %s in %s of %v: reported is %t, outside the range is %t", name, module, form, pair, found[name], wrong[name])
			}
			delete(found, name)
		}
		if len(found) > 0 {
			t.Errorf("%s of %v: other findings: %v", form, pair, found)
		}
	}
}

// bundled returns the bundle of a source, minified.
func bundled(t *testing.T, module, source string) []byte {
	t.Helper()
	result := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{Contents: source, Loader: api.LoaderTSX}, Bundle: true, Plugins: []api.Plugin{packagesExternal()},
		Format: api.FormatCommonJS, MinifyIdentifiers: true, MinifyWhitespace: true, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors[0].Text)
	}
	code := result.OutputFiles[0].Contents
	return fmt.Appendf(nil, "define([%q],function(p){var require=function(){return p},module={};\n%s\n});\n", module, code)
}
