package frontend

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// The source map leads from module.js to the line of the source, below what we add.
func TestSourceMap(t *testing.T) {
	t.Parallel()
	r := mustBundle(t, map[string]string{"src/module.ts": "import './x.css';\n\nexport const here = 'x';\n", "src/x.css": "a { color: red }"},
		func(o *Options) { o.Dev = true })
	var m struct{ Mappings string }
	testkit.OK(t, json.Unmarshal([]byte(file(t, r, "module.js.map")), &m))
	line := strings.Count(strings.Split(file(t, r, "module.js"), "var here")[0], "\n")
	if groups := strings.Split(m.Mappings, ";"); len(groups) <= line || groups[line] == "" || groups[0] != "" {
		t.Errorf("no mapping for line %d in %q", line+1, m.Mappings)
	}
}

// Sources have the names that webpack gives them, relative to the outer plugin, and those of the
// repository have the text of their file, also where the bundler gets another one.
func TestSourceNames(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tsconfig.json": `{"extends": "@grafana/tsconfig/base.json"}`, // classic JSX
		"src/part/module.tsx": "import React from 'react';\nimport dep from 'dep';\nimport off from 'off';\nimport raw from './a.txt?raw';\n" +
			"import data from './a.json';\nimport image from './a.png';\nimport '../../shared/s';\nimport './mark';\n" +
			"export const plugin = [<a href={image}>{raw + dep + off}</a>, data, new URL('./a.txt', import.meta.url)];\nawait dep;\n",
		"src/part/mark.ts": "\ufeffwindow.b = 1;\r\nwindow.c = 2;\r\n",
		"src/part/a.json":  `{"a": 1}`, "src/part/a.txt": "text", "src/part/a.png": "png",
		"shared/s.ts":               "window.s = 1;\n",
		"node_modules/dep/index.js": "module.exports = 'dep';\n",
		"webpack.config.ts":         "export default { externals: ['react'], resolve: { alias: { off: false } } }",
	}
	r := mustBundle(t, files, func(o *Options) {
		o.MapDir, o.MapID, o.Source = o.Source, "acme-x-app", filepath.Join(o.Source, "part")
	})
	var m struct{ Sources, SourcesContent []string }
	testkit.OK(t, json.Unmarshal([]byte(file(t, r, "module.js.map")), &m))
	got := map[string]string{}
	for i, source := range m.Sources {
		name, _ := strings.CutPrefix(source, "webpack://acme-x-app/")
		got[name] = m.SourcesContent[i]
		if strings.HasPrefix(name, "webpack/") || strings.HasPrefix(name, "external ") {
			got[name] = "generated"
		}
	}
	want := map[string]string{
		"./part/module.tsx": files["src/part/module.tsx"], "./part/mark.ts": files["src/part/mark.ts"],
		"./part/a.json": files["src/part/a.json"], "../shared/s.ts": files["shared/s.ts"],
		"../node_modules/dep/index.js":                     files["node_modules/dep/index.js"],
		`external amd "react"`:                             "generated",
		"webpack/plugin-empty/off":                         "generated",
		"webpack/plugin-asset/src/part/a.png?url":          "generated",
		"webpack/plugin-asset/src/part/a.txt?raw":          "generated",
		"webpack/plugin-asset/src/part/a.txt?plugin-asset": "generated",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
