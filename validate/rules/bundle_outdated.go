package rules

import (
	"bytes"
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// exposedWrapper is how Slipway began modules before it hid the host's define from libraries.
const exposedWrapper = "var module={exports:{}},exports=module.exports,require=function(id){switch(id){"

// amdTest matches the test of a library for a loader of AMD modules.
var amdTest = regexp.MustCompile(`\btypeof define\b|\bdefine\.amd\b`)

func bundleOutdated(p *validate.Pass) {
	m := inspect.Module.Of(p)
	if m.Err != nil {
		p.Skipf("cannot read module.js: %v", m.Err)
		return
	}
	header, _, _ := bytes.Cut(m.Data, []byte("\n"))
	if bytes.Contains(header, []byte(exposedWrapper)) && amdTest.Match(m.Data) {
		p.Reportf(validate.Place{File: m.File}, "a library in module.js may be empty in existing hosts: an earlier version of Slipway "+
			"built the file")
	}
}
