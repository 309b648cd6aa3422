package shared

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/bundle/ranges"
)

//go:embed table.txt.gz
var compressed []byte

// Name is what the versions of a host say about a name in a module. The sets have the index of each
// minor version in Minors.
type Name struct {
	Values     Set    // versions that export it
	Types      Set    // versions in which it is only a type, which no program imports
	Deprecated Set    // versions whose types say so
	Advice     string // of the newest of these; may be ""
}

// Module is a module whose exports the table has.
type Module struct {
	names    func() map[string]Name
	versions []string // of its package; "-" if the version of the host does not have it
}

// Name returns what is known of a name in the module. ok is false if no version exports or declares it.
func (m *Module) Name(name string) (n Name, ok bool) {
	n, ok = m.names()[name]
	return n, ok
}

// Lacking returns the names that some of the versions do not export, and others do.
func (m *Module) Lacking(versions Set) map[string]bool {
	all := map[string]bool{}
	for name, n := range m.names() {
		if n.Values != 0 && versions&m.Versions()&^n.Values != 0 {
			all[name] = true
		}
	}
	return all
}

// names parses the lines of a module.
func names(lines string) map[string]Name {
	all := make(map[string]Name, strings.Count(lines, "\n"))
	for line := range strings.Lines(lines) {
		columns := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "", "", "", "")
		all[columns[0]] = Name{Values: set(columns[1]), Types: set(columns[2]), Deprecated: set(columns[3]), Advice: columns[4]}
	}
	return all
}

// Versions returns the minor versions of the host that have the module.
func (m *Module) Versions() (s Set) {
	for i, version := range m.versions {
		if version != "-" {
			s |= 1 << i
		}
	}
	return s
}

// Set is a set of minor versions.
type Set uint64

// Has reports whether a minor version is in the set.
func (s Set) Has(minor int) bool { return s&(1<<minor) != 0 }

// Newest returns the newest minor version in the set, or -1.
func (s Set) Newest() int { return bits.Len64(uint64(s)) - 1 }

type table struct {
	minors  []ranges.Version
	modules map[string]*Module
}

// read decompresses and parses the table, whose form is described in build/libraries.
var read = sync.OnceValue(func() table {
	in, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(err) // the file is part of the program
	}
	data, err := io.ReadAll(in)
	if err != nil {
		panic(err)
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	t := table{modules: map[string]*Module{}}
	for minor := range strings.FieldsSeq(first) {
		major, rest, _ := strings.Cut(minor, ".")
		t.minors = append(t.minors, ranges.Version{Major: uint64(number(major)), Minor: uint64(number(rest))})
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(rest, "\n"), "\n\n") {
		head, lines, _ := strings.Cut(part, "\n")
		fields := strings.Fields(head)
		m := &Module{names: sync.OnceValue(func() map[string]Name { return names(lines) }), versions: fields[1:]}
		t.modules[fields[0]] = m
	}
	return t
})

// set parses numbers such as 0-4,7.
func set(text string) (s Set) {
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		for i := number(from); i <= number(to); i++ {
			s |= 1 << i
		}
	}
	return s
}

func number(text string) int { n, _ := strconv.Atoi(text); return n }

// Minors returns the minor versions that the table has, oldest first.
func Minors() []ranges.Version { return read().minors }

// Find returns the module of a name such as @grafana/ui, if the table has its exports.
func Find(module string) (*Module, bool) {
	m, ok := read().modules[module]
	return m, ok
}

// React returns the major version of React that a minor version of the host has.
func React(minor int) int {
	major, _, _ := strings.Cut(read().modules["react"].versions[minor], ".")
	return number(major)
}

// Admitted returns the minor versions of the table of which a range admits any release.
func Admitted(r ranges.Range) (s Set) {
	for i := range Minors() {
		if _, ok := Lowest(r, i); ok {
			s |= 1 << i
		}
	}
	return s
}

// Lowest returns the lowest release of a minor version that a range admits.
func Lowest(r ranges.Range, minor int) (ranges.Version, bool) {
	v := Minors()[minor]
	return r.LowestWithin(v, ranges.Version{Major: v.Major, Minor: v.Minor + 1})
}
