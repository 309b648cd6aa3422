package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func cacheDir(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	return filepath.Join(dir, "slipway", "libraries")
}

func metafileExports(text string) (map[string]bool, error) {
	var about struct {
		Outputs map[string]struct{ Exports []string }
	}
	err := json.Unmarshal([]byte(text), &about)
	all := map[string]bool{}
	for _, out := range about.Outputs {
		for _, name := range out.Exports {
			all[name] = true
		}
	}
	return all, err
}
