package frontend

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate/script"
)

// defineFirst returns the text of a file whose classes define their fields as swc does, the compiler of
// create-plugin: if a constructor has parameter properties, all fields are undefined before the first gets its
// value, which may set others. esbuild defines one after the other, as swc does in other classes. So the fields
// without a value are defined at the brace of such a class, where they come after a field with one.
func defineFirst(name string, text []byte) []byte {
	if !bytes.Contains(text, []byte("constructor")) {
		return text
	}
	f, err := script.Parse(name, text)
	if err != nil {
		return text // esbuild reports syntax errors
	}
	edits := map[script.Span]string{}
	insert := func(at int, text string) { edits[script.Span{From: at, To: at}] += text }
	for i := range f.Tokens {
		if !f.Is(i, "constructor") || !f.Is(i+1, "(") || !hasProperties(f, i+1) {
			continue
		}
		body := f.Tokens[i].Around
		for _, field := range lateFields(f, body) {
			insert(f.Tokens[body].To, f.Text(field)+";")
			insert(f.Tokens[field].From, "declare ")
		}
	}
	return edited(text, edits)
}

// edited returns a text with others in the place of some of its parts.
func edited(text []byte, edits map[script.Span]string) []byte {
	var out []byte
	from := 0
	for _, at := range slices.SortedFunc(maps.Keys(edits), func(a, b script.Span) int { return a.From - b.From }) {
		out = append(append(out, text[from:at.From]...), edits[at]...)
		from = at.To
	}
	return append(out, text[from:]...)
}

// hasProperties reports whether the parameters in parentheses are also properties.
func hasProperties(f *script.File, open int) bool {
	for i := open + 1; i < f.Tokens[open].Pair; i++ {
		isModifier := f.Tokens[i].Around == open && f.Tokens[i+1].Kind == script.Name
		if isModifier && f.Is(i, "private", "protected", "public", "readonly", "override") {
			return true
		}
	}
	return false
}

// lateFields returns the names of the fields in a class that have no value and come after one that has. It leaves
// out those with decorators and private names (#a), which must be declared where they are.
func lateFields(f *script.File, open int) (names []int) {
	end, hasValues := f.Tokens[open].Pair, false
	for i := open + 1; i < end; {
		first, name, hasValue := i, i, false
		for f.Tokens[name].Kind == script.Name && f.Tokens[name+1].Kind == script.Name && !endsMember(f, name) {
			name++
		}
		for isLast := false; !isLast; i++ {
			hasValue = hasValue || f.Is(i, "=")
			i = max(i, f.Tokens[i].Pair)
			isLast = i+1 >= end || f.Is(i, ";") || endsMember(f, i) && !f.Is(first, "@")
		}
		isStatic := slices.ContainsFunc(f.Tokens[first:name], func(t script.Token) bool {
			return slices.Contains([]string{"static", "declare", "abstract", "accessor"}, string(f.Data[t.From:t.To]))
		})
		isField := f.Tokens[name].Kind == script.Name && !strings.HasPrefix(f.Text(name), "#") &&
			(f.Is(name+1, ":", ";", "?", "!", "}") || endsMember(f, name))
		if hasValues && isField && !hasValue && !isStatic {
			names = append(names, name)
		}
		hasValues = hasValues || hasValue && !isStatic
	}
	return names
}

// endsMember reports whether a member of a class ends after a token because the next is in another line.
func endsMember(f *script.File, i int) bool {
	last, next := f.Tokens[i], f.Tokens[i+1]
	return (last.Kind != script.Punct || f.Is(i, ")", "]", "}", "`", "!", ">")) &&
		(next.Kind != script.Punct || f.Is(i+1, "@", "[")) &&
		bytes.IndexByte(f.Data[last.To:next.From], '\n') >= 0
}
