package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"

	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
)

// ModuleFile is the script that the web application loads.
const ModuleFile = "module.js"

// MaxScriptBytes limits how much of the frontend is read.
const MaxScriptBytes = 64 << 20

// ModuleJS is the module.js of a built plugin.
type ModuleJS struct {
	File string // slash path in the tree; "" if the plugin has none
	Data []byte
	Err  error
}

// Module holds the module.js next to plugin.json.
var Module = validate.NewFact(func(p *validate.Pass) *ModuleJS {
	name := path.Join(p.Dir, ModuleFile)
	if !Exists(p, name) {
		return &ModuleJS{}
	}
	m := &ModuleJS{File: name}
	m.Data, m.Err = ReadFile(p, p.Root, name, MaxScriptBytes)
	return m
})

// RequestedModule is a module that module.js asks its host for, and where in the file.
type RequestedModule struct {
	Module   string
	From, To int
}

var (
	// requests matches the list of modules in the call with which an AMD or SystemJS module begins.
	requests = regexp.MustCompile(`(?:^|[^\w.$])(?:define|System\.register)\(\s*(?:["'][^"']*["']\s*,\s*)?\[([^\]]*)\]`)
	quoted   = regexp.MustCompile(`["']([^"']+)["']`)
)

// Requested returns the modules that a module.js asks its host for.
func Requested(data []byte) (all []RequestedModule) {
	const maxHeader = 64 << 10 // with licenses before the call
	list := requests.FindSubmatchIndex(data[:min(len(data), maxHeader)])
	if list == nil {
		return nil
	}
	for _, m := range quoted.FindAllSubmatchIndex(data[list[2]:list[3]], -1) {
		r := RequestedModule{string(data[list[2]+m[2] : list[2]+m[3]]), list[2] + m[2], list[2] + m[3]}
		all = append(all, r)
	}
	return all
}

// SourceMap is the source map of a module.js: the names of its sources and their text.
type SourceMap struct {
	Sources        []string
	SourcesContent []string
}

// ReadSourceMap reads a source map that contains its sources.
func ReadSourceMap(fsys fs.FS, name string) (*SourceMap, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := limit.ReadAll(f, MaxScriptBytes)
	if err != nil {
		return nil, fmt.Errorf("the source map cannot be read: %w", err)
	}
	var m SourceMap
	switch err := json.Unmarshal(data, &m); {
	case err != nil:
		return nil, errors.New("the source map is not valid JSON")
	case len(m.Sources) == 0:
		return nil, errors.New(`the source map has no "sources"`)
	case len(m.SourcesContent) == 0:
		return nil, errors.New(`the source map has no "sourcesContent"`)
	case len(m.Sources) != len(m.SourcesContent):
		return nil, fmt.Errorf(`the source map has %d "sources", but %d "sourcesContent"`, len(m.Sources), len(m.SourcesContent))
	}
	return &m, nil
}
