//go:build unix

package process

import "os"

// RemoveAll removes the directory of a process that has ended.
func RemoveAll(dir string) error { return os.RemoveAll(dir) }
