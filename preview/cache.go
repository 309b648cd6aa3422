package preview

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// unusedFor is how long the cache keeps a page that nobody uses, and what killed processes left behind.
const unusedFor = 30 * 24 * time.Hour

// appear fills a directory that others see when it is complete. Another process may be faster.
func appear(dir string, fill func(staging string) error) (err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	removeUnused(parent)
	staging, err := os.MkdirTemp(parent, ".staging-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()
	made := filepath.Join(staging, "made")
	if err := os.Mkdir(made, 0o755); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return err
	}
	if err := os.Rename(made, dir); err != nil && !exists(dir) {
		return err
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func removeUnused(parent string) {
	entries, _ := os.ReadDir(parent) // the next time tries again
	for _, e := range entries {
		info, err := e.Info()
		isOurs := strings.HasPrefix(e.Name(), "page-") || strings.HasPrefix(e.Name(), ".staging-")
		if err == nil && isOurs && time.Since(info.ModTime()) > unusedFor {
			_ = os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}
