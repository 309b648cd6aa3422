package dev

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/loader"
)

// devAccount is the service account of the token that dev prints.
const devAccount = "slipway dev"

// welcome provisions the host and prints commands to try, once a build is mounted.
func (s *session) welcome(ctx context.Context) {
	plugins := s.server.Loader().Plugins()
	isFailed := func(p *loader.Plugin) bool { return p.Status().State == loader.StateFailed } // without a build
	if s.isWelcome || len(plugins) == 0 || slices.ContainsFunc(plugins, isFailed) || ctx.Err() != nil {
		return
	}
	s.isWelcome = true
	token, err := s.server.Provision(ctx, devAccount)
	if err != nil {
		fmt.Fprintln(s.stdout, err)
		return
	}
	if s.options.Open {
		s.openOrSay(ctx)
	}
	if s.options.IsPreview {
		return
	}
	calls := fmt.Sprintf("# Calls of the plugin, with a token that has the role Editor until dev starts again.\nTOKEN=%s\n", token.Secret())
	for _, p := range plugins {
		calls += s.calls(p)
	}
	name := filepath.Join(s.options.Server.DataDir, "calls.sh")
	if err := atomicfile.Write(name, 0o600, atomicfile.Bytes([]byte(calls))); err != nil {
		fmt.Fprintln(s.stdout, err)
		return
	}
	fmt.Fprintf(s.stdout, "commands that call the plugin, with a token: %s\n", shown(s.repo.Root, name))
}

func (s *session) openOrSay(ctx context.Context) {
	if err := s.open(ctx); err != nil {
		fmt.Fprintf(s.stdout, "open the browser: %v\n", err)
	}
}

// open opens the preview or the console in a browser, signed in: by a file that leads to the link and that only the user
// can read, because others can read the arguments of commands.
func (s *session) open(ctx context.Context) error {
	link := s.server.SignInURL()
	switch {
	case s.options.IsPreview && s.preview != nil:
		link = s.preview.link().String()
	case !serve.HasLoopbackURL(s.server):
		return openBrowser(ctx, s.server.URL())
	}
	name := filepath.Join(s.options.Server.DataDir, "sign-in.html")
	page := fmt.Sprintf("<!doctype html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<a "+
		"href=\"%s\">Sign in</a>\n", link, link)
	if err := atomicfile.Write(name, 0o600, atomicfile.Bytes([]byte(page))); err != nil {
		return err
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	return openBrowser(ctx, name)
}

// calls returns commands that call a plugin, with the token in a variable of the shell.
func (s *session) calls(p *loader.Plugin) string {
	curl := func(words ...string) string {
		line := `curl -H "Authorization: Bearer $TOKEN"`
		for _, w := range words {
			line += " " + quoteShell(w)
		}
		return line + "\n"
	}
	m, url := p.Bundle().Metadata, s.server.URL()
	if !m.Backend {
		return curl(url + "/public/plugins/" + m.ID + "/" + bundle.MetadataFile)
	}
	lines := curl(url + "/api/plugins/" + m.ID + "/health")
	if m.Type == bundle.TypeDatasource {
		body := fmt.Sprintf(`{"refId":"A","datasource":{"type":%q}}`, m.ID)
		if query := exampleQuery(s.repo.Root); query != "{}" {
			body = strings.TrimSuffix(body, "}") + "," + strings.TrimPrefix(query, "{")
		}
		lines += curl("-H", "Content-Type: application/json", "-d", `{"queries":[`+body+`]}`, url+"/api/ds/query")
	}
	return lines
}

// quoteShell quotes a word for the shells of Unix.
func quoteShell(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// exampleQuery returns a query of a data source that was scaffolded, or one without fields.
func exampleQuery(root string) string {
	if _, err := os.Stat(filepath.Join(root, adopt.ScaffoldRecord)); err != nil {
		return "{}"
	}
	return `{"points":5,"amplitude":1}`
}

func openBrowser(ctx context.Context, url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...) // it may be the browser itself
	cmd.Env = os.Environ()
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
