package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(root, "module.ts"), []byte("export const plugin: number = 1"), 0o644))
	request := testkit.Must(json.Marshal(build.Frontend{Root: root, Source: root, PluginID: "acme-x-panel"}))(t)
	var out bytes.Buffer
	testkit.OK(t, run(t.Context(), bytes.NewReader(request), &out))
	var b build.Module
	if err := json.Unmarshal(out.Bytes(), &b); err != nil || !strings.HasPrefix(string(b.Files["module.js"]), "define(") {
		t.Errorf("%v %s", err, out.Bytes())
	}
	if err := run(t.Context(), strings.NewReader("{"), &out); err == nil || !strings.Contains(err.Error(), "read the frontend to bundle") {
		t.Error(err)
	}
}
