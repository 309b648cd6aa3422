package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build"
)

func TestRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "module.ts"), []byte("export const plugin: number = 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	request, err := json.Marshal(build.Frontend{Root: root, Source: root, PluginID: "acme-x-panel"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), bytes.NewReader(request), &out); err != nil {
		t.Fatal(err)
	}
	var b build.Module
	if err := json.Unmarshal(out.Bytes(), &b); err != nil || !strings.HasPrefix(string(b.Files["module.js"]), "define(") {
		t.Errorf("%v %s", err, out.Bytes())
	}
	if err := run(t.Context(), strings.NewReader("{"), &out); err == nil || !strings.Contains(err.Error(), "read the frontend to bundle") {
		t.Error(err)
	}
}
