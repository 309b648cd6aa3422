package script

import "iter"

// Use is a place at which the code uses a name that an import binds.
type Use struct {
	Member  string // of the module, if the name is that of the whole module
	At      int    // index of the token with the name, or with the member
	IsGuard bool   // the code only asks whether the name has a value, or uses it if it has one
}

// Uses returns the places at which a name of an import is used as a value. A compiler removes an
// import that has none. Where tokens do not tell a value from a type, it is not among them.
func (f *File) Uses(name string, isModule bool) iter.Seq[Use] {
	return func(yield func(Use) bool) {
		for _, i := range f.mentions(name) {
			if f.isLabel(i) || f.isDeclaration(i) || f.isType(i) {
				continue
			}
			use := Use{At: i}
			if isModule {
				if !f.Is(i+1, ".", "?.") {
					continue
				}
				use.At = i + 2
				use.Member = f.Text(i + 2)
			}
			use.IsGuard = f.isGuard(i, use.At)
			if !yield(use) {
				return
			}
		}
	}
}

// mentions returns the tokens with a name that an import binds, but not as a member or in an import.
func (f *File) mentions(name string) []int {
	if f.named == nil {
		f.named = map[string][]int{}
		imports := f.Imports()
		for _, m := range imports {
			for _, n := range m.Names {
				f.named[n.Local] = nil
			}
		}
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

// isHeritage reports whether "extends" is that of a class, and not of an interface, a parameter
// or a condition.
func (f *File) isHeritage(i int) bool {
	depth := 0
	for i--; i >= 0; i-- {
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
	for around := f.Tokens[i].Around; i > around; i-- {
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
	for around := f.Tokens[i].Around; i > around; i-- {
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
	for i := colon - 1; i > around; i-- {
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
