package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/validate/script"
)

// reader reads the exports of packages.
type reader struct {
	store *packages.Store
	root  string
	files map[string]*source
}

// about is the part of a package.json that names the entries and versions.
type about struct {
	Main, Module, Types                             string
	Dependencies, DevDependencies, PeerDependencies map[string]string
}

func (r *reader) about(ctx context.Context, name, version string) (a about, dir string, err error) {
	at, ok, err := r.store.Dir(ctx, filepath.Join(r.root, "package.json"), alias(name, version))
	if err != nil || !ok {
		return a, "", errors.Join(err, fmt.Errorf("%s@%s is not in the lockfile", name, version))
	}
	dir = filepath.Join(at, "node_modules", filepath.FromSlash(alias(name, version)))
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return a, dir, err
	}
	return a, dir, json.Unmarshal(text, &a)
}

// d3Bundle is the bundle of the packages that d3 consists of, which exports their names in any of its functions.
const d3Bundle = "d3.js"

// entries returns the script and the declarations of an entry of a package, or "" for what it lacks.
func entries(a about, dir, name, sub string) (code, types string) {
	base := filepath.Base(name)
	tried := []string{ // of React, which chooses at run time, of old versions of ours, and of d3
		"cjs/" + base + ".production.js", "cjs/" + base + ".production.min.js", "index.development.js", "dist/" + d3Bundle,
	}
	if sub != "" {
		tried = []string{"dist/esm" + sub + ".mjs", "dist/esm" + sub + "/index.js", "_esm2015" + sub + "/index.js"}
	} else {
		tried = append(tried, a.Module, "dist/esm/index.mjs", "dist/esm/index.js", a.Main)
	}
	declared := []string{"dist/types/index.d.ts", a.Types}
	if sub != "" {
		declared = []string{"dist/types" + sub + ".d.ts", "dist/esm" + sub + ".d.mts", "dist" + sub + ".d.ts"}
	}
	return firstFile(dir, tried), firstFile(dir, declared)
}

func firstFile(dir string, names []string) string {
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(file); name != "" && err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// source is what a script or a file of declarations exports and declares. An exported name stands for a
// name in the file, or in another one: "file\nname".
type source struct {
	exported map[string]string
	imported map[string]string // of other files, in the same form
	stars    []string          // files whose exports it exports
	notes    map[string]string // why a declared name is deprecated
}

// names returns the exports of a file, with the reason of those that are deprecated.
func (r *reader) names(file string) (map[string]string, error) {
	s, err := r.read(file)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, star := range s.stars {
		more, err := r.names(star)
		if err != nil {
			return nil, err
		}
		for name, note := range more {
			all[name] = note
		}
	}
	for name, from := range s.exported {
		at, original, isFromFile := strings.Cut(from, "\n")
		if !isFromFile {
			all[name] = s.notes[from]
			continue
		}
		more, err := r.names(at)
		if err != nil {
			return nil, err
		}
		all[name] = more[original]
	}
	delete(all, "default")
	return all, nil
}

// read reads a file once.
func (r *reader) read(file string) (*source, error) {
	if s := r.files[file]; s != nil {
		return s, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f, err := script.Parse(file, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &source{exported: map[string]string{}, imported: map[string]string{}, notes: map[string]string{}}
	r.files[file] = s
	for _, m := range f.Imports() {
		if from := s.relative(f, file, m.At); from != "" {
			for _, n := range m.Names {
				s.imported[n.Local] = from + "\n" + n.Name
			}
		}
	}
	for i := range f.Tokens {
		around := f.Tokens[i].Around
		switch {
		case around < 0, filepath.Base(file) == d3Bundle && f.Is(i, "exports"):
			s.statement(f, file, i)
		case f.Is(i, "exports") && f.Is(i+3, "||") && f.Is(i+5, "exports") && f.Tokens[around].Around < 0: // an enum in CommonJS
			s.exported[f.Text(i+2)] = ""
		}
	}
	return s, nil
}

// statement reads what the statement of the top level at a token exports or declares.
func (s *source) statement(f *script.File, file string, i int) {
	switch {
	case f.Is(i, "exports") && f.Is(i+1, ".") && f.Is(i+3, "=") && !f.Is(i-1, "."): // CommonJS
		s.exported[f.Text(i+2)] = ""
	case f.Is(i, "Object") && f.Is(i+2, "defineProperty") && f.Is(i+4, "exports"):
		if name, ok := f.Literal(i+6, i+6); ok && name != "__esModule" {
			s.exported[name] = ""
		}
	case f.Is(i, "export"):
		s.export(f, file, i+1)
	case f.Is(i-1, "export", "declare", "abstract", "const"):
	case f.Is(i, "declare", "interface", "type", "abstract", "class", "enum", "function", "const"):
		s.declare(f, i, i)
	}
}

// export reads what follows the keyword export.
func (s *source) export(f *script.File, file string, i int) {
	if f.Is(i, "type") && f.Is(i+1, "{", "*") {
		i++
	}
	switch {
	case f.Is(i, "*"):
		at := i + 2
		if f.Is(i+1, "as") {
			s.exported[f.Text(i+2)] = ""
			return
		}
		if from := s.relative(f, file, at); from != "" {
			s.stars = append(s.stars, from)
		}
	case f.Is(i, "{"):
		end := f.Tokens[i].Pair
		from := ""
		if f.Is(end+1, "from") {
			from = s.relative(f, file, end+2)
		}
		for n := i + 1; n < end; n++ {
			if f.Is(n, "type") && !f.Is(n+1, ",", "as", "}") {
				n++
			}
			original, name := f.Text(n), f.Text(n)
			if f.Is(n+1, "as") {
				n += 2
				name = f.Text(n)
			}
			switch {
			case from != "":
				original = from + "\n" + original
			case f.Is(end+1, "from"): // another package
				original = ""
			case s.imported[original] != "":
				original = s.imported[original]
			}
			s.exported[name] = original
			n++ // the comma
		}
	default:
		if name := s.declare(f, i, i-1); name != "" {
			s.exported[name] = name
		}
	}
}

// declare reads a declaration, and returns its name. Its comment is before the token start.
func (s *source) declare(f *script.File, i, start int) string {
	for f.Is(i, "declare", "abstract", "async", "default", "const") && !f.Is(i+1, "=") {
		if f.Is(i, "const") && !f.Is(i+1, "enum") {
			break
		}
		i++
	}
	if !f.Is(i, "const", "let", "var", "function", "class", "enum", "interface", "type", "namespace") || i+1 >= len(f.Tokens) {
		return ""
	}
	if f.Is(i+1, "*") {
		i++
	}
	name := f.Text(i + 1)
	if f.Tokens[i+1].Kind != script.Name {
		return ""
	}
	if note := deprecation(f, start); note != "" {
		s.notes[name] = note
	}
	return name
}

// relative returns the file that the string at a token denotes, or "" if it is not a relative path.
func (s *source) relative(f *script.File, file string, i int) string {
	module, _ := f.Literal(i, i)
	if !strings.HasPrefix(module, ".") {
		return ""
	}
	base := filepath.Join(filepath.Dir(file), filepath.FromSlash(module))
	stem := strings.TrimSuffix(strings.TrimSuffix(base, ".js"), ".mjs")
	if strings.HasSuffix(file, ".d.ts") || strings.HasSuffix(file, ".d.mts") {
		return firstFile("/", []string{stem + ".d.ts", stem + ".d.mts", filepath.Join(stem, "index.d.ts")})
	}
	return firstFile("/", []string{base, base + ".js", base + ".mjs", filepath.Join(base, "index.js")})
}

var (
	deprecatedTag = regexp.MustCompile(`(?s)@deprecated\b(.*?)(?:\n\s*\*?\s*@[a-z]|\*/)`)
	linkTag       = regexp.MustCompile(`\{@link\s+(\S+?)(?:\s+([^}]*))?\}`)
	margins       = regexp.MustCompile(`(?:\s*\n\s*\*?)+\s*`)
)

// noReason is the note of a name that is deprecated without a reason.
const noReason = "-"

// deprecation returns why the comment before a token says that something is deprecated.
func deprecation(f *script.File, i int) string {
	from := 0
	if i > 0 {
		from = f.Tokens[i-1].To
	}
	for _, c := range f.Comments {
		if c.From < from || c.To > f.Tokens[i].From {
			continue
		}
		m := deprecatedTag.FindSubmatch(f.Data[c.From:c.To])
		if m == nil {
			continue
		}
		note := linkTag.ReplaceAllStringFunc(string(m[1]), func(link string) string {
			parts := linkTag.FindStringSubmatch(link)
			if parts[2] != "" {
				return parts[2]
			}
			return parts[1]
		})
		note = strings.Join(strings.Fields(margins.ReplaceAllString(note, " ")), " ")
		note = strings.Trim(note, " -:.*")
		if note == "" {
			return noReason
		}
		return note
	}
	return ""
}
