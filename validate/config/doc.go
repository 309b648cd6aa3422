// Package config reads slipway.yaml: which rules count how much, and which findings
// someone has decided to live with.
//
// It owns the keys of that file, their JSON Schema and where the file is found. It
// refuses keys and rules that it does not know, and a suppression without a reason.
package config
