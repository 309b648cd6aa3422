//go:build !linux

package testdb

import "testing"

// Freeze skips the test: it needs the processes in /proc.
func Freeze(t testing.TB) (thaw func()) { t.Skip("needs Linux"); return nil }

// Restart skips the test: it needs the processes in /proc.
func Restart(t testing.TB) { t.Skip("needs Linux") }
