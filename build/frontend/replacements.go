package frontend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/bundlerconfig"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/validate/script"
)

// replacements are what a repository puts in the place of modules and names. A module is another
// module, an absolute path, or "" for an empty module.
type replacements struct {
	alias    map[string]string // before anything else is tried
	fallback map[string]string // if the module is not found
	define   map[string]string // literals and names
	inject   map[string]config.Export
	values   map[string]string // expressions of define, by the names there
}

// replacementsOf returns those of the configuration of the bundler, and over them those of slipway.yaml.
func replacementsOf(o Options, c *bundlerconfig.Config) replacements {
	r := replacements{alias: map[string]string{}, fallback: map[string]string{}, define: map[string]string{}, inject: map[string]config.Export{}, values: map[string]string{}}
	for _, alias := range []map[string]string{c.Alias, o.Substitutions.Alias} {
		for name, to := range alias {
			r.alias[name] = located(o.Root, to)
		}
	}
	for name, to := range c.Fallback {
		r.fallback[name] = located(o.Root, to)
	}
	for _, defined := range []map[string]string{c.Define, o.Substitutions.Define} {
		maps.Copy(r.define, defined)
	}
	for name, value := range r.define {
		if value != "undefined" && !json.Valid([]byte(value)) { // esbuild inserts only literals and names
			r.define[name] = fmt.Sprintf("__plugin_value_%d__", len(r.values))
			r.values[r.define[name]] = value
		}
	}
	for _, injected := range []map[string]config.Export{c.Inject, o.Substitutions.Inject} {
		for name, to := range injected {
			if strings.Contains(name, ".") { // such as window.jQuery
				r.define[name] = "__plugin_" + strings.ReplaceAll(name, ".", "_") + "__"
				name = r.define[name]
			}
			r.inject[name] = config.Export{Module: located(o.Root, to.Module), Name: to.Name}
		}
	}
	return r
}

// located returns the absolute path of a path from the repository, and other modules as they are.
func located(root, module string) string {
	if rel, ok := strings.CutPrefix(module, "./"); ok {
		return filepath.Join(root, filepath.FromSlash(rel))
	}
	return module
}

// instead returns what an import is replaced by: the longest name that is the import, or a directory
// of it. A name that ends in $ stands for the import alone.
func instead(of map[string]string, module string) (to string, ok bool) {
	if to, ok := of[module+"$"]; ok {
		return to, true
	}
	for name := module; ; {
		if to, ok := of[name]; ok {
			rest := strings.TrimPrefix(module, name)
			if rest != "" && (to == "" || strings.HasPrefix(module, to)) {
				return "", false // it already names the replacement
			}
			return to + rest, true
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return "", false
		}
		name = name[:i]
	}
}

// injected returns what esbuild injects: the modules that have exports for names, each once, and the names of values.
func (r replacements) injected() (list []string) {
	for _, from := range r.inject {
		list = append(list, injectPrefix+from.Module)
	}
	for name := range r.values {
		list = append(list, injectPrefix+name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// loadInjected returns a module that exports what names stand for.
func (b *bundler) loadInjected(in api.OnLoadArgs) (api.OnLoadResult, error) {
	contents := "export const " + in.Path + " = " + b.replaced.values[in.Path]
	if _, isValue := b.replaced.values[in.Path]; !isValue {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(b.replaced.inject)) {
			if from := b.replaced.inject[name]; from.Module == in.Path {
				list = append(list, from.Name+" as "+name)
			}
		}
		contents = fmt.Sprintf("export { %s } from %s", strings.Join(list, ", "), quote(filepath.ToSlash(in.Path)))
	}
	return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS, ResolveDir: b.Root}, nil
}

// nodeNames finds files that may use names of Node.js or webpack, which bundlers provided earlier.
var nodeNames = regexp.MustCompile(`\b(Buffer|process|require\b[^\n]*\.\s*context)\b`)

// afterName returns the token after a name, or after the type that it is asserted to have, as in (name as any).
func afterName(f *script.File, i int) int {
	if open := f.Tokens[i].Around; open >= 0 && f.Is(open, "(") && (open == i-1 && f.Is(i+1, "as") || f.Is(i-1, ">") && f.Is(i+1, ")")) {
		return f.Tokens[open].Pair + 1
	}
	return i + 1
}

// undefined returns a warning for each such name in a file of the repository that nothing defines.
func (b *bundler) undefined(file string, text []byte) (list []api.Message) {
	if !nodeNames.Match(text) {
		return nil
	}
	f, err := script.Parse(file, text)
	if err != nil {
		return nil // esbuild reports syntax errors
	}
	for _, name := range []string{"Buffer", "process", "require"} {
		if _, ok := b.replaced.inject[name]; ok {
			continue
		}
		uses := slices.Collect(f.Globals(name))
		if slices.ContainsFunc(uses, func(i int) bool { return f.Is(i-1, "typeof") }) {
			continue // the file asks whether it exists
		}
		for _, i := range uses {
			_, isCall := f.Arguments(i)
			after := afterName(f, i)
			if !isCall && !f.Is(i-1, "new") && !f.Is(after, ".", "[") { // the name of a type or of a method
				continue
			}
			member, help := name, fmt.Sprintf(`if a package provides it, add it below "frontend" in slipway.yaml: inject: {%s: [package, %[1]s]}`, name)
			if name == "process" && f.Is(after, ".") && f.Is(after+1, "env") && f.Is(after+2, ".") {
				member = "process.env." + f.Text(after+3)
				help = fmt.Sprintf(`give it a value below "frontend" in slipway.yaml: define: {%s: ...}`, member)
			}
			if name == "require" {
				member, help = "require.context", "import each of the files by its name"
				if !f.Is(after, ".") || !f.Is(after+1, "context") {
					continue
				}
			}
			if _, ok := b.replaced.define[member]; ok || member == "process.env.NODE_ENV" {
				continue
			}
			list = append(list, api.Message{
				Text:     "nothing defines " + member + ", which browsers do not have",
				Notes:    []api.Note{{Text: help}},
				Location: b.location(file, text, f.Tokens[i].From, len(member)),
			})
		}
	}
	return list
}

func (b *bundler) location(file string, text []byte, at, length int) *api.Location {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	return &api.Location{
		File: b.shown(file), Line: bytes.Count(text[:at], []byte("\n")) + 1, Column: at - start, Length: length, LineText: string(line),
	}
}
