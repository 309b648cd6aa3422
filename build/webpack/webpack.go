// Package webpack reads what the webpack configuration of a repository changes in the meaning of
// code. It reads literal values and runs nothing: what a program computes is left out.
package webpack

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/validate/script"
)

// Settings are the literal settings of a configuration.
type Settings struct {
	config.Substitutions
	Fallback map[string]string // modules in the place of those that are not found, as in Alias
	Computed []string          // names of aliases whose value is not a literal
}

// Names returns the names of the configurations that Read looks for, in its order.
func Names() []string {
	return []string{"webpack.config.ts", "webpack.config.js", "webpack.config.mjs", "webpack.config.cjs"}
}

// Read reads the configuration at the root of a repository. Without one, and if it is not valid, the
// settings are empty.
func Read(root string) Settings {
	s := Settings{Fallback: map[string]string{}}
	s.Alias, s.Define, s.Inject = map[string]string{}, map[string]string{}, map[string]config.Export{}
	for _, name := range Names() {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue
		}
		if f, err := script.Parse(name, text); err == nil {
			reader{f}.read(&s)
		}
		break
	}
	return s
}

// reader reads the tokens of a configuration.
type reader struct{ *script.File }

func (r reader) read(s *Settings) {
	for i := range r.Tokens {
		switch {
		case r.Is(i, "alias") && r.Is(i+1, ":"):
			aliases, computed := r.modules(i + 2)
			maps.Copy(s.Alias, aliases)
			s.Computed = append(s.Computed, computed...)
		case r.Is(i, "fallback") && r.Is(i+1, ":"):
			fallbacks, _ := r.modules(i + 2)
			maps.Copy(s.Fallback, fallbacks)
		case !r.Is(i+1, "("):
		case r.Is(i, "DefinePlugin"):
			maps.Copy(s.Define, r.literals(i+2, ""))
		case r.Is(i, "EnvironmentPlugin"):
			maps.Copy(s.Define, r.literals(i+2, "process.env."))
		case r.Is(i, "ProvidePlugin"):
			maps.Copy(s.Inject, r.exports(i+2))
		}
	}
}

// members calls do for each member of the object at a token, with the first and the last token of its
// value.
func (r reader) members(object int, do func(key string, first, last int)) {
	if !r.Is(object, "{") {
		return
	}
	for at, end := object+1, r.Tokens[object].Pair; at < end; at++ {
		key, first := at, at+2
		last := at - 1
		for at < end && !r.Is(at, ",") {
			last = max(at, r.Tokens[at].Pair)
			at = last + 1
		}
		if first > last || !r.Is(key+1, ":") {
			continue // shorthand, or a member that is computed
		}
		if name, isString := r.text(key, key); isString {
			do(name, first, last)
		} else if r.Tokens[key].Kind == script.Name {
			do(r.Text(key), first, last)
		}
	}
}

// text returns a string, unlike the name of a constant.
func (r reader) text(first, last int) (string, bool) {
	if r.Tokens[first].Kind == script.Name {
		return "", false
	}
	return r.Literal(first, last)
}

func (r reader) modules(object int) (all map[string]string, computed []string) {
	all = map[string]string{}
	r.members(object, func(key string, first, last int) {
		if to, ok := r.module(first, last); ok {
			all[key] = to
		} else {
			computed = append(computed, key)
		}
	})
	return all, computed
}

// module returns the module that a value names: a string, false for an empty module, the argument of
// require.resolve, or a path from the directory of the configuration.
func (r reader) module(first, last int) (string, bool) {
	if first == last && r.Is(first, "false") {
		return "", true
	}
	if to, ok := r.Literal(first, last); ok {
		return to, true
	}
	name := first
	for r.Is(name+1, ".") {
		name += 2
	}
	args, isCall := r.Arguments(name)
	if !isCall || r.Tokens[name+1].Pair != last || !r.Is(name, "resolve", "join") {
		return "", false
	}
	parts := []string{"."}
	for i, arg := range args {
		part, isLiteral := r.Literal(arg[0], arg[1])
		switch {
		case i == 0 && r.Is(first, "require") && isLiteral && len(args) == 1:
			return part, true
		case i == 0 && (r.Is(arg[0], "__dirname") || r.Is(arg[0], "process") && r.Is(arg[0]+2, "cwd")):
		case isLiteral:
			parts = append(parts, part)
		default:
			return "", false
		}
	}
	if r.Is(first, "require") {
		return "", false
	}
	return "./" + path.Join(parts...), true
}

// literals returns the members of an object as literals of JavaScript.
func (r reader) literals(object int, prefix string) map[string]string {
	all := map[string]string{}
	r.members(object, func(key string, first, last int) {
		text, isString := r.Literal(first, last)
		switch {
		case !config.IsMember(prefix + key): // such as "typeof window"
		case prefix != "" && isString:
			all[prefix+key] = quote(text)
		case isString && json.Valid([]byte(text)):
			all[key] = text // DefinePlugin inserts a string as code
		case isString && len(text) > 1 && text[0] == '\'' && strings.HasSuffix(text, "'"):
			all[key] = quote(text[1 : len(text)-1])
		case first == last && json.Valid([]byte(r.Text(first))):
			all[prefix+key] = r.Text(first)
		default:
			if value, ok := r.stringified(first, last); ok {
				all[prefix+key] = value
			}
		}
	})
	return all
}

// stringified returns the value of JSON.stringify, whose argument may be the version of a package.json.
func (r reader) stringified(first, last int) (string, bool) {
	args, isCall := r.Arguments(first + 2)
	if !isCall || len(args) != 1 || !r.Is(first, "JSON") || !r.Is(first+2, "stringify") || r.Tokens[first+3].Pair != last {
		return "", false
	}
	from, to := args[0][0], args[0][1]
	if text, ok := r.Literal(from, to); ok {
		return quote(text), true
	}
	if from == to && json.Valid([]byte(r.Text(from))) {
		return r.Text(from), true
	}
	if r.Is(to, "version") && r.Is(to-1, ".") && to > from {
		return `"%VERSION%"`, true
	}
	return "", false
}

// exports returns the members of an object as exports: a module, or an array of a module and a name.
func (r reader) exports(object int) map[string]config.Export {
	all := map[string]config.Export{}
	r.members(object, func(key string, first, last int) {
		if module, ok := r.module(first, last); ok && module != "" {
			all[key] = config.Export{Module: module, Name: "default"}
			return
		}
		if !r.Is(first, "[") || r.Tokens[first].Pair != last || !r.Is(last-2, ",") {
			return
		}
		module, isModule := r.module(first+1, last-3)
		name, isName := r.Literal(last-1, last-1)
		if isModule && isName {
			all[key] = config.Export{Module: module, Name: name}
		}
	})
	return all
}

func quote(text string) string {
	data, _ := json.Marshal(text) // a string always encodes
	return string(data)
}
