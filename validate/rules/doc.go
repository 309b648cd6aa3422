// Package rules contains the rules for plugin.json and the files it refers to. All
// lists them. Each rule is one file with its check, and one with its texts and an example, which
// is both documentation and test: path_missing.go and path_missing.txtar.
//
// It defines what a plugin must look like, beyond what validate/schema describes. It
// leaves reading the plugin to validate/inspect, and finding plugins, running the rules
// and the consequences of a finding to validate.
package rules
