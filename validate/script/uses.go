package script

import (
	"iter"
	"slices"
)

// Use is a place at which the code uses a name that an import binds.
type Use struct {
	Member  string // of the module, if the name is that of the whole module
	At      int    // index of the token with the name, or with the member
	IsGuard bool   // the code only asks whether the name has a value, or uses it if it has one
}

// Uses returns the places at which a name of an import is used as a value, or a member of it if it is a whole
// module. A compiler removes an import that has none. Where tokens do not tell a value from a type, it is not
// among them.
func (f *File) Uses(n ImportedName, isModule bool) iter.Seq[Use] {
	var all []Use
	add := func(u Use) { all = append(all, u) }
	if n.callEnd > 0 {
		f.membersOf(n.At, n.callEnd, 0, add)
		return slices.Values(all)
	}
	mentions := f.mentions(n.Local)
	var hidden []Span
	if isModule { // its members are told from those of another by nothing else
		hidden = f.hidden(mentions)
	}
	for _, i := range mentions {
		isHidden := func(s Span) bool { return s.From <= i && i <= s.To }
		switch {
		case slices.ContainsFunc(hidden, isHidden):
		case f.isLabel(i) || f.isDeclaration(i) || f.isType(i):
		case isModule:
			f.membersOf(i, i, 0, add)
		default:
			add(Use{At: i, IsGuard: f.isGuard(i, i)})
		}
	}
	return slices.Values(all)
}

// hidden returns the ranges of tokens in which other variables have the name of an import, by its mentions.
func (f *File) hidden(mentions []int) (all []Span) {
	const most = 100
	for _, i := range mentions {
		if len(all) < most && f.isDeclaration(i) {
			if from, to, ok := (&amd{File: f}).declares(i); ok && from > 0 {
				all = append(all, Span{From: from, To: to})
			}
		}
	}
	return all
}

// membersOf adds the members that are used of a module, which the tokens from first to last stand for: x.a, x["a"],
// const {a} = x, and those of a variable that has the module. A call of import is a promise of one.
func (f *File) membersOf(first, last, variables int, add func(Use)) {
	isPromise := f.Is(first, "import")
	for {
		switch {
		case isPromise && f.Is(first-1, "await"):
			isPromise = false
			first--
		case f.Is(first-1, "(") && f.Tokens[first-1].Pair == last+1 && !f.isOperand(first-2):
			first--
			last++
		case isPromise:
			if f.Is(last+1, ".") && f.Is(last+2, "then") && f.Is(last+3, "(") {
				f.parameter(last+3, variables, add)
			}
			return
		case f.Is(last+1, ".", "?.") && f.Is(last+2, "["):
			last++
		default:
			f.memberAfter(first, last, add)
			f.patternBefore(first, add)
			if f.Is(first-1, "=") && f.Is(first-3, "const", "let", "var") {
				f.variable(first-2, f.Tokens[first-2].Around, variables, add)
			}
			return
		}
	}
}

// memberAfter adds the member of the expression from first to last.
func (f *File) memberAfter(first, last int, add func(Use)) {
	at := last + 2
	switch {
	case f.Is(last+1, "[") && f.Tokens[last+1].Pair == at+1:
		if name, ok := f.Literal(at, at); ok {
			add(Use{Member: name, At: at, IsGuard: f.isGuard(first, at+1)})
		}
	case f.Is(last+1, ".", "?.") && at < len(f.Tokens) && f.Tokens[at].Kind == Name:
		add(Use{Member: f.Text(at), At: at, IsGuard: f.isGuard(first, at)})
	}
}

// patternBefore adds the members of a module that is assigned to a pattern before the token.
func (f *File) patternBefore(first int, add func(Use)) {
	if !f.Is(first-1, "=") || !f.Is(first-2, "}") {
		return
	}
	open := f.Tokens[first-2].Pair
	around := f.Tokens[open].Around
	isNext := f.Is(open-1, ",") && (around < 0 || f.Is(around, "{")) // in const a = 1, {b} = module
	if isNext || f.Is(open-1, "const", "let", "var") {
		f.pattern(open, around, add)
	}
}

// parameter adds the members of a module that a function in the arguments at a bracket gets, as in
// import("module").then((m) => m.a).
func (f *File) parameter(arguments, variables int, add func(Use)) {
	at := arguments + 1
	for f.Is(at, "async", "function", "(") {
		at++
	}
	switch {
	case f.Is(at, "{"):
		f.pattern(at, arguments, add)
	case f.isPlainName(at) && (f.Is(at-1, "(") && f.isParameters(f.Tokens[at].Around) || f.Is(at+1, "=>")):
		f.variable(at, arguments, variables, add)
	}
}

// maxVariables is through how many variables membersOf follows a module.
const maxVariables = 4

// variable adds the members of a module that are used of a variable inside of a bracket. A variable that is
// declared or set again there may be something else.
func (f *File) variable(declared, around, variables int, add func(Use)) {
	uses := f.mentionsWithin(f.Text(declared), around)
	isOther := func(i int) bool { return i != declared && (f.Is(i+1, "=") || f.isDeclaration(i)) }
	if variables++; variables > maxVariables || slices.ContainsFunc(uses, isOther) {
		return
	}
	for _, i := range uses {
		if i != declared && !f.isLabel(i) && !f.isType(i) {
			f.membersOf(i, i, variables, add)
		}
	}
}

// maxGuards is in how many places pattern looks for a guard of a variable.
const maxGuards = 100

// pattern adds the members that a pattern such as {a, b: c = d} takes of a module. Its variables are used inside
// of another bracket.
func (f *File) pattern(open, around int, add func(Use)) {
	end := f.Tokens[open].Pair
	for i := open + 1; i < end; i++ {
		local := i
		if f.Is(i+1, ":") {
			local += 2
		}
		use := Use{At: i, Member: f.Text(i), IsGuard: f.Is(local+1, "=")}
		if text, ok := f.Literal(i, i); ok && f.Tokens[i].Kind == String {
			use.Member = text
		}
		uses := f.mentionsWithin(f.Text(local), around)
		for _, j := range uses[:min(len(uses), maxGuards)] {
			use.IsGuard = use.IsGuard || f.isGuard(j, j)
		}
		if f.Tokens[i].Kind == Name || f.Tokens[i].Kind == String {
			add(use)
		}
		for i < end && !f.Is(i, ",") {
			i = max(i, f.Tokens[i].Pair) + 1
		}
	}
}

// mentionsWithin returns the mentions of a name inside of a bracket, or in the file if the bracket is -1.
func (f *File) mentionsWithin(name string, around int) []int {
	all := f.mentions(name)
	if around < 0 {
		return all
	}
	from, _ := slices.BinarySearch(all, around)
	to, _ := slices.BinarySearch(all, f.Tokens[around].Pair)
	return all[from:to]
}

// mentions returns the tokens with a name, but not as a member or in an import.
func (f *File) mentions(name string) []int {
	if f.named == nil {
		f.named = map[string][]int{}
		imports := f.Imports()
		for i, t := range f.Tokens {
			for len(imports) > 0 && imports[0].At < i {
				imports = imports[1:]
			}
			isImport := len(imports) > 0 && imports[0].From <= i
			if t.Kind != Name || isImport || f.Is(i-1, ".", "?.") {
				continue
			}
			if list, ok := f.named[string(f.Data[t.From:t.To])]; ok {
				f.named[f.Text(i)] = append(list, i)
			} else {
				f.named[f.Text(i)] = []int{i}
			}
		}
	}
	return f.named[name]
}

// isGuard reports whether the value from one token to another is compared, or used only if there is one.
func (f *File) isGuard(first, last int) bool {
	return f.Is(first-1, "typeof", "!") || f.Is(last+1, "?.", "&&", "||", "??", "?", "===", "!==", "==", "!=") ||
		f.Is(first-1, "(") && f.Is(last+1, ")") && f.Is(first-2, "if", "Boolean")
}

// isLabel reports whether a name is a key, the name of an attribute or method, or a parameter.
func (f *File) isLabel(i int) bool {
	isFirst := f.Is(i-1, "{", ",", ";", "(", "}")
	switch {
	case f.Is(i+1, "="): // an import cannot be assigned
		return true
	case f.Is(i+1, ":") && isFirst, f.Is(i+1, "?") && f.Is(i+2, ":", ",", ")", ";") && isFirst:
		return true
	case f.Is(i+1, "("):
		_, isCall := f.Arguments(i)
		return !isCall && !f.Is(i-1, "new", "extends")
	}
	return false
}

// isType reports whether a name, or an opening bracket, is a part of a type.
func (f *File) isType(i int) bool {
	before := i - 1
	if before < 0 {
		return false
	}
	switch {
	case f.Is(before, "as", "satisfies", "is", "keyof", "implements", "infer", "readonly", "asserts", "interface", "|", "&"):
		return true
	case f.Is(before, "=>"):
		return !f.Is(i, "(") && !f.Is(i+1, ".", "(", "?.")
	case f.Is(before, "typeof"):
		return f.isType(before)
	case f.Is(before, "extends"):
		return !f.isHeritage(before)
	case f.Is(before, "<"):
		return !f.hasJSX || f.isArgumentsOfType(before)
	case f.Is(before, ":"):
		return f.isAnnotation(before)
	case f.Is(before, "="):
		return f.statement(before, "type") || f.inTypeArguments(before)
	case f.Is(before, ","):
		around := f.Tokens[before].Around
		isTuple := f.Is(around, "[") && !f.isOperand(around-1) && f.isType(around)
		return isTuple || f.inTypeArguments(before) || f.statement(before, "interface", "implements")
	case f.Is(before, "?"):
		return f.statement(before, "extends")
	case f.Is(before, "(", "[") && !f.isOperand(before-1):
		return f.isType(before)
	}
	return false
}

// isOperand reports whether an operand ends with a token, so that a bracket after it is a call or an index.
func (f *File) isOperand(i int) bool { return f.isPlainName(i) || f.Is(i, ")", "]", "}", "`") }

// isArgumentsOfType reports whether "<" starts type arguments and not an element.
func (f *File) isArgumentsOfType(i int) bool { return f.isPlainName(i-1) && !f.Is(i-1, "default") }

// maxLookBack is how many tokens of a statement are read back to tell a type from a value: no statement that people
// write has more in one bracket, and a file is not read once for each of its names.
const maxLookBack = 1000

// isHeritage reports whether "extends" is that of a class, and not of an interface, a parameter
// or a condition.
func (f *File) isHeritage(i int) bool {
	depth := 0
	for from := i - maxLookBack; i > max(from, 0); {
		i--
		switch {
		case f.Is(i, ">"):
			depth++
		case f.Is(i, "<"):
			depth--
		case f.Is(i, "class"):
			return depth == 0
		case f.Is(i, "interface", "{", "}", ";", "="):
			return false
		}
	}
	return false
}

// statement reports whether one of the keywords is before a token in its statement or its bracket.
func (f *File) statement(i int, keywords ...string) bool {
	for around := max(f.Tokens[i].Around, i-maxLookBack); i > around; i-- {
		if f.Is(i, ")", "]", "}") && f.Tokens[i].Pair >= 0 {
			if f.Is(i, "}") && !f.Is(i+1, "=", ",", ":", ">", "|", "&") {
				return false
			}
			i = f.Tokens[i].Pair
			continue
		}
		if f.Is(i, keywords...) && !f.Is(i-1, ".", "?.") && !f.Is(i+1, ":", "=", ",", ")", ".") {
			return true
		}
		if f.Is(i, ";") {
			return false
		}
	}
	return false
}

// inTypeArguments reports whether a token is in a list such as <A, B = C>.
func (f *File) inTypeArguments(i int) bool {
	depth := 0
	for around := max(f.Tokens[i].Around, i-maxLookBack); i > around; i-- {
		switch {
		case f.Is(i, ")", "]", "}"):
			i = f.Tokens[i].Pair
		case f.Is(i, ">"):
			depth++
		case f.Is(i, "<") && depth > 0:
			depth--
		case f.Is(i, "<"):
			return f.isArgumentsOfType(i)
		case f.Is(i, ";", "return", "const", "let"):
			return false
		}
	}
	return false
}

// isAnnotation reports whether a type follows the colon, and not the value of a key or of a condition.
func (f *File) isAnnotation(colon int) bool {
	if f.Is(colon-1, "?") {
		return true
	}
	around := f.Tokens[colon].Around
	for i := colon - 1; i > max(around, colon-maxLookBack); i-- {
		switch {
		case f.Is(i, ")", "]", "}", "`"):
			i = min(i, f.Tokens[i].Pair)
		case f.Is(i, "?") && !f.Is(i+1, ":", ",", ")"):
			return f.statement(i, "extends")
		case f.Is(i, "case"):
			return false
		case f.Is(i, "const", "let", "var"):
			return true
		}
		if f.Is(i, ",", ";", "default") {
			break
		}
	}
	if !f.Is(around, "{", "${") || f.Is(colon-1, ")") {
		return true
	}
	return !f.isObject(around)
}

// isObject reports whether a brace starts an object, and not a type, class or block.
func (f *File) isObject(open int) bool {
	switch before := open - 1; {
	case f.Is(before, "="):
		return !f.statement(before, "type")
	case f.Is(before, ":"):
		return !f.isAnnotation(before)
	case f.Is(before, "(", ",", "[", "?", "&&", "||", "??", "...", "return", "{", "default"):
		return !f.isType(open)
	}
	return false
}
