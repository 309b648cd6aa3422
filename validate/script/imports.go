package script

import "bytes"

// Import is an import declaration, or an export declaration with a module.
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
	At       int    // index of the token with Name
	IsType   bool   // the declaration says that it is only a type
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

// endOfImports returns the offset after the last "from" with a string.
func endOfImports(data []byte) (end int) {
	rest := data
	for {
		_, after, ok := bytes.Cut(rest, []byte("from"))
		if !ok {
			return end
		}
		rest = skipSpace(after)
		if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
			end = len(data) - len(rest) + bytes.IndexByte(rest[1:], rest[0]) + 2
		}
	}
}

// Imports returns the import declarations of the file, and the exports of other modules.
// Calls of import and require are not among them.
func (f *File) Imports() []Import {
	if f.imports != nil {
		return f.imports
	}
	for i := range f.Tokens {
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
