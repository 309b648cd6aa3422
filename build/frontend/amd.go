package frontend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	// baseName is the variable of module.js that holds the URL of the plugin's directory.
	baseName = "__plugin_base__"
	// basePlaceholder stands for that URL in style sheets, which have no variables.
	basePlaceholder = "plugin-base:/"
	// requireName requests a shared library, under a name that esbuild does not recognize.
	requireName = "__plugin_require__"
	// moduleName is "module" in ES modules, as webpack has it: members are undefined, and setting them has no
	// effect on what module.js exports.
	moduleName  = "__plugin_module__"
	emptyModule = moduleName + "=Object.freeze({})"
	// selfName is the module that the loader describes, and parameterPrefix begins the names of the shared
	// libraries. They share a scope with the bundle, whose code and minifier must not use such names.
	selfName        = "__plugin_self__"
	parameterPrefix = "__plugin_shared_"
)

// wrap returns what comes before and after code to make it an AMD module that asks the host
// for the shared libraries. Styles are added to the page when the module runs, as style-loader
// does. The URL of the plugin's directory is derived from the module's URL if the loader
// provides it, and is the usual one otherwise. Rule bundle-outdated recognizes bundles of
// earlier versions by the order of the variables.
func (b *bundler) wrap(shared []string, css, code string) (header, footer string) {
	usesBase := strings.Contains(css, basePlaceholder) || strings.Contains(code, baseName)
	var names, parameters []string
	var cases strings.Builder
	for i, name := range shared {
		parameter := parameterPrefix + strconv.Itoa(i)
		names, parameters = append(names, quote(name)), append(parameters, parameter)
		fmt.Fprintf(&cases, "case %s:return %s;", quote(name), parameter)
	}
	if usesBase {
		names, parameters = append(names, `"module"`), append(parameters, selfName)
	}
	var out strings.Builder
	async, result := "", "return module.exports"
	if b.isAsync {
		async, result = "async ", "" // the code returns
	}
	fmt.Fprintf(&out, "define([%s],%sfunction(%s){", strings.Join(names, ","), async, strings.Join(parameters, ","))
	if usesBase {
		fmt.Fprintf(&out, "var %[1]s=%[2]s&&%[2]s.uri?%[2]s.uri.slice(0,%[2]s.uri.lastIndexOf(\"/\")+1):new URL(%[3]s,document.baseURI).href;",
			baseName, selfName, quote("public/plugins/"+b.PluginID+"/"))
	}
	out.WriteString("var " + emptyModule + ",exports={},module={exports:exports},require=function(id){switch(id){" + cases.String() +
		"}throw new Error(\"unknown module \"+id)}," + requireName + "=require;")
	if css != "" {
		text := quote(css)
		if strings.Contains(css, basePlaceholder) {
			text += ".split(" + quote(basePlaceholder) + ").join(" + baseName + ")"
		}
		out.WriteString("(function(){var s=document.createElement(\"style\");s.textContent=" + text + ";document.head.appendChild(s)})();")
	}
	return out.String() + "\n", result + "});\n//# sourceMappingURL=module.js.map\n"
}

var (
	// exports matches the statement at the end of an ES module.
	exports = regexp.MustCompile(`export\s*\{([^{}]*)\};?\s*$`)
	// commonExports matches what follows __export(a, {name: () => local}) in CommonJS, module.exports = __toCommonJS(a),
	// and the end of a call that adds the exports of a CommonJS module.
	commonExports = regexp.MustCompile(`module\.exports(\)|\s*=\s*[\w$]+\([\w$]+\))`)
	exportedName  = regexp.MustCompile(`(?:^|,)\s*(?:[^\s,]+ as )?([^\s,:]+)`)
)

// exportsOf returns the names that the code of an ES module exports, in whatever format esbuild wrote it, or nil if
// it adds those of a CommonJS module.
func exportsOf(code []byte) []string {
	var lists [][]byte
	if statement := exports.FindSubmatch(code); statement != nil {
		lists = append(lists, statement[1])
	}
	for _, at := range commonExports.FindAllSubmatchIndex(code, -1) { // it is one of these: the others are in texts
		before := bytes.TrimSpace(code[:at[0]])
		if code[at[2]] == ')' && bytes.HasSuffix(before, []byte(",")) {
			return nil
		}
		if list, ok := bytes.CutSuffix(before, []byte("});")); ok {
			lists = append(lists, list[bytes.LastIndexByte(list, '{')+1:])
		}
	}
	names := []string{}
	for _, name := range exportedName.FindAllSubmatch(bytes.Join(lists, []byte(",")), -1) {
		names = append(names, string(name[1]))
	}
	return names
}

// returnExports turns the exports of an ES module into the result of a function.
func returnExports(code []byte) []byte {
	return exports.ReplaceAllFunc(code, func(statement []byte) []byte {
		var members []string
		for name := range strings.SplitSeq(string(exports.FindSubmatch(statement)[1]), ",") {
			local, exported, ok := strings.Cut(strings.TrimSpace(name), " as ")
			if !ok {
				exported = local
			}
			if local != "" {
				members = append(members, quote(strings.Trim(exported, `"`))+":"+local)
			}
		}
		return []byte("return{__esModule:true," + strings.Join(members, ",") + "};\n")
	})
}

// quote writes a JavaScript string that is also safe in an inline script.
func quote(s string) string {
	text, _ := json.Marshal(s) // a string always encodes
	return string(text)
}
