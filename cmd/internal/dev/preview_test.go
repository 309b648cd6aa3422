package dev

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const previewedPlugin = `{"id": "acme-x-panel", "type": "panel", "name": "X", "info": {"version": "1.0.0", "updated": "2026-01-01", "description": "d",
	"author": {"name": "acme"}, "keywords": ["x"], "logos": {"small": "img/logo.svg", "large": "img/logo.svg"}}, "dependencies": {"grafanaDependency": ">=10.3.0"}}`

// writeLibraries makes a node_modules with what the page imports at all, so that it can be bundled.
func writeLibraries(t *testing.T, repo string) {
	t.Helper()
	for _, name := range []string{"@grafana/ui", "@grafana/data", "@grafana/runtime", "react", "react-dom"} {
		version := "12.4.0"
		if strings.HasPrefix(name, "react") {
			version = "18.3.1"
		}
		dir := filepath.Join(repo, "node_modules", filepath.FromSlash(name))
		testkit.WriteFile(t, filepath.Join(dir, "package.json"), `{"version": "`+version+`"}`)
		testkit.WriteFile(t, filepath.Join(dir, "index.js"), "exports.a = 1")
	}
	for _, worker := range []string{"editor/editor", "language/json/json", "language/typescript/ts", "language/css/css", "language/html/html"} {
		testkit.WriteFile(t, filepath.Join(repo, "node_modules", "monaco-editor", "esm", "vs", filepath.FromSlash(worker)+".worker.js"), "self.a = 1")
	}
	testkit.WriteFile(t, filepath.Join(repo, "node_modules", "monaco-editor", "package.json"), `{"version": "0.34.1"}`)
}

// TestDevPreview runs dev on a plugin whose libraries are installed: the preview serves its page and
// the plugin, passes calls on as the role that is asked for, and tells what happens to the sources.
func TestDevPreview(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	writeLibraries(t, repo)
	testkit.WriteFile(t, filepath.Join(repo, "src", "plugin.json"), previewedPlugin)
	testkit.WriteFile(t, filepath.Join(repo, "src", "img", "logo.svg"), "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
	module := filepath.Join(repo, "src", "module.ts")
	testkit.WriteFile(t, module, "import { PanelPlugin } from '@grafana/data';\nfunction Panel() {}\nexport const plugin = [PanelPlugin, Panel];\n")
	ctx, stop := context.WithCancel(t.Context())
	stdout, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	keys, typed := io.Pipe()
	go func() {
		o := Options{Server: server.Options{Listen: "127.0.0.1:0"}, Dir: repo, CacheDir: t.TempDir(), Keys: keys}
		ended <- Run(ctx, verbs.Command, o, w, io.Discard)
		_ = w.Close()
	}()
	defer func() {
		stop()
		go func() { _, _ = io.Copy(io.Discard, stdout) }()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	var link []string
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if link != nil && (strings.HasPrefix(lines.Text(), "slipway host") || strings.HasPrefix(lines.Text(), "built")) {
			t.Errorf("%q is printed after the link of the preview, which scrolls away", lines.Text())
		}
		if found := regexp.MustCompile(`^preview: (http://localhost:\d+)/#token=(\S+) \(libraries 12.4.0 with React 18.3.1, from node_modules\)`).FindStringSubmatch(lines.Text()); found != nil {
			link = found
		}
		if strings.HasPrefix(lines.Text(), "watching ") {
			break
		}
	}
	if link == nil {
		t.Fatal("no link")
	}
	get := func(path string, headers ...string) string {
		t.Helper()
		r := testkit.Must(http.NewRequestWithContext(ctx, http.MethodGet, link[1]+path, nil))(t)
		r.Header.Set("X-Preview-Token", link[2])
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		response := testkit.Must(http.DefaultClient.Do(r))(t)
		defer response.Body.Close()
		text := testkit.Must(io.ReadAll(response.Body))(t)
		return string(text)
	}
	for _, c := range [][]string{
		{"/panel/acme-x-panel", `"id":"acme-x-panel"`},
		{"/public/plugins/acme-x-panel/module.js", `$RefreshReg$?.(Panel, "src/module.ts Panel")`},
		{"/api/user", `"role":"Admin"`},
		{"/api/user", `"role":"Viewer"`, "X-Preview-Role: Viewer"},
		{"/api/users", "not available in the preview"},
		{"/api/user", "open the link that the preview printed", "X-Preview-Token: x"},
	} {
		if got := get(c[0], c[2:]...); !strings.Contains(got, c[1]) {
			t.Errorf("%s: no %s in %s", c[0], c[1], got)
		}
	}
	response := testkit.Must(http.Get(link[1] + "/-/events?token=" + link[2]))(t)
	defer response.Body.Close()
	events := bufio.NewScanner(response.Body)
	next := func() string {
		for events.Scan() {
			if name, ok := strings.CutPrefix(events.Text(), "event: "); ok && events.Scan() {
				return name + ": " + strings.TrimPrefix(events.Text(), "data: ")
			}
		}
		t.Fatal(events.Err())
		return ""
	}
	testkit.WriteFile(t, module, "export const = 1;\n")
	if got := next(); !strings.HasPrefix(got, `failed: {"messages":[{"file":"src/module.ts","line":1,"column":14,"source":"export const = 1;"`) {
		t.Error(got)
	}
	testkit.WriteFile(t, module, "export const plugin = 'other';\n")
	if got := next(); got != "fixed: {}" {
		t.Error(got)
	}
	if got := next(); got != `ready: {"changed":["frontend"],"id":"acme-x-panel"}` {
		t.Error(got)
	}
	for _, c := range [][2]string{
		{"h", "  q + enter  quit"},
		{"x", "  h + enter  show this help"},
		{"u", link[0]},
		{"r", "nothing to reload, "},
		{"q", ""}, // the end
	} {
		_, _ = io.WriteString(typed, c[0]+"\n")
		isFound := c[1] == ""
		for !isFound && lines.Scan() {
			isFound = strings.HasPrefix(lines.Text(), c[1])
		}
		if !isFound {
			t.Errorf("key %s: missing line %q", c[0], c[1])
		}
	}
	ended <- <-ended // without stop
}

// Without libraries, dev downloads nothing: it says what does. A preview of what has no frontend is an error.
func TestNoPreview(t *testing.T) {
	t.Parallel()
	repo := bundle.Repo{Root: t.TempDir()}
	repo.Source = filepath.Join(repo.Root, "src")
	out := testkit.Must(os.Create(filepath.Join(t.TempDir(), "out")))(t)
	defer out.Close()
	check := func(want string) {
		t.Helper()
		text := ""
		p, err := openPreview(t.Context(), verbs.Mage, repo, pageOptions{cache: t.TempDir(), invite: func(t string) { text = t }}, out)
		if p != nil || err != nil || !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%v, %q", err, text)
		}
	}
	testkit.WriteFile(t, filepath.Join(repo.Source, "plugin.json"), previewedPlugin)
	check(`^$`)
	if _, err := openPreview(t.Context(), verbs.Mage, repo, pageOptions{isAsked: true, cache: t.TempDir()}, out); err == nil || !strings.Contains(err.Error(), "has no frontend") {
		t.Error(err)
	}
	testkit.WriteFile(t, filepath.Join(repo.Source, "plugin.json"), previewedPlugin+",")
	check(`^$`)
	if _, err := openPreview(t.Context(), verbs.Mage, repo, pageOptions{isAsked: true, cache: t.TempDir()}, out); err == nil || !strings.Contains(err.Error(), "decode plugin.json: invalid character ','") {
		t.Error(err)
	}
	testkit.WriteFile(t, filepath.Join(repo.Source, "plugin.json"), previewedPlugin)
	nested := filepath.Join(repo.Source, "panels", "map") // its frontend is enough
	testkit.WriteFile(t, filepath.Join(nested, "plugin.json"), previewedPlugin)
	testkit.WriteFile(t, filepath.Join(nested, "module.ts"), "export const plugin = 1")
	check(`^preview of the frontend: go tool mage preview \(downloads \d+\.\d MB once\)\n$`)
}

// What is wrong with the options is said before the build.
func TestWrongOptions(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	testkit.WriteFile(t, filepath.Join(repo, "src", "plugin.json"), previewedPlugin)
	testkit.WriteFile(t, filepath.Join(repo, "src", "module.ts"), "export const plugin = 1;\n")
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for _, c := range []struct {
		o    verbs.PreviewOptions
		want string
	}{
		{verbs.PreviewOptions{With: "12.4, 9.9"}, `--with: no libraries of version "9.9": choose one of 11.6, 12.4`},
		{verbs.PreviewOptions{Listen: "0.0.0.0:0"}, "--listen=0.0.0.0:0: the page runs the code of plugins"},
		{verbs.PreviewOptions{Answers: "recrod"}, `--answers: unknown value "recrod"`},
		{verbs.PreviewOptions{Answers: "replay"}, "no answers are recorded in previews/answers"},
	} {
		c.o.Dir = repo
		served := server.Options{Listen: "127.0.0.1:0"}
		shown := Options{Server: served, Dir: repo, CacheDir: t.TempDir(), IsPreview: true, With: c.o.With, Listen: c.o.Listen, Answers: c.o.Answers}
		for verb, err := range map[string]error{
			"check": Check(t.Context(), verbs.Call{Face: verbs.Command, Stdout: out, Stderr: io.Discard}, &c.o),
			"show":  Run(t.Context(), verbs.Command, shown, out, io.Discard),
		} {
			if exit, ok := errors.AsType[*verbs.ExitError](err); !ok || exit.Code != verbs.ExitUsage || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", verb, err, c.want)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(repo, "dist")); err == nil {
		t.Error("the plugin was built")
	}
}
