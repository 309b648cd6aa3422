package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout = 60 * time.Second
	stopTimeout  = 20 * time.Second
	callTimeout  = 30 * time.Second
	maxLog       = 64 << 10 // bytes of the log of the host that are kept
)

// hostProcess is a running host.
type hostProcess struct {
	cmd   *exec.Cmd
	end   context.CancelFunc
	url   string
	links chan string // to sign in; at most one
	ended chan error  // the exit status, with the end of the log if it is an error
}

// tail keeps the end of what is written to it.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = slices.Delete(*t, 0, max(0, len(*t)-maxLog))
	return len(p), nil
}

var announced = regexp.MustCompile(`https?://[0-9.:\[\]a-z]+`)

// startHost starts a host and waits until it prints its URL. A host that has not exited some time
// after it was told to is killed.
func startHost(ctx context.Context, timeout time.Duration, password, program string, args ...string) (*hostProcess, error) {
	running, end := context.WithCancel(context.WithoutCancel(ctx)) // on Ctrl-C, the terminal tells the host as well
	cmd := exec.CommandContext(running, program, args...)
	cmd.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	cmd.WaitDelay = timeout
	cmd.Cancel = func() error {
		if cmd.Process.Signal(syscall.SIGTERM) != nil { // Windows has no signals
			return cmd.Process.Kill()
		}
		return nil
	}
	var log tail
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("start host: %w", err)
	}
	h := &hostProcess{cmd: cmd, end: end, links: make(chan string, 1), ended: make(chan error, 1)}
	url := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if link, ok := strings.CutPrefix(lines.Text(), "sign in: "); ok && len(h.links) == 0 {
				h.links <- link
				continue
			}
			if at := announced.FindString(lines.Text()); at != "" {
				select {
				case url <- at:
				default:
				}
			}
		}
		err := cmd.Wait()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, log)
		}
		h.ended <- err
	}()
	select {
	case h.url = <-url:
		return h, nil
	case err := <-h.ended:
		return nil, errors.Join(errors.New("start host: exited before printing its URL"), err)
	case <-time.After(startTimeout):
		err = fmt.Errorf("start host: no URL printed within %s", startTimeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return nil, errors.Join(err, h.stop())
}

// stop terminates the host and waits until it has exited.
func (h *hostProcess) stop() error {
	h.end()
	if err := <-h.ended; err != nil && !errors.Is(err, context.Canceled) { // which stands for status 0
		return fmt.Errorf("stop host: %w", err)
	}
	return nil
}

// client calls the API of the host with a token or a password.
type client struct {
	base, user, password, token string
}

// do sends body as JSON, unless it is nil, and decodes the response.
func (c *client) do(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	} else {
		req.SetBasicAuth(c.user, c.password)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, strings.TrimSpace(string(data)))
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}
