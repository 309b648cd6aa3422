package frontend

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/webpack"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/validate/script"
)

// replacements are what a repository puts in the place of modules and names. A module is another
// module, an absolute path, or "" for an empty module.
type replacements struct {
	alias    map[string]string // before anything else is tried
	fallback map[string]string // if the module is not found
	computed []string          // aliases that nobody has evaluated
	define   map[string]string
	inject   map[string]config.Export
}

// replacementsOf returns the literal settings of the webpack configuration of a repository, and over
// them those of slipway.yaml.
func replacementsOf(o Options) replacements {
	w := webpack.Read(o.Root)
	maps.Copy(w.Alias, o.Substitutions.Alias)
	maps.Copy(w.Define, o.Substitutions.Define)
	maps.Copy(w.Inject, o.Substitutions.Inject)
	r := replacements{alias: w.Alias, fallback: w.Fallback, computed: w.Computed, define: w.Define, inject: w.Inject}
	for _, modules := range []map[string]string{r.alias, r.fallback} {
		for name, to := range modules {
			modules[name] = located(o.Root, to)
		}
	}
	for name, to := range r.inject {
		r.inject[name] = config.Export{Module: located(o.Root, to.Module), Name: to.Name}
	}
	return r
}

// located returns the absolute path of a module that is a path from the repository, and other modules
// as they are.
func located(root, module string) string {
	if rel, ok := strings.CutPrefix(module, "./"); ok {
		return filepath.Join(root, filepath.FromSlash(rel))
	}
	return module
}

// hasSameNames reports whether the settings of esbuild are the same.
func (r replacements) hasSameNames(other replacements) bool {
	return maps.Equal(r.define, other.define) && maps.Equal(r.inject, other.inject)
}

// of returns what an import is replaced by: the longest name that is the import, or a directory
// of it. A name that ends in $ stands for the import alone.
func (r replacements) of(module string) (to string, ok bool) {
	if to, ok := r.alias[module+"$"]; ok {
		return to, true
	}
	for name := module; ; {
		if to, ok := r.alias[name]; ok {
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

// unknown returns the error for an import that uses a computed alias, or nil.
func (r replacements) unknown(module string) []api.Message {
	for _, alias := range r.computed {
		if name := strings.TrimSuffix(alias, "$"); module == name || strings.HasPrefix(module, name+"/") {
			return []api.Message{{
				Text:  fmt.Sprintf("cannot find %q: the webpack configuration computes what %q stands for", module, alias),
				Notes: []api.Note{{Text: fmt.Sprintf(`write it below "frontend" in slipway.yaml: alias: {%q: ./src/...}`, alias)}},
			}}
		}
	}
	return nil
}

// loadInjected returns a module that exports what a name stands for.
func (b *bundler) loadInjected(in api.OnLoadArgs) (api.OnLoadResult, error) {
	from := b.replaced.inject[in.Path]
	contents := fmt.Sprintf("export { %s as %s } from %s", from.Name, in.Path, quote(filepath.ToSlash(from.Module)))
	return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS, ResolveDir: b.Root}, nil
}

// nodeNames finds the files that may use names of Node.js or webpack, which bundlers of older
// repositories provided.
var nodeNames = regexp.MustCompile(`\b(Buffer|process|require\.context)\b`)

// undefined returns a warning for each such name that a file of the repository uses, and that
// nothing defines.
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
			if !isCall && !f.Is(i-1, "new") && !f.Is(i+1, ".", "[") { // the name of a type or of a method
				continue
			}
			member, help := name, fmt.Sprintf(`if a package provides it, add it below "frontend" in slipway.yaml: inject: {%s: [package, %[1]s]}`, name)
			if name == "process" && f.Is(i+1, ".") && f.Is(i+2, "env") && f.Is(i+3, ".") {
				member = "process.env." + f.Text(i+4)
				help = fmt.Sprintf(`give it a value below "frontend" in slipway.yaml: define: {%s: ...}`, member)
			}
			if name == "require" {
				member, help = "require.context", "import each of the files by its name"
				if !f.Is(i+1, ".") || !f.Is(i+2, "context") {
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

// location returns the place of some bytes of a file.
func (b *bundler) location(file string, text []byte, at, length int) *api.Location {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	return &api.Location{
		File: b.shown(file), Line: bytes.Count(text[:at], []byte("\n")) + 1, Column: at - start, Length: length, LineText: string(line),
	}
}
