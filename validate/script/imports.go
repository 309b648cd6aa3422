package script

import "bytes"

// Import is an import declaration, an export declaration with a module, or a call of import or require.
type Import struct {
	Module   string
	From, At int // indexes of the first token and of that with the module
	Names    []ImportedName
	IsExport bool
}

// ImportedName is a name that an Import binds or exports.
type ImportedName struct {
	Name     string // in the module; "*" is the module itself
	Local    string // in the file; "" if the name is only exported
	Exported string // by which the file exports it; "" if it does not, or exports all names
	At       int    // index of the token with Name, or the first of a call
	IsType   bool   // the declaration says that it is only a type

	callEnd int // index of the last token of a call; otherwise 0
}

// ReadImports returns the Imports of a file that have names. It reads no more than that needs: in most
// files, the imports come first.
func ReadImports(name string, data []byte) ([]Import, error) {
	end := endOfImports(data)
	if end == 0 {
		return nil, nil
	}
	f, err := Parse(name, data[:end])
	if err != nil { // the last one is in the code
		if f, err = Parse(name, data); err != nil {
			return nil, err
		}
	}
	return f.Imports(), nil
}

// endOfImports returns the offset after the last "from" with a string, or that of the whole file if something
// is imported by a call, whose names are in what follows.
func endOfImports(data []byte) (end int) {
	for _, word := range []string{"import", "require", "from"} {
		for rest, found := data, true; found; {
			if _, rest, found = bytes.Cut(rest, []byte(word)); !found {
				break
			}
			rest = skipSpace(rest)
			isCall := word != "from" && len(rest) > 0 && rest[0] == '('
			if isCall {
				rest = skipSpace(rest[1:])
			}
			switch {
			case len(rest) == 0 || rest[0] != '"' && rest[0] != '\'':
			case isCall:
				return len(data)
			case word == "from":
				end = len(data) - len(rest) + bytes.IndexByte(rest[1:], rest[0]) + 2
			}
		}
	}
	return end
}

// Imports returns the import declarations of the file, the exports of other modules, and the calls of import
// and require with a string, which import the whole module.
func (f *File) Imports() []Import {
	if f.imports != nil {
		return f.imports
	}
	for i := range f.Tokens {
		if f.Is(i, "import", "require") && f.Is(i+1, "(") {
			if m, ok := f.readCall(i); ok {
				f.imports = append(f.imports, m)
			}
			continue
		}
		isExport := f.Is(i, "export")
		if !isExport && !f.Is(i, "import") || f.Is(i-1, ".", "?.") || f.Is(i+1, "(", ".", ":") {
			continue
		}
		if m, ok := f.readImport(i+1, isExport); ok {
			f.imports = append(f.imports, m)
		}
	}
	return f.imports
}

// readCall reads a call such as import("module").
func (f *File) readCall(i int) (m Import, ok bool) {
	const at, last = 2, 3
	m = Import{From: i, At: i + at, Names: []ImportedName{{Name: "*", At: i, callEnd: i + last}}}
	m.Module, ok = f.Literal(i+at, i+at)
	isDeclaration := len(f.imports) > 0 && f.imports[len(f.imports)-1].At == m.At // import a = require("module")
	return m, ok && f.Is(i+last, ")") && !isDeclaration && !f.Is(i-1, ".", "?.")
}

// readImport reads what follows the keyword import or export.
func (f *File) readImport(i int, isExport bool) (Import, bool) {
	m := Import{From: i - 1, IsExport: isExport}
	isType := f.Is(i, "type") && !f.Is(i+1, "from", ",")
	if isType {
		i++
	}
	name := func(original, local int) {
		n := ImportedName{Name: f.Text(original), Local: f.Text(local), At: original}
		n.IsType = isType || f.Is(original-1, "type") && f.Is(original-2, "{", ",")
		if isExport {
			n.Local, n.Exported = "", n.Local
			if n.Exported == "*" {
				n.Exported = ""
			}
		}
		m.Names = append(m.Names, n)
	}
	for ; i < len(f.Tokens) && f.Tokens[i].Kind != String; i++ {
		switch {
		case f.Is(i, "{"):
			end := f.Tokens[i].Pair
			f.readNames(i+1, end, name)
			i = end
		case f.Is(i, "*") && f.Is(i+1, "as"):
			name(i, i+2)
			i += 2
		case f.Is(i, "*"):
			name(i, i)
		case f.Is(i, ",", "from"):
		case f.Tokens[i].Kind == Name && f.Is(i+1, "=") && f.Is(i+2, "require") && f.Is(i+3, "("): // import a = require("module")
			name(i, i)
			m.Names[0].Name = "*"
			m.At = i + 4
			module, ok := f.Literal(m.At, m.At)
			m.Module = module
			return m, ok && !isExport
		case f.Tokens[i].Kind == Name && !isExport && f.Is(i+1, ",", "from"):
			m.Names = append(m.Names, ImportedName{Name: "default", Local: f.Text(i), At: i, IsType: isType})
		default:
			return m, false // a declaration, not of a module
		}
	}
	if i >= len(f.Tokens) || len(m.Names) > 0 && !f.Is(i-1, "from") || isExport && len(m.Names) == 0 {
		return m, false
	}
	m.Module, _ = f.Literal(i, i)
	m.At = i
	return m, true
}

// readNames reads a list such as "a, b as c, type d".
func (f *File) readNames(i, end int, name func(original, local int)) {
	for ; i < end; i++ {
		if f.Is(i, "type") && !f.Is(i+1, ",", "as", "}") {
			i++
		}
		original := i
		if f.Is(i+1, "as") {
			i += 2
		}
		name(original, i)
		i++ // the comma
	}
}
