package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// history is what the minor versions of a library say about a name. The numbers are those of the
// minor versions.
type history struct {
	values, types []int // that export it, and that only declare it
	unsure        []int // that declare it, and whose script in npm lacks some of what the host exports
	deprecated    []int
	note          string // of the newest version that deprecates it
}

// table returns the text of the table: a line with the minor versions, then for each module a line with
// its name and versions, and a line for each name.
func (r *reader) table(ctx context.Context, l *lock) ([]byte, error) {
	var out bytes.Buffer
	minors := l.minors()
	fmt.Fprintf(&out, "%s\n", strings.Join(minors, " "))
	for i, lib := range append(ours(), others()...) {
		isOurs := i < len(ours())
		for _, sub := range lib.entries {
			if err := r.module(ctx, l, &out, lib.name, sub, isOurs); err != nil {
				return nil, fmt.Errorf("%s%s: %w", lib.name, sub, err)
			}
		}
	}
	return out.Bytes(), nil
}

// module writes the lines of a module.
func (r *reader) module(ctx context.Context, l *lock, out *bytes.Buffer, name, sub string, isOurs bool) error {
	all := map[string]*history{}
	of := func(export string) *history {
		if all[export] == nil {
			all[export] = &history{}
		}
		return all[export]
	}
	var versions []string
	for i, minor := range l.minors() {
		version := l.at(name, minor)
		if !isOurs {
			var err error
			if version, err = r.required(ctx, l, name, minor); err != nil {
				return err
			}
		}
		code, types := "", ""
		if version != "" {
			about, dir, err := r.about(ctx, name, version)
			if err != nil {
				return err
			}
			code, types = entries(about, dir, name, sub)
		}
		if code == "" {
			versions = append(versions, "-")
			continue
		}
		versions = append(versions, version)
		values, err := r.names(code)
		if err != nil {
			return err
		}
		isESM := strings.Contains(code, "/esm/")
		declared := map[string]string{}
		if types != "" && isOurs {
			if declared, err = r.names(types); err != nil {
				return err
			}
		}
		for export := range values {
			if _, isDeclared := declared[export]; isOurs && !isESM && !isDeclared {
				continue // of a package in the bundle, not of the bundle
			}
			of(export).values = append(of(export).values, i)
		}
		for export, note := range declared {
			h := of(export)
			_, isValue := values[export]
			switch {
			case isValue:
			case isESM:
				h.types = append(h.types, i)
			default:
				h.unsure = append(h.unsure, i)
			}
			if note != "" {
				h.deprecated, h.note = append(h.deprecated, i), note
			}
		}
	}
	fmt.Fprintf(out, "\n%s%s %s\n", name, sub, strings.Join(versions, " "))
	for _, export := range slices.Sorted(maps.Keys(all)) {
		h := all[export]
		h.settle()
		line := []string{export, numbers(h.values), numbers(h.types)}
		if len(h.deprecated) > 0 && len(h.values) > 0 {
			line = append(line, numbers(h.deprecated), strings.TrimPrefix(shortened(h.note), noReason))
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(line, "\t"), "\t"))
	}
	return nil
}

// settle decides about the versions that are unsure. Before 9.2, the packages in npm were bundles that
// lacked what the sources export from @grafana/schema and as namespaces, and the host is built from the
// sources. So what is a value in any version was one there.
func (h *history) settle() {
	kind := &h.types
	if len(h.values) > 0 {
		kind = &h.values
	}
	*kind = append(*kind, h.unsure...)
	slices.Sort(*kind)
}

// numbers writes sorted numbers as ranges, such as 0-4,7.
func numbers(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// shortened returns the first sentences of a note, up to a length that suits a line.
func shortened(note string) string {
	const most = 140
	for len(note) > most {
		cut := strings.LastIndex(note[:most], ". ")
		if cut < 0 || strings.HasSuffix(note[:cut], "e.g") || strings.HasSuffix(note[:cut], "i.e") {
			return strings.TrimRight(note[:strings.LastIndex(note[:most], " ")], ",;") + " ..."
		}
		note = note[:cut]
	}
	return note
}
