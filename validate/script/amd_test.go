package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestAMDMembers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// esbuild in Slipway's wrapper
		`define(["ui"],function(p){var require=function(i){switch(i){case"ui":return p}};var a=b(__plugin_require__("ui"));a.X();(0,a.Y)(1);function f(a){return a.Z}return __plugin_require__("ui").W});`: "ui.W ui.X ui.Y",
		`define(["ui"],function(p){var s=t((j,u)=>{u.exports=__plugin_require__("ui")}),a=b(s()),h=1;(0,a.X)(s().Y);function f(){var a=c(s());return a.Z}function g(s){return s().V}});`:                   "ui.X ui.Y ui.Z",
		`define(["ui"],async function(p){var s=t({"shared:ui"(j,u){u.exports=__plugin_require__("ui")}});var a=b(s());a.X();});`:                                                                           "ui.X",
		// webpack 5
		`define(["ui","react"],((e,t)=>(()=>{"use strict";var r={7:t=>{t.exports=e},"react":e=>{e.exports=t}},n={};function o(e){return r[e]}var i=o(7),a=o("react"),c=o.n(a);return c().useId(i.X,i?.Y,(i=>i.Z)(1)),{Q:()=>a.V}})()));`: "react.V react.useId ui.X ui.Y!",
		`define(["ui"],function(e){return function(t){var n={};return t[0]}([function(t,n){t.exports=e},function(e,t,n){"use strict";var r=n(0);e.X;var i=r.Y;t.a=function(r){return r.Z}}])});`:                                         "ui.Y",
		// rollup
		`define(['exports','ui'],(function(e,t){'use strict';const n=t.X;if(t.Y){n()}try{}catch(t){t.Z}var s=class t{}}));`:          "ui.X ui.Y!",
		`define("id",["ui"],(u)=>{const f=(u)=>u.X,g=u=>u.Y;let h=1,k=u.Z;});`:                                                       "ui.Z",
		`define(["ui"],(u)=>{f(()=>{const{a:u,b}=c;u.X});f(()=>{let[u]=c;u.Y});f(()=>{var b,{u=1}=c;u.V});for(const[u]of u.Z)u.W});`: "",
		`define(["ui"],(u)=>{f({a:u.X,"b":u.Y},c?a:u.Z,u.V)});`:                                                                      "ui.V ui.X: ui.Y: ui.Z",
		`f(["ui"],(u)=>u.X)`: "",
	} {
		f := parsed(t, "module.js", text)
		var got []string
		for m := range f.AMDMembers() {
			guard := map[bool]string{true: "!"}[m.IsGuard]
			entry := map[bool]string{true: ":"}[m.IsEntry]
			got = append(got, fmt.Sprint(m.Module, ".", m.Name, guard, entry))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s:\n got %s\nwant %s", text, strings.Join(got, " "), want)
		}
	}
}
