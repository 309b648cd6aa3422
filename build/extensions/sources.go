package extensions

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/file"

	"github.com/slipway-dev/slipway/build/frontend"
)

// sources reads the lines of source files that results point at.
type sources struct {
	root  string
	lines map[string][]string
}

// place turns a position of the interpreter, with columns from 0 in UTF-16, into a place.
func (s *sources) place(at file.Position) Place {
	if at.Line == 0 {
		return Place{}
	}
	units, column := 0, 0
	for i, r := range s.line(name(at), at.Line) {
		column = i
		if units >= at.Column {
			break
		}
		units++
		if r > 0xffff {
			units++
		}
		column += utf8.RuneLen(r)
	}
	return Place{name(at), at.Line, column + 1}
}

// name returns the file of a position, which the interpreter escapes as a URL.
func name(at file.Position) string {
	name, err := url.PathUnescape(at.Filename)
	if err != nil {
		return at.Filename
	}
	return name
}

func (s *sources) line(name string, n int) string {
	lines, ok := s.lines[name]
	if !ok {
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err == nil {
			lines = strings.Split(string(text), "\n")
		}
		s.lines[name] = lines
	}
	if n > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[n-1], "\r")
}

func (s *sources) warn(r *Result, at file.Position, text, help string) {
	p := s.place(at)
	m := frontend.Message{File: p.File, Line: p.Line, Column: p.Column, Text: text, Help: help}
	if p.Line > 0 {
		m.Source = s.line(p.File, p.Line)
		m.Length = 1
	}
	if !slices.Contains(r.Warnings, m) {
		r.Warnings = append(r.Warnings, m)
	}
}
