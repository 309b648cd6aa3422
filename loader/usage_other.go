//go:build !linux

package loader

// usageOf returns a zero Usage: only Linux provides the figures of another process as files.
func usageOf(int) Usage { return Usage{} }
