package inspect

import (
	"path"

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
