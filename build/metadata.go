package build

import (
	"bytes"
	"context"
	"encoding/json"
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

// planDocuments completes the plugin.json files. None of their placeholders may remain,
// such as one in a version.
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

// completed returns a plugin.json for dist: that of the source, in the same order, with
// placeholders resolved and the build described.
func (p *Plan) completed(d document) ([]byte, error) {
	root, err := hujson.Parse(d.data)
	if err != nil {
		return nil, err
	}
	resolve := strings.NewReplacer(bundle.PlaceholderVersion, p.Info.Version, bundle.PlaceholderToday, p.Info.Updated, bundle.PlaceholderID, d.metadata.ID)
	for v := range root.All() {
		if text, ok := v.Value.(hujson.Literal); ok && text.Kind() == '"' {
			if resolved := resolve.Replace(text.String()); resolved != text.String() {
				v.Value = hujson.String(resolved)
			}
		}
	}
	edits := []edit{
		{"add", "/info/version", p.Info.Version}, // add replaces what is there
		{"add", "/info/updated", p.Info.Updated},
	}
	if d.to != bundle.MetadataFile {
		edits = edits[1:] // a nested plugin may have its own version
	}
	if hasSchemaFile(root) {
		edits = append(edits, edit{Op: "remove", Path: "/$schema"})
	}
	if p.Info.Build != nil {
		edits = append(edits, edit{"add", "/info/build", p.Info.Build})
	}
	patch, err := json.Marshal(edits)
	if err != nil {
		return nil, err
	}
	if err := root.Patch(patch); err != nil {
		return nil, err
	}
	return indented(root)
}

func indented(root hujson.Value) ([]byte, error) {
	root.Minimize()
	var out bytes.Buffer
	err := json.Indent(&out, root.Pack(), "", "  ")
	out.WriteByte('\n')
	return out.Bytes(), err
}

// hasSchemaFile reports whether "$schema" is the path of a file, which dist would not
// contain, rather than a URL.
func hasSchemaFile(root hujson.Value) bool {
	at := root.Find("/$schema")
	if at == nil {
		return false
	}
	text, isLiteral := at.Value.(hujson.Literal)
	return isLiteral && text.Kind() == '"' && !strings.Contains(text.String(), "://")
}

// edit is an operation of JSON Patch (RFC 6902).
type edit struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}
