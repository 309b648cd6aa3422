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
// several targets is several extensions.
type Extension struct {
	PointID     string
	Type        Type
	Title       string
	Description string
	Place
}

// Exposed is a component that other plugins may use.
type Exposed struct {
	ID          string
	Title       string
	Description string
	Place
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
