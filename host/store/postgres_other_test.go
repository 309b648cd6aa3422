//go:build !linux

package store_test

import "syscall"

func processAttributes() *syscall.SysProcAttr { return nil }

func chown(string) error { return nil }
