// Package config reads slipway.yaml, which sets the severities of rules, suppresses
// findings, and configures builds.
//
// It defines the keys of that file, their JSON Schema, and where to search for the
// file. It rejects unknown keys and rules, and suppressions without a reason.
package config
