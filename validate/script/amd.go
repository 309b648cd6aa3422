package script

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Member is a member of a module that the code uses.
type Member struct {
	Module, Name string
	At           int // index of the token with Name
	IsGuard      bool
	IsEntry      bool // it is the value of a key, as in {natural: d3.curveNatural}
}

// amd is an AMD module that a bundler wrote: webpack, rollup or esbuild.
type amd struct {
	*File
	params  map[string]string // of the function of define: module by the name of the parameter
	keys    map[string]string // of the bundler's own table: module by its key, as require(key) has it
	scopes  []scope           // of the names that stand for a module
	members []Member
}

// scope is the range of tokens in which a name is declared, with the module that it stands for. The name
// of a parameter or another variable stands for none.
type scope struct {
	name, module string
	at           int // token that declares it, or -1 for a parameter of define
	from, to     int
	isGetter     bool // name() is the module
}

// AMDMembers returns the members that an AMD module uses of the modules that it asks its host for. It
// knows how bundlers pass a module on, and a name that is declared again is another one.
func (f *File) AMDMembers() iter.Seq[Member] {
	a := amd{File: f, params: map[string]string{}, keys: map[string]string{}}
	body, ok := a.define()
	if !ok {
		return slices.Values(a.members)
	}
	a.externals(body)
	for i := body; i < f.Tokens[body].Pair; i++ {
		if end, module := a.required(i); module != "" {
			a.member(module, i, end)
			a.bind(i, module)
		}
	}
	for name, module := range a.params {
		a.scopes = append(a.scopes, scope{name: name, module: module, at: -1, from: body, to: f.Tokens[body].Pair})
	}
	a.shadow()
	bound := len(a.scopes)
	for i, s := range a.uses(body) {
		if s.isGetter {
			a.bind(i, s.module)
		}
	}
	if len(a.scopes) > bound {
		a.shadow()
	}
	for i, s := range a.uses(body) {
		end := i
		if s.isGetter {
			end = i + 2
		}
		a.member(s.module, i, end)
	}
	return slices.Values(a.members)
}

// uses returns where a name stands for a module, or is that of a getter that is called.
func (a *amd) uses(body int) iter.Seq2[int, scope] {
	return func(yield func(int, scope) bool) {
		scopes := slices.Clone(a.scopes)
		// As they begin in the file.
		slices.SortStableFunc(scopes, func(s, t scope) int { return cmp.Or(cmp.Compare(s.from, t.from), cmp.Compare(t.to, s.to)) })
		open := map[string][]scope{} // around the token, innermost last
		for i, next := 0, 0; i < a.Tokens[body].Pair; i++ {
			for ; next < len(scopes) && scopes[next].from <= i; next++ {
				name := scopes[next].name
				open[name] = append(open[name], scopes[next])
			}
			t := a.Tokens[i]
			if t.Kind != Name || len(open[string(a.Data[t.From:t.To])]) == 0 || a.Is(i-1, ".", "?.") {
				continue
			}
			around := open[a.Text(i)]
			for len(around) > 0 && around[len(around)-1].to <= i {
				around = around[:len(around)-1]
			}
			open[a.Text(i)] = around
			if len(around) == 0 || around[len(around)-1].module == "" {
				continue
			}
			s := around[len(around)-1]
			isCall := a.Is(i+1, "(") && a.Tokens[i+1].Pair == i+2
			if (!s.isGetter || isCall) && !yield(i, s) {
				return
			}
		}
	}
}

// define reads the modules and parameters of the call of define, and returns the bracket of the body.
func (a *amd) define() (body int, ok bool) {
	for i := range a.Tokens {
		if !a.Is(i, "define") || !a.Is(i+1, "(") {
			continue
		}
		list := i + 2
		if a.Tokens[list].Kind == String {
			list += 2
		}
		if !a.Is(list, "[") {
			continue
		}
		var modules []string
		for n := list + 1; n < a.Tokens[list].Pair; n += 2 {
			name, _ := a.Literal(n, n)
			modules = append(modules, name)
		}
		at := a.Tokens[list].Pair + 2
		for a.Is(at, "async", "function") || a.Is(at, "(") && a.Is(at+1, "(", "function", "async") {
			at++
		}
		if a.Is(at, "(") {
			for n := at + 1; n < a.Tokens[at].Pair && len(modules) > 0; n += 2 {
				a.params[a.Text(n)], modules = modules[0], modules[1:]
			}
			at = a.Tokens[at].Pair + 1
		} else if len(modules) > 0 { // the only parameter of an arrow function
			a.params[a.Text(at)] = modules[0]
			at++
		}
		if a.Is(at, "=>") {
			at++
		}
		return at, a.Is(at, "{", "(")
	}
	return 0, false
}

// externals finds the entries of webpack's table that consist of a parameter, as in
// 7:e=>{e.exports=t}.
func (a *amd) externals(body int) {
	for i := body; i < a.Tokens[body].Pair; i++ {
		if !a.Is(i-1, "=") || !a.Is(i-2, "exports") || !a.Is(i-3, ".") || !a.Is(i+1, "}", ",", ";", "]") {
			continue
		}
		module, ok := a.params[a.Text(i)]
		if !ok {
			continue
		}
		block := a.Tokens[i].Around
		head := block - 1
		if !a.Is(i+1, "}", ";") || !a.Is(block, "{") || a.Is(i-5, "=>") { // an arrow function without a block
			head = i - 5
		}
		if a.Is(head, "=>") {
			head--
		}
		if a.Is(head, ")") {
			head = a.Tokens[head].Pair
		}
		if a.Is(head-1, "function") {
			head--
		}
		switch {
		case a.Is(head-1, ":"): // key: function
			head--
			fallthrough
		case head > 0 && a.Tokens[head-1].Kind != Punct: // key(e) {}
			a.keys[strings.Trim(a.Text(head-1), `"'`)] = module
		case a.Is(head-1, "[", ","): // an array
			if open := a.Tokens[head].Around; a.Is(open, "[") {
				a.keys[strconv.Itoa(a.count(open, head))] = module
			}
		}
	}
}

// count returns how many commas of an array are before a token.
func (a *amd) count(open, before int) (n int) {
	for i := open + 1; i < before; i++ {
		if a.Is(i, ",") {
			n++
		}
		i = max(i, a.Tokens[i].Pair)
	}
	return n
}

// required returns the last token of a call such as require("module") or r(7), and the module.
func (a *amd) required(i int) (end int, module string) {
	if a.Tokens[i].Kind != Name || a.Is(i-1, ".", "?.") || !a.Is(i+1, "(") || a.Tokens[i+1].Pair != i+3 {
		return 0, ""
	}
	t := a.Tokens[i+2]
	text := strings.Trim(a.Text(i+2), `"'`)
	switch {
	case t.Kind != String && t.Kind != Number:
		return 0, ""
	case a.keys[text] != "":
		return i + 3, a.keys[text]
	case t.Kind == String && strings.Contains(a.Text(i), "require"):
		return i + 3, text
	}
	return 0, ""
}

// member adds the members that are used of an expression for a module.
func (a *amd) member(module string, first, last int) {
	isOptional := a.Is(last+1, "?.")
	if a.Is(last+1, ".", "?.") && a.Is(last+2, "default") && a.Is(last+3, ".") {
		last += 2
	}
	add := func(u Use) {
		if !slices.Contains([]string{"default", "call", "apply", "bind"}, u.Member) {
			isEntry := a.Is(first-1, ":") && a.Is(first-3, "{", ",") && a.Is(u.At+1, ",", "}")
			a.members = append(a.members, Member{Module: module, Name: u.Member, At: u.At, IsGuard: u.IsGuard || isOptional, IsEntry: isEntry})
		}
	}
	a.memberAfter(first, last, add)
	a.patternBefore(first, add)
}

// bind declares the variable to which an expression for a module is assigned, perhaps through a helper
// such as the n.n of webpack or the __toESM of esbuild.
func (a *amd) bind(i int, module string) {
	isGetter := false
	if a.Is(i-1, "=") && a.Is(i-2, "exports") { // in esbuild's a = __commonJS((exports, module) => {...})
		isGetter = true
		for i--; i > 0 && !a.Is(i, "("); i = a.Tokens[i].Around {
		}
		i++
	}
	for a.Is(i-1, "(") && i >= 2 && a.Tokens[i-2].Kind == Name {
		i -= 2
		if a.Is(i-1, ".") {
			isGetter = a.Is(i, "n")
			i -= 2
		}
	}
	if a.Is(i-1, "=") && a.Tokens[i-2].Kind == Name && !a.Is(i-3, ".", "?.") {
		from := a.function(i - 2)
		to := len(a.Tokens)
		if from >= 0 {
			to = a.Tokens[from].Pair
		}
		a.scopes = append(a.scopes, scope{name: a.Text(i - 2), module: module, at: i - 2, from: from, to: to, isGetter: isGetter})
	}
}

// function returns the brace of the function around a token, or -1.
func (a *amd) function(i int) int {
	for open := a.Tokens[i].Around; open >= 0; open = a.Tokens[open].Around {
		if !a.Is(open, "{") {
			continue
		}
		if a.Is(open-1, "=>") {
			return open
		}
		if a.Is(open-1, ")") && !a.Is(a.Tokens[open-1].Pair-1, "if", "while", "for", "with", "switch", "catch") {
			return open
		}
	}
	return -1
}

// shadow declares the other variables and parameters that have the name of a module's variable, and the
// variables that webpack's helper makes of such a variable: a = n.n(b).
func (a *amd) shadow() {
	known := map[string]bool{}
	for _, s := range a.scopes {
		known[s.name] = true
	}
	bound := slices.Clone(a.scopes)
	for i := range a.Tokens {
		if a.Tokens[i].Kind != Name || a.Is(i-1, ".", "?.") {
			continue
		}
		if a.Is(i+1, "=") && a.Is(i+3, ".") && a.Is(i+4, "n") && a.Is(i+5, "(") && a.Tokens[i+5].Pair == i+7 {
			a.getter(i, bound)
			continue
		}
		if t := a.Tokens[i]; !known[string(a.Data[t.From:t.To])] {
			continue
		}
		from, to, ok := a.declares(i)
		if !ok {
			continue
		}
		same := slices.IndexFunc(a.scopes[:len(bound)], func(s scope) bool { return s.name == a.Text(i) && s.from == from })
		switch {
		case same < 0:
			a.scopes = append(a.scopes, scope{name: a.Text(i), at: i, from: from, to: to})
		case a.scopes[same].at != i: // perhaps in a block: which one a use refers to is not clear
			a.scopes[same].module = ""
		}
	}
}

// getter declares the variable at a token as the getter of a module, if it is initialized with that.
func (a *amd) getter(i int, bound []scope) {
	for _, s := range bound {
		if s.module != "" && s.name == a.Text(i+6) && s.from == a.function(i) {
			a.scopes = append(a.scopes, scope{name: a.Text(i), module: s.module, at: i, from: s.from, to: s.to, isGetter: true})
		}
	}
}

// declares returns the range of tokens in which the name at an index is declared by it. It errs on the
// side of a declaration.
func (a *amd) declares(i int) (from, to int, ok bool) {
	isPattern := false
	for open := a.Tokens[i].Around; open >= 0 && !a.Is(open-1, ")", "=>"); open = a.Tokens[open].Around {
		end := a.Tokens[open].Pair
		if isPattern = a.Is(open, "{", "[") && a.Is(end+1, "=", "of", "in"); isPattern {
			break
		}
		if !a.Is(open, "(") {
			continue
		}
		switch {
		case a.Is(end+1, "=>") && a.Is(end+2, "{"):
			return open, a.Tokens[end+2].Pair, true
		case a.Is(end+1, "=>"):
			return open, a.expressionEnd(end + 2), true
		case a.Is(end+1, "{") && !a.Is(open-1, "if", "while", "for", "with", "switch"):
			return open, a.Tokens[end+1].Pair, true
		}
	}
	switch {
	case a.Is(i+1, "=>") && a.Is(i+2, "{"):
		return i, a.Tokens[i+2].Pair, true
	case a.Is(i+1, "=>"):
		return i, a.expressionEnd(i + 2), true
	case a.Is(i-1, "class", "function") && a.isOperator(i-2): // an expression
		return i, a.expressionEnd(i), true
	case isPattern || a.Is(i-1, "class", "function") || a.isVariable(i):
		if from = a.function(i); from >= 0 {
			return from, a.Tokens[from].Pair, true
		}
		return 0, len(a.Tokens), true
	}
	return 0, 0, false
}

// isOperator reports whether an expression follows a token.
func (a *amd) isOperator(i int) bool {
	return a.Is(i, "=", "(", ",", "[", ":", "?", "&&", "||", "??", "=>", "!", "return", "new", "extends")
}

// isVariable reports whether a name is declared by var, let or const, also after a comma.
func (a *amd) isVariable(i int) bool {
	for n := i - 1; n > a.Tokens[i].Around; n-- {
		switch {
		case a.Is(n, "var", "let", "const"):
			return a.Is(i-1, "var", "let", "const", ",")
		case a.Is(n, ";"):
			return false
		case a.Is(n, ")", "]", "}", "`"):
			n = min(n, a.Tokens[n].Pair)
		}
		if n == i-1 && !a.Is(n, ",") {
			return false
		}
	}
	return false
}

// expressionEnd returns the index after the last token of the expression that starts at an index.
func (a *amd) expressionEnd(i int) int {
	for ; i < len(a.Tokens) && !a.Is(i, ",", ";", ")", "]", "}"); i++ {
		i = max(i, a.Tokens[i].Pair)
	}
	return i
}
