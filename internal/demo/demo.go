package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Options are the options of the demo. The zero value keeps the host running until the
// context is done.
type Options struct {
	Once bool // stop the host and return after the last step
}

const (
	pluginID = "acme-hello-datasource"
	version  = "10.3.0"
	toggles  = "externalServiceAccounts"
)

// demo is the state shared by the steps.
type demo struct {
	out   *os.File
	dir   string // temporary
	repo  string
	host  *hostProcess
	api   *client
	token string
}

// Run scaffolds a data source in a temporary directory, validates, builds and serves
// it, and checks that its backend can call the API of the host with its own token.
func Run(ctx context.Context, out *os.File, o Options) (err error) {
	dir, err := os.MkdirTemp("", "slipway-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	d := &demo{out: out, dir: dir, repo: filepath.Join(dir, pluginID)}
	defer func() {
		if d.host != nil {
			err = errors.Join(err, d.host.stop())
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	steps := []struct {
		title string
		run   func(context.Context) (string, error)
	}{
		{"compile slipway, which can take minutes the first time", d.compile},
		{"scaffold a data source with a backend", d.command("scaffold", "datasource", pluginID, "--dir="+d.repo)},
		{"validate the plugin", d.command("validate", d.repo)},
		{"build the plugin for this platform", d.command("build", "--dir="+d.repo, "--platforms=host")},
		{"start a host with the plugin", d.start},
		{"create a service account and a token", d.makeToken},
		{"create a playlist with the token", d.makePlaylist},
		{"list the playlists through the backend, which has a token of its own", d.listThroughPlugin},
		{"query the data source", d.query},
	}
	started := time.Now()
	for i, step := range steps {
		fmt.Fprintf(out, "%d/%d %s\n", i+1, len(steps), step.title)
		at := time.Now()
		result, err := step.run(ctx)
		if err != nil {
			return fmt.Errorf("demo: step %d (%s): %w", i+1, step.title, err)
		}
		fmt.Fprintf(out, "   %s  [%.2fs]\n", result, time.Since(at).Seconds())
	}
	fmt.Fprintf(out, "\nall steps succeeded in %.1fs\n", time.Since(started).Seconds())
	if o.Once {
		return nil
	}
	d.invite()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out, "\nstopping")
		return nil
	case err := <-d.host.ended:
		d.host = nil
		if err == nil { // Ctrl-C reached the host first
			return nil
		}
		return fmt.Errorf("demo: the host exited: %w", err)
	}
}

// compile compiles the programs of this checkout.
func (d *demo) compile(ctx context.Context) (string, error) {
	defer progress.Task{W: d.out, Name: "compiling"}.Start()()
	cmd := exec.CommandContext(ctx, "go", "build", "-o", d.dir+string(filepath.Separator), origin.Module+"/cmd/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	_, err := process.Output(cmd)
	return "compiled slipway, slipway-bundler and slipway-host", err
}

// command returns a step that runs slipway, whose output it indents.
func (d *demo) command(args ...string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(d.dir, "slipway"), args...)
		cmd.Stdout, cmd.Stderr = d.out, d.out
		return "slipway " + args[0] + " succeeded", process.Run(cmd, process.Grace)
	}
}

func (d *demo) start(ctx context.Context) (string, error) {
	password := rand.Text()
	var err error
	d.host, err = startHost(ctx, stopTimeout, password, filepath.Join(d.dir, "slipway"), "host",
		"--listen=127.0.0.1:0", "--plugins-dir="+d.repo, "--data-dir="+filepath.Join(d.dir, "data"),
		"--service-version="+version, "--feature-toggles="+toggles)
	if err != nil {
		return "", err
	}
	d.api = &client{base: d.host.url, user: "admin", password: password}
	return fmt.Sprintf("%s, admin password %s", d.host.url, password), nil
}

func (d *demo) makeToken(ctx context.Context) (string, error) {
	var account, token struct {
		ID    int64
		Login string
		Key   string
	}
	if err := d.api.do(ctx, http.MethodPost, "/api/serviceaccounts", map[string]any{"name": "demo", "role": "Editor"}, &account); err != nil {
		return "", err
	}
	if err := d.api.do(ctx, http.MethodPost, fmt.Sprintf("/api/serviceaccounts/%d/tokens", account.ID), map[string]any{"name": "demo"}, &token); err != nil {
		return "", err
	}
	d.token = token.Key
	d.api = &client{base: d.host.url, token: token.Key}
	return fmt.Sprintf("service account %s, token %s...", account.Login, token.Key[:min(len(token.Key), 12)]), nil
}

func (d *demo) makePlaylist(ctx context.Context) (string, error) {
	var playlist struct{ UID, Name, Interval string }
	body := map[string]any{"name": "Lobby", "interval": "5m", "items": []map[string]any{
		{"type": "dashboard_by_tag", "value": "lobby", "order": 1, "title": "Lobby dashboards"},
	}}
	if err := d.api.do(ctx, http.MethodPost, "/api/playlists/", body, &playlist); err != nil {
		return "", err
	}
	return fmt.Sprintf("playlist %q with uid %s", playlist.Name, playlist.UID), nil
}

func (d *demo) listThroughPlugin(ctx context.Context) (string, error) {
	var list []struct{ UID, Name string }
	if err := d.api.do(ctx, http.MethodGet, "/api/plugins/"+pluginID+"/resources/playlists", nil, &list); err != nil {
		return "", err
	}
	if len(list) != 1 || list[0].Name != "Lobby" {
		return "", fmt.Errorf("listed %v, want the playlist Lobby", list)
	}
	return fmt.Sprintf("host -> plugin -> host: the backend lists %q", list[0].Name), nil
}

func (d *demo) query(ctx context.Context) (string, error) {
	body := map[string]any{"from": "now-1h", "to": "now", "queries": []map[string]any{
		{"refId": "A", "datasource": map[string]any{"type": pluginID}, "points": 24, "amplitude": 3},
	}}
	var response struct {
		Results map[string]struct {
			Status int
			Frames []struct{ Data struct{ Values [][]float64 } }
		}
	}
	if err := d.api.do(ctx, http.MethodPost, "/api/ds/query", body, &response); err != nil {
		return "", err
	}
	a := response.Results["A"]
	if len(a.Frames) != 1 || len(a.Frames[0].Data.Values) != 2 || len(a.Frames[0].Data.Values[1]) != 24 {
		return "", fmt.Errorf("got %+v, want a frame of 24 points", response)
	}
	return fmt.Sprintf("status %d, a frame of %d points", a.Status, len(a.Frames[0].Data.Values[1])), nil
}

// invite prints commands to try while the host runs.
func (d *demo) invite() {
	curl := func(path, more string) string {
		return fmt.Sprintf("  curl -H 'Authorization: Bearer %s' %s'%s%s'\n", d.token, more, d.host.url, path)
	}
	fmt.Fprintf(d.out, "\nThe host runs at %s until you press Ctrl-C.\n", d.host.url)
	select {
	case link := <-d.host.links:
		fmt.Fprintf(d.out, "Sign in: %s\n", link)
	default:
	}
	fmt.Fprintf(d.out, "Try:\n\n%s%s%s%s",
		curl("/api/playlists", ""),
		curl("/api/plugins", ""),
		curl("/api/plugins/"+pluginID+"/health", ""),
		curl("/api/ds/query", fmt.Sprintf("-H 'Content-Type: application/json' -d '{\"queries\":[{\"refId\":\"A\",\"datasource\":{\"type\":%q},\"points\":5,\"amplitude\":1}]}' ", pluginID)))
}
