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

// document is a plugin.json of the source: the plugin's own or that of a nested
// plugin.
type document struct {
	to   string // relative to dist
	data []byte
	id   string
}

// metadata returns a plugin.json of dist: that of the source with its order kept,
// placeholders resolved and what the build knows filled in.
func (p *Plan) metadata(d document) ([]byte, error) {
	root, err := hujson.Parse(d.data)
	if err != nil {
		return nil, fmt.Errorf("edit %s: %w", d.to, err)
	}
	resolve := strings.NewReplacer(bundle.PlaceholderVersion, p.Info.Version, bundle.PlaceholderToday, p.Info.Updated, bundle.PlaceholderID, d.id)
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
		edits = edits[1:] // a nested plugin may have a version of its own
	}
	if leadsOut(root) {
		edits = append(edits, edit{Op: "remove", Path: "/$schema"})
	}
	if p.Info.Build != nil {
		edits = append(edits, edit{"add", "/info/build", p.Info.Build})
	}
	patch, err := json.Marshal(edits)
	if err != nil {
		return nil, fmt.Errorf("edit %s: %w", d.to, err)
	}
	if err := root.Patch(patch); err != nil {
		return nil, fmt.Errorf("edit %s: %w", d.to, err)
	}
	root.Minimize()
	var out bytes.Buffer
	if err := json.Indent(&out, root.Pack(), "", "  "); err != nil {
		return nil, fmt.Errorf("edit %s: %w", d.to, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// leadsOut says whether "$schema" is the path of a file, which lies beside the source
// and not in dist. An address stays.
func leadsOut(root hujson.Value) bool {
	at := root.Find("/$schema")
	if at == nil {
		return false
	}
	text, isLiteral := at.Value.(hujson.Literal)
	return isLiteral && text.Kind() == '"' && !strings.Contains(text.String(), "://")
}

// checkPlaceholders refuses what would leave a placeholder in dist, such as a
// version that is made of another one.
func (p *Plan) checkPlaceholders(context.Context) error {
	for _, d := range p.documents {
		data, err := p.metadata(d)
		if err != nil {
			return err
		}
		doc, err := bundle.ParseDocument(d.to, data)
		if err != nil {
			return fmt.Errorf("edit %s: %w", d.to, err)
		}
		for _, pointer := range doc.Pointers() {
			text, _ := doc.Text(pointer)
			if name, _ := bundle.FindPlaceholder(text); name != "" {
				return fmt.Errorf("%s would still hold the placeholder %s at %s, as %q: write the value itself there", d.to, name, pointer, text)
			}
		}
	}
	return nil
}

// edit is an operation of JSON Patch (RFC 6902).
type edit struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}
