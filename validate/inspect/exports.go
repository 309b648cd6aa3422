package inspect

import (
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/script"
)

// ExportsOfEntry returns the names that module.ts or module.tsx exports, and the place where the file begins.
// ok is false without such a file, and if it exports names that only other files tell.
func ExportsOfEntry(p *validate.Pass) (names map[string]bool, place func() validate.Place, ok bool) {
	isEntry := func(name string) bool {
		return name == path.Join(p.Dir, "module.ts") || name == path.Join(p.Dir, "module.tsx")
	}
	eachScript(p, func(s *Script) {
		names, ok = s.exports()
		place = func() validate.Place { return s.At(p, 0, 0) }
	}, isEntry, []string{""})
	return names, place, ok
}

// exports returns the names that a file exports. ok is false if they are not all known.
func (s *Script) exports() (names map[string]bool, ok bool) {
	names = map[string]bool{}
	for i := range s.Tokens {
		switch {
		case s.Is(i, "exports") || s.Is(i, "module") && s.Is(i+1, ".") || s.Is(i, "define") && s.Is(i+1, "("):
			return nil, false
		case !s.Is(i, "export") || s.Is(i-1, ".", "?."):
		case s.Is(i+1, "*", "=", "import"), s.Is(i+2, "{", "["): // of another module, or in a pattern
			return nil, false
		case s.Is(i+1, "{"):
			for j := i + 2; j < s.Tokens[i+1].Pair; j++ {
				if s.Is(j+1, ",", "}") {
					names[s.Text(j)] = true
				}
			}
		default: // a declaration
			name := i + 1
			for s.Is(name, "async", "abstract", "declare", "const", "let", "var", "function", "class", "enum", "type", "interface", "namespace") {
				name++
			}
			if name >= len(s.Tokens) || s.Tokens[name].Kind != script.Name {
				return nil, false // the bundler reports it
			}
			names[s.Text(name)] = true
		}
	}
	return names, len(s.Tokens) > 0
}
