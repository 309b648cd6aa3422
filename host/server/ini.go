package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxINIErrors is how many errors in a file are reported at once.
const maxINIErrors = 10

// iniKey is a key of a section, with its value and position.
type iniKey struct {
	section, name, value string
	line                 int
	hasVariables         bool // variables in the value are replaced
}

// iniFile is a file in the INI format of existing hosts. Where they would silently cut a
// value or prefer one of two, it is an error.
type iniFile struct {
	name    string
	keys    []iniKey
	ignored []string // sections that are not read, in the order of the file

	isRead  func(section string) bool
	section string
	lines   []string
	line    int // of the next one, from 0
	errs    []error
}

// parseINI parses a file. It does not check the sections for which isRead is false.
func parseINI(name, text string, isRead func(section string) bool) (*iniFile, error) {
	f := &iniFile{name: name, isRead: isRead, lines: strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")}
	for f.line < len(f.lines) {
		line := f.lines[f.line]
		f.line++
		f.parseLine(line)
	}
	if len(f.errs) > maxINIErrors {
		f.errs = append(f.errs[:maxINIErrors], fmt.Errorf("%s has more errors", name))
	}
	return f, errors.Join(f.errs...)
}

// fail records an error on the line that was read last, at a column from 1. It must not
// quote a value, which may be secret.
func (f *iniFile) fail(column int, format string, args ...any) {
	f.failAt(f.line, column, format, args...)
}

func (f *iniFile) failAt(line, column int, format string, args ...any) {
	if f.isRead(f.section) {
		f.errs = append(f.errs, fmt.Errorf("%s:%d:%d: %s", f.name, line, column, fmt.Sprintf(format, args...)))
	}
}

func (f *iniFile) parseLine(line string) {
	text := strings.TrimSpace(line)
	start := strings.Index(line, text) + 1
	switch {
	case text == "" || strings.ContainsRune("#;", rune(text[0])):
		return
	case text[0] == '[':
		f.parseSection(text, start)
		return
	}
	end := strings.IndexAny(line, "=:")
	if end < 0 {
		f.fail(start, "expected [section] or key = value")
		return
	}
	key := iniKey{section: f.section, name: strings.TrimSpace(line[:end]), line: f.line}
	rest := strings.TrimLeft(line[end+1:], " \t\r")
	column := len(line) - len(rest) + 1
	value, quote, ok := f.parseValue(rest, column)
	switch {
	case !f.isRead(f.section):
		f.ignore(f.section)
		return
	case !ok:
		return
	case !isName(key.name):
		f.failAt(key.line, start, "invalid key: use letters, digits, and the characters _ - .") // perhaps a part of a value
		return
	}
	same := func(k iniKey) bool { return k.section == key.section && strings.EqualFold(k.name, key.name) }
	if i := slices.IndexFunc(f.keys, same); i >= 0 {
		f.failAt(key.line, start, "key %s is already set on line %d", key.name, f.keys[i].line)
		return
	}
	key.value, key.hasVariables = value, quote != '`'
	f.keys = append(f.keys, key)
}

func (f *iniFile) parseSection(text string, column int) {
	name, rest, closed := strings.Cut(text[1:], "]")
	rest = strings.TrimSpace(rest)
	f.section = strings.TrimSpace(name)
	if !closed || f.section == "" || rest != "" && !strings.ContainsRune("#;", rune(rest[0])) {
		f.errs = append(f.errs, fmt.Errorf("%s:%d:%d: invalid section: expected [name]", f.name, f.line, column))
	}
}

// ignore records that a section is not read.
func (f *iniFile) ignore(section string) {
	if !slices.Contains(f.ignored, section) {
		f.ignored = append(f.ignored, section)
	}
}

// parseValue parses what follows the = of a key. quote is the first character of a quoted
// value, otherwise 0.
func (f *iniFile) parseValue(text string, column int) (value string, quote byte, ok bool) {
	const triple = `"""`
	if after, found := strings.CutPrefix(text, triple); found {
		return f.parseLong(after, triple, column)
	}
	if text != "" && strings.IndexByte("\"'`", text[0]) >= 0 {
		value, rest, closed := strings.Cut(text[1:], text[:1])
		rest = strings.TrimSpace(rest)
		if !closed || rest != "" && !strings.ContainsRune("#;", rune(rest[0])) {
			f.fail(column, "the value must end with %s at the end of the line", text[:1])
			return "", 0, false
		}
		return value, text[0], true
	}
	if i := strings.IndexAny(text, "#;"); i > 0 && text[i-1] != ' ' && text[i-1] != '\t' {
		f.fail(column+i, "%q begins a comment in existing hosts: put the value in quotes, or a space before the comment", text[i:i+1])
		return "", 0, false
	} else if i >= 0 {
		text = text[:i]
	}
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, `\`) {
		f.fail(column+len(text)-1, `a value that ends with \ must be in quotes, and a value of several lines in """`)
		return "", 0, false
	}
	return text, 0, true
}

// parseLong parses a value that may have several lines.
func (f *iniFile) parseLong(text, end string, column int) (value string, quote byte, ok bool) {
	first := f.line
	for {
		part, _, closed := strings.Cut(text, end)
		value += strings.TrimSuffix(part, "\r")
		if closed {
			return value, end[0], true
		}
		if f.line == len(f.lines) {
			f.failAt(first, column, "%s is not closed", end)
			return "", 0, false
		}
		value += "\n"
		text = f.lines[f.line]
		f.line++
	}
}

// isName reports whether text can be a part of the name of a variable.
func isName(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.", r) {
			return false
		}
	}
	return text != ""
}
