package inspect

import (
	"path"
	"regexp"

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
