package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestPluginsOfDirectory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{"a": "{\n  \"id\": 7\n}", "b": `{"id":"b","type":"app","backend":true,"executable":"gpx_b"}`} {
		testkit.OK(t, os.MkdirAll(filepath.Join(root, name), 0o755))
		testkit.OK(t, os.WriteFile(filepath.Join(root, name, "plugin.json"), []byte(text), 0o644))
	}
	var out strings.Builder
	testkit.OK(t, reportOfDir(root).print(&out, false))
	for _, want := range []string{"b       app   -        not-started", "validate [invalid-value] id must be a string, found a number", "plugin.json:2:9",
		"validate [incomplete] b: missing", "resolve [executable-missing] b: ", "plugins: 1, failures: 3"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

func TestPluginsOfHost(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		switch {
		case password != "secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/api/plugins":
			_, _ = w.Write([]byte(`[{"id":"a","type":"app","version":"1.0.0","backend":{"state":"failed"}}]`))
		default:
			_, _ = w.Write([]byte(`[{"errorCode":"wrong-platform","stage":"resolve","pluginId":"a","reason":"x\u001b[31m","help":"h"}]`))
		}
	}))
	t.Cleanup(server.Close)
	if _, err := reportOfHost(t.Context(), server.URL); err == nil || strings.Count(err.Error(), verbs.EnvToken) != 1 {
		t.Errorf("without credentials: %v", err)
	}
	for _, wrong := range []string{"http://admin:secret@127.0.0.1:port", "http://admin:sec ret@127.0.0.1", "http://admin:secret%@127.0.0.1"} {
		if _, err := reportOfHost(t.Context(), wrong); err == nil || strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	report := testkit.Must(reportOfHost(t.Context(), strings.Replace(server.URL, "://", "://admin:secret@", 1)))(t)
	var out strings.Builder
	testkit.OK(t, report.print(&out, false))
	if !strings.Contains(out.String(), "resolve [wrong-platform] a: x\uFFFD[31m") {
		t.Errorf("printed:\n%s", out.String())
	}
	out.Reset()
	if err := new(pluginsReport).print(&out, false); err != nil || !strings.HasPrefix(out.String(), "no plugins found: ") {
		t.Errorf("an empty report (%v):\n%s", err, out.String())
	}
	out.Reset()
	var parsed pluginsReport
	if err := report.print(&out, true); err != nil || json.Unmarshal([]byte(out.String()), &parsed) != nil || parsed.Plugins[0].State != "failed" {
		t.Errorf("JSON (%v):\n%s", err, out.String())
	}
}
