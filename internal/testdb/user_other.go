//go:build !linux

package testdb

import "syscall"

func processAttributes() *syscall.SysProcAttr { return nil }

func chown(string) error { return nil }
