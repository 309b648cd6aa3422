package shared

import (
	_ "embed"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/internal/nearest"
)

//go:embed table.txt
var text string

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
	lines    func() map[string]string // what follows a name in the table
	versions []string                 // of its package; "-" if the version of the host does not have it
}

// Name returns what is known of a name in the module. ok is false if no version exports or declares it.
func (m *Module) Name(name string) (n Name, ok bool) {
	line, ok := m.lines()[name]
	if !ok {
		return Name{}, false
	}
	return parse(line), true
}

// Nearest returns the name of a value that some version exports and that a misspelled name stands for, or "".
func (m *Module) Nearest(name string) string {
	var values []string
	for _, known := range slices.Sorted(maps.Keys(m.lines())) {
		if parse(m.lines()[known]).Values != 0 {
			values = append(values, known)
		}
	}
	return nearest.Name(name, values)
}

// Lacking returns the names that some of the versions do not export, and others do.
func (m *Module) Lacking(versions Set) map[string]bool {
	versions &= m.Versions()
	all := map[string]bool{}
	for name, line := range m.lines() {
		if n := parse(line); n.Values != 0 && versions&^n.Values != 0 {
			all[name] = true
		}
	}
	return all
}

// lines splits the lines of a module by their names. Few of them are looked up.
func lines(text string) map[string]string {
	all := make(map[string]string, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all[name] = rest
	}
	return all
}

// parse reads what follows a name in the table.
func parse(line string) Name {
	columns := append(strings.Split(line, "\t"), "", "", "")
	return Name{Values: set(columns[0]), Types: set(columns[1]), Deprecated: set(columns[2]), Advice: columns[3]}
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

// Latest returns the first and the last of the newest minor versions in the set that have no gap between
// them, or -1 for both if the set is empty.
func (s Set) Latest() (first, last int) {
	last = s.Newest()
	for first = last; first > 0 && s.Has(first-1); {
		first--
	}
	return first, last
}

type table struct {
	minors  []*semver.Version
	ends    []*semver.Version // below which the patches of each minor version are
	modules map[string]*Module
}

// read parses the heads of the table, whose form is described in tools/generate/libraries.
var read = sync.OnceValue(func() table {
	first, rest, _ := strings.Cut(text, "\n")
	t := table{modules: map[string]*Module{}}
	for minor := range strings.FieldsSeq(first) {
		v := semver.MustParse(minor)
		t.minors = append(t.minors, v)
		t.ends = append(t.ends, semver.New(v.Major(), v.Minor()+1, 0, "0", ""))
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(rest, "\n"), "\n\n") {
		head, names, _ := strings.Cut(part, "\n")
		fields := strings.Fields(head)
		m := &Module{lines: sync.OnceValue(func() map[string]string { return lines(names) }), versions: fields[1:]}
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
func Minors() []*semver.Version { return read().minors }

// Minor returns a minor version of the table as text, such as 12.4.
func Minor(i int) string {
	v := Minors()[i]
	return fmt.Sprintf("%d.%d", v.Major(), v.Minor())
}

// Find returns the module of a name such as @grafana/ui, if the table has its exports.
func Find(module string) (*Module, bool) {
	if module == "emotion" { // since 8.0 another name of it
		module = "@emotion/css"
	}
	m, ok := read().modules[module]
	return m, ok
}

// React returns the major version of React that a minor version of the host has.
func React(minor int) int {
	return int(semver.MustParse(read().modules["react"].versions[minor]).Major())
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

// Lowest returns the lowest release of a minor version that a range admits. If the range begins with a
// prerelease, as >=11.6.7-0 does, it is the release that follows.
func Lowest(r ranges.Range, minor int) (*semver.Version, bool) {
	lowest, ok := r.LowestWithin(read().minors[minor], read().ends[minor])
	if ok {
		lowest = ranges.Release(lowest)
	}
	return lowest, ok
}
