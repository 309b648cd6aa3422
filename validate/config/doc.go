// Package config reads slipway.yaml, which sets the severities of rules, suppresses
// findings, and configures builds.
//
// It owns the keys of that file, their JSON Schema and where the file is searched for.
// It refuses unknown keys and rules, and suppressions without a reason.
package config
