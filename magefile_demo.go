//go:build mage

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/term"

	"github.com/slipway-dev/slipway/internal/version"
)

// Demo takes a plugin from an empty directory to a host that serves it. The backend gets a token from the host, and
// lists the host's playlists with it. Demo prints each command, to be typed again, and then serves until Ctrl-C if it
// runs in a terminal.
func Demo(ctx context.Context,
	once *bool, // end then, and check with conformance how the backend responds
) (err error) {
	dir, err := os.MkdirTemp("", "slipway-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	slipway, repo := filepath.Join(dir, "slipway"), filepath.Join(dir, demoID)
	steps := [][]string{
		{"go", "build", "-o", dir + string(filepath.Separator), version.Module + "/cmd/..."},
		{slipway, "scaffold", "app", demoID, "--dir=" + repo},
		{slipway, "validate", repo},
		{slipway, "build", "--platforms=host", "--dir=" + repo},
	}
	isOnce := once != nil && *once
	if isOnce {
		steps = append(steps, []string{slipway, "conformance", repo})
	}
	for _, step := range steps {
		fmt.Println("$", strings.Join(step, " "))
		if err := command(ctx, step[0], step[1:]...); err != nil {
			return err
		}
	}
	ends := isOnce || !term.IsTerminal(int(os.Stdin.Fd()))
	return serveDemo(ctx, ends, slipway, "dev", "--listen=127.0.0.1:0", "--dir="+repo)
}

const demoID = "acme-hello-app"

// serveDemo runs dev, and shows what the backend does with its token.
func serveDemo(ctx context.Context, ends bool, name string, args ...string) error {
	fmt.Println("$", name, strings.Join(args, " "))
	dev := exec.CommandContext(context.WithoutCancel(ctx), name, args...) // Ctrl-C in the terminal reaches it as well
	dev.Stderr = os.Stderr
	out, err := dev.StdoutPipe()
	if err != nil {
		return err
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt) // Mage must remove the directory after dev has ended
	defer signal.Stop(interrupted)
	if err := dev.Start(); err != nil {
		return err
	}
	var host, calls string
	isServed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Println(lines.Text())
		host, calls = found(host, `^slipway host is at (.+)$`, lines.Text()), found(calls, `^commands .* with a token: (.+)$`, lines.Text())
		if strings.HasPrefix(lines.Text(), "watching ") {
			isServed = true
			err = listPlaylists(ctx, host, calls)
			if ends || err != nil {
				err = errors.Join(err, dev.Process.Signal(os.Interrupt))
			}
		}
	}
	if err = errors.Join(err, dev.Wait()); err == nil && !isServed {
		err = errors.New("dev ended before it served the plugin")
	}
	return err
}

// found returns what a pattern finds in a line, or what was found before.
func found(before, pattern, line string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return before
}

// listPlaylists creates a playlist in the host and has the backend list it, with the token in a file. It prints each request
// as a command.
func listPlaylists(ctx context.Context, host, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	token := found("", `(?m)^TOKEN=(\S+)$`, string(text))
	fmt.Println("\nthe backend lists the playlists of the host, with the token in its SVC_PLUGIN_APP_CLIENT_SECRET:")
	const playlist = `{"name":"Morning round","interval":"5m","items":[{"type":"dashboard_by_tag","value":"overview","order":1,"title":"overview"}]}`
	created, err := call(ctx, http.MethodPost, host+"/api/playlists", token, playlist)
	if err != nil {
		return err
	}
	listed, err := call(ctx, http.MethodGet, host+"/api/plugins/"+demoID+"/resources/playlists", token, "")
	if err != nil {
		return err
	}
	var one struct{ UID string }
	if err := json.Unmarshal([]byte(created), &one); err != nil || one.UID == "" || !strings.Contains(listed, one.UID) {
		return fmt.Errorf("the backend lists %q, without the playlist %q", listed, created)
	}
	return nil
}

// call sends a request, and prints it as a command, and its response.
func call(ctx context.Context, method, url, token, body string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	line := `  curl -H "Authorization: Bearer $TOKEN"`
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
		line += " -H 'Content-Type: application/json' -d '" + body + "'"
	}
	fmt.Println(line, url)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	fmt.Printf("  %s\n", text)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", method, url, response.Status)
	}
	return string(text), err
}
