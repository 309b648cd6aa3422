// Package demo takes a plugin from an empty directory to a running host and prints each
// step. It uses the verbs and the HTTP API that users use.
package demo
