package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

func unknownField(p *validate.Pass) {
	for _, v := range schema.Violations(p, "additionalProperties") {
		f := validate.Finding{Severity: kindOfUnknown(v.Pointer).in(p), Place: v.Place(p), Message: v.Message(p.Doc)}
		if known := v.Folded(); known != "" {
			reportFolded(p, v, known)
			continue
		}
		if v.Meant != "" {
			f.Severity = misspelledKey.in(p)
			f.Message += fmt.Sprintf("; did you mean the required key %q?", v.Meant)
			f.Help = fmt.Sprintf("rename it to %q", v.Meant)
			f.Fix = renameKey(p, v, v.Meant)
		} else {
			suggestKey(p, v, &f)
		}
		p.Report(f)
	}
}

// reportFolded reports a key that hosts take for another one, since they ignore the case of keys.
func reportFolded(p *validate.Pass, v schema.Violation, known string) {
	in, key := schema.Parent(v.Pointer)
	f := validate.Finding{
		Severity: foldedKey.in(p), Place: v.Place(p),
		Message: fmt.Sprintf("key %q differs only in case from %[2]q: hosts read it as %[2]q", key, known),
		Help:    fmt.Sprintf("rename it to %q", known),
	}
	for _, other := range p.Doc.Keys(in) {
		if other != key && strings.EqualFold(other, key) {
			f.Message += ", and the last one takes precedence"
			f.Help = "delete one of them"
			at := p.Key(in + "/" + bundle.EscapePointer(other))
			f.Related = []validate.Related{{Place: at, Message: fmt.Sprintf("%q is here", other)}}
			p.Report(f)
			return
		}
	}
	f.Fix = renameKey(p, v, known)
	p.Report(f)
}

// kindOfUnknown returns the kind of an unknown key: the published schema allows others in some objects.
func kindOfUnknown(pointer string) kind {
	in, _ := schema.Parent(pointer)
	isOpen := inTop(in, "includes") || inTop(in, "extensions") || inTop(in, "dependencies/plugins") || inTop(in, "dependencies/extensions") ||
		in == "/iam" || in == "/enterpriseFeatures"
	if isOpen {
		return keyOfOpenObject
	}
	return violation
}

// suggestKey adds the key that may have been meant: another key of the same object, or
// else a key of another object.
func suggestKey(p *validate.Pass, v schema.Violation, f *validate.Finding) {
	in, key := schema.Parent(v.Pointer)
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(v.Node.Properties)), func(name string) bool {
		return p.Doc.Has(in + "/" + bundle.EscapePointer(name))
	})
	near := schema.KeyInProfile(p.Profile, key)
	if !slices.Contains(free, near) {
		near = nearest.Name(key, free)
	}
	if near != "" {
		f.Message += fmt.Sprintf("; did you mean %q?", near)
		f.Help = fmt.Sprintf("rename it to %q", near)
		f.Fix = renameKey(p, v, near)
		return
	}

	const maxHomes = 3
	s := schema.Of(p.Profile)
	elsewhere := key
	if len(s.Homes[key]) == 0 || len(s.Homes[key]) > maxHomes {
		if elsewhere = nearest.Name(key, s.Keys); nearest.Distance(key, elsewhere) > max(1, len(key)/5) {
			elsewhere = "" // a guess, since the object has no such key
		}
	}
	homes := s.Homes[elsewhere]
	switch {
	case len(homes) == 0 || len(homes) > maxHomes || strings.HasSuffix(in, "/"+elsewhere):
		f.Help = "delete it, or check its spelling"
	case elsewhere == key:
		f.Message += "; it belongs in " + schema.Either(homes)
		f.Help = "move it there, or delete it"
	default:
		f.Message += fmt.Sprintf("; did you mean %q in %s?", elsewhere, schema.Either(homes))
		f.Help = fmt.Sprintf("move it there as %q, or delete it", elsewhere)
	}
}

// renameKey is the fix that renames an unknown key, or nil unless the new name is
// certain: its value has the right type, the names differ little for their length, and
// no other unknown key of the object could be meant as well.
func renameKey(p *validate.Pass, v schema.Violation, to string) *validate.Fix {
	in, key := schema.Parent(v.Pointer)
	node := v.Node.Properties[to]
	isNear := schema.KeyInProfile(p.Profile, key) == to || nearest.Distance(strings.ToLower(key), strings.ToLower(to)) <= max(1, len(to)/5)
	if node == nil || node.Types[0] != p.Doc.Kind(v.Pointer) || !isNear || isDuplicate(p, v.Pointer) {
		return nil
	}
	for _, other := range schema.UnknownKeys.Of(p)[in] {
		if other != key && nearest.Name(other, []string{to}) != "" {
			return nil
		}
	}
	return &validate.Fix{Title: fmt.Sprintf("rename %q to %q", key, to), Edits: []validate.Edit{p.Rename(v.Pointer, to)}}
}

// isDuplicate reports whether the object has the key more than once.
func isDuplicate(p *validate.Pass, pointer string) bool {
	return slices.ContainsFunc(p.Doc.Duplicates(), func(d bundle.Duplicate) bool { return d.Pointer == pointer })
}
