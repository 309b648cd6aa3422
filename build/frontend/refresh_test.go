package frontend

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestRegistrations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"functions and classes", "function A() {} export function B() {} export default function C() {} async function D() {} class E {} abstract class F {}", []string{"A", "B", "C", "D", "E", "F"}},
		{"variables", "const A = () => <b>x</b>; export const B: React.FC<Props> = memo(C); let D = 1; var E", []string{"A", "B", "D", "E"}},
		{"not at the top level", "function a() { function B() {} const C = 1 } if (x) { class D {} }", nil},
		{"not values", "type A = {}; interface B {} declare const C: number; declare class D {} const enum E { x } export type { F }", nil},
		{"in small letters", "const a = 1; function b() {}", nil},
		{"overloads", "function A(x: string): void; function A(x: number): void; function A(x: any) {}", []string{"A"}},
		{"in text", "const a = 'const B = 1'; // const C = 1\nconst d = <p>class E</p>; `function F`; x.class", nil},
		{"a pattern", "const { A, b: B } = x", nil},
		{"a syntax error", "const A = (", nil},
	} {
		var want strings.Builder
		for _, name := range c.want {
			want.WriteString("\nwindow.$RefreshReg$?.(" + name + ",\"src/a.tsx " + name + "\");")
		}
		if got := registrations("src/a.tsx", []byte(c.text)); got != want.String() {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// Only bundles of dev register components, only those of the repository, and the source map is that
// of the file as it was written.
func TestRefresh(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{
		"src/module.tsx":            "import { Panel } from './Panel';\nimport { Dep } from 'dep';\nexport const plugin = [Panel, Dep];",
		"src/Panel.tsx":             "import React from 'react';\nexport const Panel: React.FC<{ x: string }> = ({ x }) => <b>{x}</b>;\ntype Unused = string;",
		"node_modules/dep/index.js": "export function Dep() {}", "node_modules/react/jsx-runtime.js": "exports.jsx = 1",
	})
	o := Options{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel", Dev: true}
	plain := testkit.Must(Bundle(t.Context(), o))(t)
	o.Refresh = true
	refreshed := testkit.Must(Bundle(t.Context(), o))(t)
	registered := regexp.MustCompile(`\$RefreshReg\$\?*\.?.*?"(.*)"`)
	var got []string
	for _, m := range registered.FindAllStringSubmatch(file(t, refreshed, "module.js"), -1) {
		got = append(got, m[1])
	}
	if !slices.Equal(got, []string{"src/Panel.tsx Panel"}) {
		t.Errorf("registered %q in %s", got, file(t, refreshed, "module.js"))
	}
	if registered.MatchString(file(t, plain, "module.js")) {
		t.Error("registered without Refresh")
	}
	if m := file(t, refreshed, "module.js.map"); !strings.Contains(m, `type Unused = string;"`) {
		t.Errorf("source map %s", m)
	}
}
