package rules

import (
	"bytes"
	"path"
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// exposedWrapper is how Slipway began modules before it hid the host's define from libraries.
const exposedWrapper = "var module={exports:{}},exports=module.exports,require=function(id){switch(id){"

// amdTest matches the test of a library for a loader of AMD modules.
var amdTest = regexp.MustCompile(`\btypeof define\b|\bdefine\.amd\b`)

func bundleOutdated() validate.Rule {
	return validate.Rule{
		ID:       "bundle-outdated",
		Severity: validate.Warning,
		Summary:  "module.js built by a version of Slipway that let libraries call the host's define",
		Why: "A library in the bundle that looks for an AMD loader before CommonJS finds that of the host, and exports nothing to " +
			"the plugin. The plugin then does not load, or fails when it uses the library.",
		Help:  "build the plugin again",
		Where: validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			name := path.Join(p.Dir, moduleFile)
			if !inspect.Exists(p, name) {
				return
			}
			data, err := inspect.ReadFile(p, p.Root, name, maxScriptBytes)
			if err != nil {
				p.Skipf("cannot read module.js: %v", err)
				return
			}
			header, _, _ := bytes.Cut(data, []byte("\n"))
			if bytes.Contains(header, []byte(exposedWrapper)) && amdTest.Match(data) {
				p.Reportf(validate.Place{File: name}, "a library in module.js may be empty in existing hosts: an earlier version of Slipway "+
					"built the file")
			}
		},
	}
}
