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
	"strings"
	"time"
)

const (
	startTimeout = 60 * time.Second
	stopTimeout  = 20 * time.Second
	callTimeout  = 30 * time.Second
)

// hostProcess is a running host.
type hostProcess struct {
	cmd   *exec.Cmd
	url   string
	ended chan error
}

var announced = regexp.MustCompile(`https?://[0-9.:\[\]a-z]+`)

// startHost starts the command and waits for the line with its URL. What the host
// logs is only shown when it does not start.
func startHost(ctx context.Context, cmd *exec.Cmd, password string) (*hostProcess, error) {
	cmd.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start host: %w", err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start host: %w", err)
	}
	h := &hostProcess{cmd: cmd, ended: make(chan error, 1)}
	url := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if at := announced.FindString(lines.Text()); at != "" {
				select {
				case url <- at:
				default:
				}
			}
		}
		h.ended <- cmd.Wait()
	}()
	select {
	case h.url = <-url:
		return h, nil
	case err := <-h.ended:
		return nil, fmt.Errorf("the host did not start: %w\n%s", err, log.Bytes())
	case <-time.After(startTimeout):
		err = fmt.Errorf("the host printed no URL within %s", startTimeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return nil, errors.Join(err, h.stop(stopTimeout))
}

// stop asks the host to end and waits for that, at most twice as long as patience.
func (h *hostProcess) stop(patience time.Duration) error {
	isKilled := false
	if h.cmd.Process.Signal(os.Interrupt) != nil {
		isKilled = h.cmd.Process.Kill() == nil // where there are no signals, as on Windows
	}
	select {
	case err := <-h.ended:
		return stopError(err, isKilled)
	case <-time.After(patience):
	}
	late := fmt.Errorf("stop host: it did not end within %s and was killed", patience)
	if err := h.cmd.Process.Kill(); err != nil {
		late = fmt.Errorf("stop host: it did not end within %s and cannot be killed: %w", patience, err)
	}
	select {
	case err := <-h.ended:
		return errors.Join(late, stopError(err, true))
	case <-time.After(patience):
		return fmt.Errorf("%w; something that it started may still run", late)
	}
}

// stopError is what is wrong with how a host has ended. The status of one that was
// killed says nothing.
func stopError(err error, isKilled bool) error {
	var status *exec.ExitError
	if err == nil || isKilled && errors.As(err, &status) {
		return nil
	}
	return fmt.Errorf("stop host: %w", err)
}

// client calls the host's API with a token or as a user.
type client struct {
	base, user, password, token string
}

// do sends a JSON body, if there is one, and decodes the answer.
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
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, strings.TrimSpace(string(answer)))
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}
