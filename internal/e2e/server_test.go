//go:build e2e && unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// server is a process that runs a host.
type server struct {
	cmd        *exec.Cmd
	url        string
	credential string        // a token, or "" for the password of the admin
	ended      chan struct{} // closed when the process has ended
	err        error         // how it ended; read after ended

	log   string // file with standard error
	mu    sync.Mutex
	lines []string // of standard output
}

// launch starts a command and keeps what it prints. The command is killed at the end of the test.
func launch(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	stdout := testkit.Must(cmd.StdoutPipe())(t)
	log := testkit.Must(os.CreateTemp(t.TempDir(), "log"))(t)
	defer log.Close()
	cmd.Stderr = log
	testkit.OK(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	h := &server{cmd: cmd, ended: make(chan struct{}), log: log.Name()}
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			h.mu.Lock()
			h.lines = append(h.lines, lines.Text())
			h.mu.Unlock()
		}
		h.err = cmd.Wait()
		close(h.ended)
	}()
	return h
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serve is launch for a command that runs a host. It returns once that has printed its URL.
func serve(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	h := launch(t, cmd)
	h.url = address.FindString(h.await(t, 0, "http://127.0.0.1:"))
	return h
}

// printed returns the lines of standard output, without the first since lines.
func (h *server) printed(since int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(append(h.lines[since:len(h.lines):len(h.lines)], ""), "\n")
}

// output returns everything that was printed.
func (h *server) output() string {
	log, err := os.ReadFile(h.log)
	if err != nil {
		log = []byte(err.Error())
	}
	return h.printed(0) + string(log)
}

// find waits for a line with a text, after the first since lines. ok is false if the process ended
// without it.
func (h *server) find(since int, text string) (line string, ok bool) {
	for isLast := false; ; {
		for line := range strings.Lines(h.printed(since)) {
			if strings.Contains(line, text) {
				return strings.TrimSuffix(line, "\n"), true
			}
		}
		if isLast {
			return "", false
		}
		select {
		case <-h.ended:
			isLast = true
		case <-time.After(time.Millisecond):
		}
	}
}

// await is find for a process that must not end without the line.
func (h *server) await(t *testing.T, since int, text string) string {
	t.Helper()
	line, ok := h.find(since, text)
	if !ok {
		t.Fatalf("the process ended before it printed %q: %v\n%s", text, h.err, h.output())
	}
	return line
}

// terminate sends SIGTERM and requires exit status 0.
func (h *server) terminate(t *testing.T) {
	t.Helper()
	testkit.OK(t, h.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-h.ended:
		if h.err != nil {
			t.Errorf("after SIGTERM: %v\n%s", h.err, h.output())
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("the host runs 20 s after SIGTERM\n%s", h.output())
	}
}

// send sends a request with a token, or with the password of the admin if that is "".
func (h *server) send(token, method, path, body string) (status int, response string, err error) {
	req, err := http.NewRequest(method, h.url+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	if token == "" {
		req.SetBasicAuth("admin", password)
	} else {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// get sends a GET with the credential of the server.
func (h *server) get(path string) (status int, response string, err error) {
	return h.send(h.credential, http.MethodGet, path, "")
}

// do is send for JSON.
func (h *server) do(t *testing.T, token, method, path string, body any) (status int, response any) {
	t.Helper()
	var content []byte
	if body != nil {
		content = testkit.Must(json.Marshal(body))(t)
	}
	status, text, err := h.send(token, method, path, string(content))
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, h.output())
	}
	if err := json.Unmarshal([]byte(text), &response); err != nil {
		t.Fatalf("%s %s: %d %q: %v", method, path, status, text, err)
	}
	if status == http.StatusInternalServerError {
		t.Errorf("%s %s: 500 %s", method, path, text)
	}
	return status, response
}

func (h *server) call(t *testing.T, token string, want int, method, path string, body any) any {
	t.Helper()
	status, response := h.do(t, token, method, path, body)
	if status != want {
		t.Fatalf("%s %s: status %d, want %d: %v\n%s", method, path, status, want, response, h.output())
	}
	return response
}

func (h *server) token(t *testing.T, role string) string {
	t.Helper()
	account := h.call(t, "", 201, "POST", "/api/serviceaccounts", map[string]any{"name": "test " + role, "role": role})
	id := account.(map[string]any)["id"].(float64)
	made := h.call(t, "", 200, "POST", fmt.Sprintf("/api/serviceaccounts/%.0f/tokens", id), map[string]any{"name": role})
	return made.(map[string]any)["key"].(string)
}

// backend waits for the plugin's process and returns its id.
func (h *server) backend(t *testing.T) int {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		for _, p := range h.call(t, "", 200, "GET", "/api/plugins", nil).([]any) {
			state, _ := p.(map[string]any)["backend"].(map[string]any)
			if pid, ok := state["pid"].(float64); ok && state["state"] == "running" {
				return int(pid)
			}
		}
	}
	t.Fatalf("no running backend\n%s", h.output())
	return 0
}

// announced is an event that a host announces.
type announced struct {
	name    string
	Changed []string
	Reason  string
}

// follow returns the events that the host announces from now on, without those about states.
func (h *server) follow(t *testing.T) <-chan announced {
	t.Helper()
	req := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/api/plugins/events", nil))(t)
	req.Header.Set("Authorization", "Bearer "+h.credential)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("follow events: %v %v", resp, err)
	}
	events, connected := make(chan announced, 1000), make(chan bool)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		name := ""
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if lines.Text() == ": connected" {
				close(connected)
			}
			if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = text
			}
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok && name != "plugin-state" {
				e := announced{name: name}
				if err := json.Unmarshal([]byte(text), &e); err != nil {
					e.Reason = err.Error()
				}
				events <- e
			}
		}
	}()
	<-connected
	return events
}
