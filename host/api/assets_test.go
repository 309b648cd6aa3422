package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
)

// Only the files of the plugin are served, however the path is spelled (CVE-2021-43798).
func TestAssets(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	dir := f.pluginDir
	for name, text := range map[string]string{"module.js": "module", "README.md": "# Read me", ".env": "s3cret", "img/logo.svg": "<svg/>", "../secret.txt": "s3cret"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const base = "/public/plugins/" + pluginID + "/"
	got := f.do("GET", base+"module.js", "", "")
	if got.status != 200 || got.body != "module" || !strings.Contains(got.header.Get("Content-Type"), "javascript") || got.header.Get("Content-Security-Policy") != "sandbox" {
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
	for path, status := range map[string]int{"README": 200, "readme.md": 200, "CHANGELOG": 404, "plugin.json": 404, "..%2fsecret.txt": 404} {
		if got := f.do("GET", "/api/plugins/"+pluginID+"/markdown/"+path, f.viewer, ""); got.status != status || status == 200 && got.body != "# Read me" {
			t.Errorf("markdown/%s: %+v, want %d", path, got, status)
		}
	}
}
