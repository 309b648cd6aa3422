// Package extensions finds what the frontend of a plugin registers with the host: links,
// components and functions at extension points, and components that other plugins may use. It
// evaluates the frontend with stand-ins for the host and for all packages, so it needs no
// node_modules. It writes no files, and the code that it evaluates has no access to files, the
// network or processes. What it cannot determine is a warning with a position, never a guess.
package extensions

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/build/frontend"
)

// Options describe one frontend.
type Options struct {
	Root   string // of the plugin repository, absolute
	Source string // directory of the plugin's plugin.json, absolute
}

// Type is the type of an extension.
type Type string

// The types of extensions.
const (
	Link      Type = "link"
	Component Type = "component"
	Function  Type = "function"
)

// Result is what a frontend registers, in the order of its source.
type Result struct {
	Extensions []Extension
	Exposed    []Exposed
	Warnings   []frontend.Message // what could not be determined, sorted by place
}

// Extension is something that a plugin adds to one extension point. A registration with
// several targets is several extensions. Its JSON is an element of generated.extensions, which the service reads
// from plugin.json.
type Extension struct {
	PointID     string `json:"extensionPointId"`
	Type        Type   `json:"type"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Place       `json:"-"`
}

// Exposed is a component that other plugins may use.
type Exposed struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Place       `json:"-"`
}

// Place is a place in a source file.
type Place struct {
	File   string // relative to Root, slash-separated
	Line   int    // from 1
	Column int    // from 1, in bytes
}

// Find evaluates the frontend in o.Source. It takes at most 5 s after bundling. If the
// sources cannot be bundled, the error is a *frontend.Error.
func Find(ctx context.Context, o Options) (*Result, error) {
	code, err := bundle(o)
	if err != nil {
		return nil, err
	}
	s, err := instrument(code)
	if err != nil {
		return nil, fmt.Errorf("read the bundle of %s: %w", o.Source, err)
	}
	entry, err := filepath.Rel(o.Root, frontend.Entry(o.Source))
	if err != nil {
		return nil, err
	}
	f := &finder{script: s, entry: filepath.ToSlash(entry), late: map[int][2][]registration{}, sources: &sources{root: o.Root, lines: map[string][]string{}}}
	if err := f.evaluate(ctx); err != nil {
		return nil, err
	}
	return f.combine(), nil
}

// Generated returns the links and components. The service does not support functions or
// exposed components.
func (r *Result) Generated() []Extension {
	list := []Extension{}
	for _, e := range r.Extensions {
		if e.Type != Function {
			list = append(list, e)
		}
	}
	return list
}

// Declared is the key extensions of plugin.json, which Grafana reads.
type Declared struct {
	AddedLinks        []Added   `json:"addedLinks,omitempty"`
	AddedComponents   []Added   `json:"addedComponents,omitempty"`
	AddedFunctions    []Added   `json:"addedFunctions,omitempty"`
	ExposedComponents []Exposed `json:"exposedComponents,omitempty"`
}

// Added is an extension with all of its targets.
type Added struct {
	Targets     []string `json:"targets"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
}

// Declared returns everything. Extensions that are registered at one place and differ only
// in their targets are one element.
func (r *Result) Declared() Declared {
	d := Declared{ExposedComponents: r.Exposed}
	for i, e := range r.Extensions {
		list := &d.AddedLinks
		switch e.Type {
		case Component:
			list = &d.AddedComponents
		case Function:
			list = &d.AddedFunctions
		}
		if i > 0 && len(*list) > 0 {
			previous := r.Extensions[i-1]
			last := &(*list)[len(*list)-1]
			target := previous.PointID
			previous.PointID = e.PointID
			if previous == e && target != e.PointID && !slices.Contains(last.Targets, e.PointID) {
				last.Targets = append(last.Targets, e.PointID)
				continue
			}
		}
		*list = append(*list, Added{[]string{e.PointID}, e.Title, e.Description})
	}
	return d
}
