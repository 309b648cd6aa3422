package frontend

import (
	"regexp"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/validate/script"
)

var (
	defineCall       = regexp.MustCompile(`\bdefine\s*\(`)
	looksForAMD      = regexp.MustCompile(`\btypeof\s+define\b|\bdefine\.amd\b`)
	looksForCommonJS = regexp.MustCompile(`\btypeof\s+(?:module|exports)\b|\bmodule\.exports\b`)
)

// defineFunctions is the function define of a file, which runs a module at once, with the dependencies themselves.
const defineFunctions = `
function define(...all){const make=all.pop(),list=all.pop();` +
	`const made=typeof make=="function"?make.apply(exports,Array.isArray(list)?list:[__plugin_no_require__,exports,module]):make;` +
	`if(made!==undefined)module.exports=made}
function __plugin_no_require__(){throw new Error("an AMD module calls require, which is not bundled")}`

// provideDefine makes AMD modules of files that are nothing else CommonJS modules. Those that can also be CommonJS
// are, as no file sees the host's define. One that only asks whether there is AMD is told so, as in webpack's bundles.
func (b *bundler) provideDefine(name string, text []byte) (changed []byte, wrong []api.Message) {
	isUMD, hasCall := looksForAMD.Match(text), defineCall.Match(text)
	if script.IsTypeScript(name) || !isUMD && !hasCall || isUMD && hasCall && looksForCommonJS.Match(text) {
		return text, nil
	}
	f, err := script.Parse(name, text)
	if err != nil || isModuleSyntax(f) {
		return text, nil // esbuild reports syntax errors
	}
	if !hasCall {
		return edited(text, answers(f)), nil
	}
	edits := map[script.Span]string{}
	isCalled := false
	for i := range f.Globals("define") {
		args, ok := f.Arguments(i)
		if !ok || len(args) == 0 {
			continue
		}
		isCalled = true
		hasList, ok := requireList(f, args[:len(args)-1], edits)
		if !ok && isUMD {
			return text, nil
		}
		if !ok {
			return text, []api.Message{{
				Text:     "the dependencies of an AMD module are not a list of strings",
				Notes:    []api.Note{{Text: "write the list in the call, or " + ownBundler}},
				Location: b.location(name, text, f.Tokens[i].From, len("define")),
			}}
		}
		if parameters, ok := commonParameters(f, args[len(args)-1][0]); ok && !hasList {
			edits[parameters] = "" // the file has the same
		}
	}
	if !isCalled {
		return text, nil
	}
	if isUMD {
		edits[script.Span{}] = "define.amd={};"
	}
	return append(edited(text, edits), defineFunctions...), nil
}

// answers returns the edits of a file that asks whether there is AMD, and uses it for nothing else.
func answers(f *script.File) map[script.Span]string {
	edits := map[script.Span]string{}
	for i := range f.Globals("define") {
		switch {
		case f.Is(i+1, ".") && f.Is(i+2, "amd"):
			edits[script.Span{From: f.Tokens[i].From, To: f.Tokens[i+2].To}] = "({})"
		case f.Is(i-1, "typeof"):
			edits[script.Span{From: f.Tokens[i-1].From, To: f.Tokens[i].To}] = `"function"`
		default:
			return nil
		}
	}
	return edits
}

// isModuleSyntax reports whether a file is an ES module by its code.
func isModuleSyntax(f *script.File) bool {
	for i, t := range f.Tokens {
		if t.Around < 0 && f.Is(i, "import", "export") && !f.Is(i+1, "(") {
			return true
		}
	}
	return false
}

// requireList adds the edits that turn the dependencies in a call of define into what they are, if all are strings.
func requireList(f *script.File, args [][2]int, edits map[script.Span]string) (hasList, ok bool) {
	for _, arg := range args {
		first, last := arg[0], arg[1]
		if first == last && f.Tokens[first].Kind == script.String {
			continue // the name
		}
		if hasList = f.Is(first, "[") && f.Tokens[first].Pair == last; !hasList {
			return false, false
		}
		for i := first + 1; i < last; i++ {
			at := script.Span{From: f.Tokens[i].From, To: f.Tokens[i].To}
			module, isString := f.Literal(i, i)
			switch {
			case f.Is(i, ","):
			case !isString:
				return false, false
			case module == "exports", module == "module":
				edits[at] = module
			case module == "require":
				edits[at] = "__plugin_no_require__"
			default:
				edits[at] = "require(" + quote(module) + ")"
			}
		}
	}
	return hasList, true
}

// commonParameters returns the parameters of a function if they are require, exports and module, or the first of these.
func commonParameters(f *script.File, first int) (parameters script.Span, ok bool) {
	open := first
	if f.Is(open, "function") {
		open++
		if !f.Is(open, "(") { // a name
			open++
		}
	}
	if !f.Is(open, "(") {
		return parameters, false
	}
	end, names := f.Tokens[open].Pair, []string{"require", ",", "exports", ",", "module"}
	for i := open + 1; i < end; i++ {
		if at := i - open - 1; at >= len(names) || !f.Is(i, names[at]) {
			return parameters, false
		}
	}
	return script.Span{From: f.Tokens[open].To, To: f.Tokens[end].From}, true
}
