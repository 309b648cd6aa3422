//go:build e2e && unix

package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/templates"
)

// TestBrowser builds each scaffold with a frontend, loads it in Chromium through RequireJS,
// and has React render its components. The screenshots are kept in the directory that
// SLIPWAY_SCREENSHOTS names.
func TestBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	dir := t.TempDir()
	if err := npmInstall(t, dir, "requirejs@2", "react@18", "react-dom@18"); err != nil {
		t.Skip(err)
	}
	slipway := slipwayCommand(t)
	server := httptest.NewServer(files(map[string]string{"/npm/": filepath.Join(dir, "node_modules"), "/plugins/": dir, "/": filepath.Join("testdata", "browser")}))
	defer server.Close()
	screenshots := os.Getenv("SLIPWAY_SCREENSHOTS")
	if screenshots == "" {
		screenshots = dir
	}
	if err := os.MkdirAll(screenshots, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, kind := range templates.Types() {
		if !kind.HasFrontend {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			id := "acme-seen-" + kind.Name
			repo := filepath.Join(dir, id)
			run(t, 0, dir, slipway, "scaffold", kind.Name, id)
			run(t, 0, repo, slipway, "build", "--only=frontend")
			page := browse(t, chromium, server.URL+"/?"+id+"&"+kind.Name, filepath.Join(screenshots, id+".png"))
			_, errors, _ := strings.Cut(page, `<pre id="errors">`)
			if errors, _, _ = strings.Cut(errors, "</pre>"); errors != "" {
				t.Error(errors)
			}
			for _, want := range map[string][]string{
				"panel":      {"<h1>" + id, "<dt>load</dt>", ">2.35</dd>"},
				"datasource": {"<h1>" + id, "Points", "Amplitude", `value="7"`, `value="50"`},
				"app":        {"<h1>" + id, "About it", `value="https://api.example.com"`},
			}[kind.Name] {
				if !strings.Contains(page, want) {
					t.Errorf("the page does not contain %q:\n%s", want, page)
				}
			}
		})
	}
}

// files serves directories below prefixes.
func files(dirs map[string]string) http.Handler {
	mux := http.NewServeMux()
	for prefix, dir := range dirs {
		mux.Handle(prefix, http.StripPrefix(prefix, http.FileServer(http.Dir(dir))))
	}
	return mux
}

// browse opens a page without a window, saves a screenshot, and returns the HTML once
// nothing is left to do.
func browse(t *testing.T, chromium, url, screenshot string) string {
	t.Helper()
	// The sandbox needs a kernel feature that containers lack. The page is ours.
	args := []string{"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + t.TempDir(), "--virtual-time-budget=10000", "--window-size=700,500"}
	cmd := exec.CommandContext(t.Context(), chromium, append(args, "--screenshot="+screenshot, "--dump-dom", url)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	return string(out)
}
