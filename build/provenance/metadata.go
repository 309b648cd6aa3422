package provenance

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/text"
)

// documents compares the plugin.json files, and returns those of the source.
func (c *comparison) documents() (known map[string]bool) {
	known = map[string]bool{}
	documents := c.source.plan.Documents()
	own, _ := c.document(bundle.MetadataFile)
	c.names = c.placeholders(own, c.source.plan.Metadata.ID)
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		known[name] = true
		from := path.Join(c.source.dir(), name)
		if !c.has(name) {
			c.p.Reportf(c.at(name), "%s of the source is missing in the zip", from)
			continue
		}
		got, ok := c.document(name)
		want, err := bundle.ParseDocument(from, documents[name])
		switch {
		case err != nil && want == nil:
			c.p.Reportf(c.at(name), "%s cannot be compared with %s of the source: %v", name, from, err)
		case !ok:
			c.p.Reportf(c.at(name), "%s is not valid JSON, as %s of the source is", name, from)
		default:
			id, _ := want.Text("/id")
			c.compare(name, from, got, want, c.placeholders(own, id))
		}
	}
	return known
}

// document reads a plugin.json of the zip. ok is false if it is not JSON.
func (c *comparison) document(name string) (doc *bundle.Document, ok bool) {
	data, ok := c.text(name)
	if !ok {
		return nil, false
	}
	doc, _ = bundle.ParseDocument(name, data)
	return doc, doc != nil
}

// placeholders replaces placeholders as the build did. The version is that of package.json, as far as
// the source has one; otherwise it was that of a tag.
func (c *comparison) placeholders(own *bundle.Document, id string) *strings.Replacer {
	var version, updated string
	if own != nil {
		version, _ = own.Text("/info/version")
		updated, _ = own.Text("/info/updated")
	}
	var npm struct{ Version string }
	if data, err := c.sourceText("package.json"); err == nil && json.Unmarshal(data, &npm) == nil && npm.Version != "" {
		version = npm.Version
	}
	return strings.NewReplacer(bundle.PlaceholderVersion, version, bundle.PlaceholderToday, updated, bundle.PlaceholderID, id)
}

func (c *comparison) compare(name, from string, got, want *bundle.Document, names *strings.Replacer) {
	// What a build adds, or removes.
	ignored := []string{"/$schema", "/info/build", "/info/updated"}
	for _, key := range []string{"/generated", "/extensions"} { // what an app registers
		if !want.Has(key) {
			ignored = append(ignored, key)
		}
	}
	var differ func(pointer string, got, want any)
	differ = func(pointer string, got, want any) {
		if slices.Contains(ignored, pointer) {
			return
		}
		if s, ok := want.(string); ok {
			want = names.Replace(s)
		}
		g, isObject := got.(map[string]any)
		w, wasObject := want.(map[string]any)
		gs, isArray := got.([]any)
		ws, wasArray := want.([]any)
		switch {
		case isObject && wasObject:
			both := maps.Clone(g)
			maps.Copy(both, w)
			for _, key := range slices.Sorted(maps.Keys(both)) {
				differ(pointer+"/"+bundle.EscapePointer(key), member(g, key), member(w, key))
			}
		case isArray && wasArray && len(gs) == len(ws):
			for i := range gs {
				differ(pointer+"/"+strconv.Itoa(i), gs[i], ws[i])
			}
		case !reflect.DeepEqual(got, want):
			c.differs(name, from, pointer, got, want)
		}
	}
	differ("", got.Any(), want.Any())
}

// absent stands for a member that an object does not have.
type absent struct{}

func member(object map[string]any, key string) any {
	if v, ok := object[key]; ok {
		return v
	}
	return absent{}
}

func (c *comparison) differs(name, from, pointer string, got, want any) {
	doc, _ := c.document(name)
	at := c.p.At(pointer, doc.Value(pointer))
	at.File = path.Join(c.dir, name)
	c.p.Source(at.File, doc.Data)
	key := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	switch {
	case got == absent{}:
		at.EndLine, at.EndColumn = at.Line, at.Column+1
		c.p.Reportf(at, "%s of the source sets %s to %s, which is missing here", from, key, shown(want))
	case want == absent{}:
		c.p.Reportf(at, "%s is not in %s of the source", key, from)
	default:
		c.p.Reportf(at, "%s is %s, but %s in %s of the source", key, shown(got), shown(want), from)
	}
}

// shown returns a value as JSON, shortened.
func shown(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return text.Shorten(string(data), 60)
}
