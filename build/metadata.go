package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/slipway-dev/slipway/bundle"
)

// document is a plugin.json, of the plugin or of a nested plugin.
type document struct {
	to   string // relative to dist
	data []byte // of the source; once planned, of dist

	metadata *bundle.Metadata
}

// planDocuments completes the plugin.json files, in which no placeholder may remain.
func (p *Plan) planDocuments(context.Context) error {
	for i := range p.documents {
		d := &p.documents[i]
		var err error
		if d.data, err = p.completed(*d); err != nil {
			return fmt.Errorf("edit %s: %w", d.to, err)
		}
		doc, err := bundle.ParseDocument(d.to, d.data)
		if err != nil {
			return fmt.Errorf("edit %s: %w", d.to, err)
		}
		for _, pointer := range doc.Pointers() {
			text, _ := doc.Text(pointer)
			if name, _ := bundle.FindPlaceholder(text); name != "" {
				return fmt.Errorf("%s: placeholder %s remains at %s, in %q: write the value itself", d.to, name, pointer, text)
			}
		}
	}
	return nil
}

// completed returns a plugin.json for dist: as its source, with placeholders resolved and the build described.
func (p *Plan) completed(d document) ([]byte, error) {
	root, err := hujson.Parse(d.data)
	if err != nil {
		return nil, err
	}
	resolve := p.placeholders(d.metadata.ID)
	for v := range root.All() {
		if text, ok := v.Value.(hujson.Literal); ok && text.Kind() == '"' {
			if resolved := resolve.Replace(text.String()); resolved != text.String() {
				v.Value = hujson.String(resolved)
			}
		}
	}
	if hasSchemaFile(root) {
		if err := root.Patch([]byte(`[{"op": "remove", "path": "/$schema"}]`)); err != nil {
			return nil, err
		}
	}
	members := []member{{"version", p.Info.Version}, {"updated", p.Info.Updated}}
	if d.to != bundle.MetadataFile {
		members = members[1:] // a nested plugin may have its own version
	}
	if p.Info.Build != nil {
		members = append(members, member{"build", p.Info.Build})
	}
	at := root.Find("/info")
	if at == nil {
		return nil, errors.New(`the key "info" is missing`)
	}
	info, ok := at.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New(`"info" must be an object`)
	}
	for _, m := range members {
		if err := setMember(info, m.key, m.value); err != nil {
			return nil, err
		}
	}
	return root.Pack(), nil
}

// placeholders replaces the placeholders in a text of the plugin with this id.
func (p *Plan) placeholders(id string) *strings.Replacer {
	return strings.NewReplacer(bundle.PlaceholderVersion, p.Info.Version, bundle.PlaceholderToday, p.Info.Updated, bundle.PlaceholderID, id)
}

type member struct {
	key   string
	value any
}

// setMember replaces the value of a member, or adds it at the end, indented as the others.
func setMember(object *hujson.Object, key string, value any) error {
	prefix, indent := "", ""
	var before hujson.Extra
	if n := len(object.Members); n > 0 {
		before = object.Members[n-1].Name.BeforeExtra
		if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
			prefix = string(before[i+1:])
			closing := object.AfterExtra[bytes.LastIndexByte(object.AfterExtra, '\n')+1:]
			indent = strings.TrimPrefix(prefix, string(closing))
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if prefix != "" {
		var out bytes.Buffer
		if err := json.Indent(&out, text, prefix, indent); err != nil {
			return err
		}
		text = out.Bytes()
		if bytes.Contains(before, []byte("\r\n")) {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
	}
	parsed, err := hujson.Parse(text)
	if err != nil {
		return err
	}
	for i := range object.Members {
		m := &object.Members[i]
		if name, ok := m.Name.Value.(hujson.Literal); ok && name.String() == key {
			m.Value.Value = parsed.Value
			return nil
		}
	}
	if prefix != "" {
		parsed.BeforeExtra = hujson.Extra(" ")
	}
	object.Members = append(object.Members, hujson.ObjectMember{
		Name: hujson.Value{BeforeExtra: bytes.Clone(before), Value: hujson.String(key)}, Value: parsed,
	})
	return nil
}

// hasSchemaFile reports whether "$schema" is a path rather than a URL: dist would not contain the file.
func hasSchemaFile(root hujson.Value) bool {
	at := root.Find("/$schema")
	if at == nil {
		return false
	}
	text, isLiteral := at.Value.(hujson.Literal)
	return isLiteral && text.Kind() == '"' && !strings.Contains(text.String(), "://")
}
