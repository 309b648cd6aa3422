package script

import (
	"iter"
	"slices"
)

// Globals returns the indexes of the uses of a global by its name alone, such as console.
// There are none if the file declares the name.
func (f *File) Globals(name string) iter.Seq[int] {
	var all []int
	for i := range f.Tokens {
		if f.Is(i, name) && !f.Is(i-1, ".", "?.") {
			all = append(all, i)
		}
	}
	if len(all) > 0 && f.Declares(name) {
		all = nil
	}
	return slices.Values(all)
}

// WindowMembers returns the members of window that the code uses, with the indexes of
// their tokens, as in window.open, window["open"] and (window as any).open.
func (f *File) WindowMembers() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range f.Globals("window") {
			if f.Is(i-1, "(") && f.Is(i+1, "as") || f.Is(i-1, ">") && f.Is(i+1, ")") { // a type assertion
				open := f.Tokens[i].Around
				if f.isPlainName(open-1) || f.Is(open-1, ")", "]") {
					continue // in the arguments of a call
				}
				i = f.Tokens[open].Pair
			}
			at := i + 2
			switch {
			case f.Is(i+1, ".", "?.") && at < len(f.Tokens) && f.Tokens[at].Kind == Name:
				if !yield(at, f.Text(at)) {
					return
				}
			case f.Is(i+1, "?."):
				at++
				fallthrough
			case f.Is(i+1, "["):
				if name, ok := f.Literal(at, at); ok && f.Is(at+1, "]") && !yield(at, name) {
					return
				}
			}
		}
	}
}

// Arguments returns the tokens of each argument, first and last, if the token is the name
// of a function that is called. It is not if it is the name of a method that is defined.
func (f *File) Arguments(name int) (args [][2]int, ok bool) {
	open := name + 1
	if f.Is(open, "?.") {
		open++
	}
	if f.Is(name+1, "]") {
		open = name + 2
	}
	if !f.Is(open, "(") {
		return nil, false
	}
	end := f.Tokens[open].Pair
	isInType := f.Is(end+1, ":") && (f.Is(name-1, "{", "}", ",", ";") || f.isPlainName(name-1))
	if f.Is(end+1, "{") || isInType {
		return nil, false
	}
	for first := open + 1; first < end; {
		last := first
		for next := first; next < end && !f.Is(next, ","); next = max(next, f.Tokens[next].Pair) + 1 {
			last = max(next, f.Tokens[next].Pair)
		}
		args = append(args, [2]int{first, last})
		first = last + 2
	}
	return args, true
}

func (f *File) isPlainName(i int) bool {
	return i >= 0 && f.Tokens[i].Kind == Name && !f.Is(i, "return", "await", "void", "typeof", "case", "yield", "else", "do", "in", "of", "delete", "throw")
}

// Literal returns the string that the tokens consist of: a string, a template without
// substitutions, or the name of a constant of the file that is one.
func (f *File) Literal(first, last int) (string, bool) {
	if first < 0 || last >= len(f.Tokens) || first > last {
		return "", false
	}
	t := f.Tokens[first]
	switch {
	case first == last && t.Kind == String:
		return string(f.Data[t.From+1 : t.To-1]), true
	case f.Is(first, "`") && t.Pair == last && last == first+1:
		return "", true
	case f.Is(first, "`") && t.Pair == last && last == first+2:
		return f.Text(first + 1), true
	case first == last && t.Kind == Name:
		return f.constant(f.Text(first))
	}
	return "", false
}

// constant returns the value of a constant that is declared once, as a string.
func (f *File) constant(name string) (value string, ok bool) {
	if f.constants == nil {
		f.constants = map[string]string{}
		seen := map[string]bool{}
		for i := range f.Tokens {
			if !f.Is(i, "const") || !f.Is(i+2, "=") {
				continue
			}
			declared := f.Text(i + 1)
			value, ok := f.initializer(i + 3)
			if f.constants[declared] = value; !ok || seen[declared] {
				delete(f.constants, declared)
			}
			seen[declared] = true
		}
	}
	value, ok = f.constants[name]
	return value, ok
}

// initializer returns the string that a constant is initialized with, from the token on.
func (f *File) initializer(first int) (string, bool) {
	last := first
	if f.Is(first, "`") {
		last = f.Tokens[first].Pair
	}
	if last >= len(f.Tokens) || f.Tokens[last].Kind == Name || !f.endsStatement(last) {
		return "", false
	}
	return f.Literal(first, last)
}

func (f *File) endsStatement(i int) bool {
	return i+1 == len(f.Tokens) || f.Is(i+1, ";", ",", "}") || f.Tokens[i+1].Kind == Name && !f.Is(i+1, "as", "in", "instanceof", "satisfies")
}

// Declares reports whether the file declares a name anywhere: as a variable, parameter,
// function, class or import. It errs on the side of a declaration.
func (f *File) Declares(name string) bool {
	for i := range f.Tokens {
		if f.Is(i, name) && !f.Is(i-1, ".", "?.") && f.isDeclaration(i) {
			return true
		}
	}
	return slices.ContainsFunc(f.Imports(), func(m Import) bool {
		return slices.ContainsFunc(m.Names, func(n ImportedName) bool { return n.Local == name })
	})
}

// isDeclaration reports whether the name at an index is declared there, by anything but an import.
func (f *File) isDeclaration(i int) bool {
	if f.Is(i-1, "const", "let", "var", "function", "class", "enum", "namespace") || f.Is(i-1, "*") && f.Is(i-2, "function") {
		return true
	}
	if f.Is(i+1, "=>") {
		return true
	}
	if !f.Is(i-1, "(", ",", "{", "[", ":", "...") {
		return false
	}
	if f.Is(i-1, ":") && f.Is(f.Tokens[i].Around, "(") { // the type of a parameter
		return false
	}
	for open := f.Tokens[i].Around; open >= 0; open = f.Tokens[open].Around {
		end := f.Tokens[open].Pair
		switch {
		case f.Is(open, "("):
			return f.isParameters(open)
		case f.Is(end+1, "=", "of", "in") && f.Is(open-1, "const", "let", "var"):
			return true
		case !f.Is(open-1, "(", ",", "{", "[", ":", "..."): // not inside of a pattern
			return false
		}
	}
	return false
}

// isParameters reports whether the parenthesis at an index encloses parameters.
func (f *File) isParameters(open int) bool {
	end := f.Tokens[open].Pair
	switch {
	case f.Is(end+1, "=>"), f.Is(open-1, "catch", "function"), f.Is(open-2, "function"):
		return true
	case f.Is(end+1, "{"):
		return !f.Is(open-1, "if", "while", "for", "with", "switch")
	case f.Is(end+1, ":"): // a type, unless it belongs to a conditional expression
		return f.Is(open-1, "=", "(", ",", "=>", ":", "async") || f.isPlainName(open-1) && !f.Is(open-2, "?", ".", "?.", "case")
	}
	return false
}
