package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

// Only the files of the plugin are served, however the path is spelled (CVE-2021-43798).
func TestAssets(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	dir := f.pluginDir
	testkit.WriteFiles(t, dir, map[string]string{"module.js": "module", "README.md": "# Read me", ".env": "s3cret", "img/logo.svg": "<svg/>", "../secret.txt": "s3cret"})
	const base = "/public/plugins/" + pluginID + "/"
	got := f.do("GET", base+"module.js", "", "")
	if got.status != 200 || got.body != "module" || !strings.Contains(got.header.Get("Content-Type"), "javascript") || got.header.Get("Content-Security-Policy") != "sandbox; frame-ancestors 'self'" {
		t.Errorf("module.js: %+v", got)
	}
	if got := f.do("GET", base+"img/logo.svg", "", ""); got.status != 200 || got.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("logo.svg: %+v", got)
	}
	for _, path := range []string{
		"../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "%2e%2e%2fsecret.txt", "img/..%2f..%2fsecret.txt", "..%5csecret.txt", "img/%2e%2e/%2e%2e/secret.txt",
		"%252e%252e/secret.txt", ".env", "img/../.env", "%2eenv", "img", "", "none", "//etc/passwd", "%2fetc%2fpasswd", "%00", bundle.Host().Executable(backendName),
		strings.ToUpper("img") + "/..%2f.env",
	} {
		if got := f.do("GET", base+path, "", ""); got.status == 200 || strings.Contains(got.body, "s3cret") || got.status >= 500 {
			t.Errorf("%s: %+v", path, got)
		}
	}
	// Executables of plugins in the directory, mounted or not, whatever their names.
	self := testkit.Must(os.ReadFile(filepath.Join(dir, bundle.Host().Executable(backendName))))(t)
	testkit.WriteFiles(t, dir, map[string]string{
		"child/plugin.json":            `{"id":"acme-child-datasource","name":"C","type":"datasource","backend":true,"executable":"run","info":{},"dependencies":{}}`,
		"child/run_linux_amd64":        "#!/bin/sh\n",
		"child/RUN_Linux_AMD64":        "#!/bin/sh\n",
		"child/run_windows_amd64.exe":  "script",
		"child/run":                    "#!/bin/sh\n",
		"child/run.js":                 "module",
		"hidden/plugin.json":           `{"id":"` + pluginID + `","type":"datasource","backend":true,"executable":"gpx_other"}`,
		"hidden/gpx_other_linux_arm64": string(self[:1<<20]),
		"img/renamed.png":              string(self),
		"gpx_tour.js":                  "module",
		"child/module.js.map":          "{}",
	})
	testkit.OK(t, os.Chmod(filepath.Join(dir, "child", "run.js"), 0o755)) // which does not make it an executable of the plugin
	f.mount(t, loader.Options{Dirs: []string{filepath.Dir(dir)}, HostVersion: "10.4.2"})
	for path, status := range map[string]int{
		"child/run_linux_amd64": 404, "child/RUN_Linux_AMD64": 404, "child/run_windows_amd64.exe": 404, "child/run": 404, "child%2Frun_linux_amd64": 404,
		"hidden/gpx_other_linux_arm64": 404, "img/renamed.png": 404,
		"child/run.js": 200, "gpx_tour.js": 200, "child/module.js.map": 200, "child/plugin.json": 200,
	} {
		if got := f.do("GET", base+path, "", ""); got.status != status {
			t.Errorf("%s: %d with %d bytes, want %d", path, got.status, len(got.body), status)
		}
	}
}
