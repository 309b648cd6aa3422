package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// The variables by which a host tells a backend where it is and who it is there. Env
// reads them.
const (
	EnvAppURL       = "SVC_APP_URL"
	EnvClientSecret = "SVC_PLUGIN_APP_CLIENT_SECRET"
)

// Env reads a variable that the host sets. Its name begins with SVC_; existing hosts set
// the same variable with GF_ in its place, which is read where ours is empty.
func Env(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	if rest, ok := strings.CutPrefix(name, "SVC_"); ok {
		return os.Getenv("GF_" + rest)
	}
	return ""
}

// ErrNoToken says that the host gave the plugin no service account token.
var ErrNoToken = errors.New(EnvClientSecret + " is not set: the host gives a token to a plugin whose plugin.json has \"iam\", from version 10.3.0 on, with the feature toggle externalServiceAccounts")

const (
	hostTimeout   = 30 * time.Second
	hostBodyLimit = 16 << 20
)

// Host is a client of the host's HTTP API.
type Host struct {
	base  *url.URL
	token string
	http  *http.Client
}

// HostFromEnv returns a client of the host that started this process, signed in
// as the plugin's service account. Without a token it returns ErrNoToken.
func HostFromEnv() (*Host, error) {
	token := Env(EnvClientSecret)
	if token == "" {
		return nil, ErrNoToken
	}
	return NewHost(Env(EnvAppURL), token, &http.Client{Timeout: hostTimeout})
}

// NewHost returns a client of the host at an absolute http or https URL that
// signs in with a bearer token.
func NewHost(baseURL, token string, client *http.Client) (*Host, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("the host's URL %q is not an http URL: %s should hold it", redactURL(baseURL), EnvAppURL)
	}
	return &Host{base: base, token: token, http: client}, nil
}

// HostError is an answer of the host that is not a success.
type HostError struct {
	Status  int    // HTTP status
	Message string // the host's words
}

// Error returns the status and the host's message.
func (e *HostError) Error() string {
	return fmt.Sprintf("host answered %d: %s", e.Status, e.Message)
}

// ask sends body, if there is one, as JSON to a fixed path below the host's URL, in
// which segments follow as they are, and decodes the answer.
func ask[T any](ctx context.Context, h *Host, method, path string, segments []string, query url.Values, body any) (answer T, err error) {
	u, err := JoinURL(h.base.JoinPath(path).String(), segments...) // a value never becomes another path
	if err != nil {
		return answer, fmt.Errorf("call host: %w", err)
	}
	u.RawQuery = query.Encode()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return answer, fmt.Errorf("call host: %w", err)
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), content)
	if err != nil {
		return answer, fmt.Errorf("call host: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+h.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := h.http.Do(req)
	if err != nil {
		return answer, fmt.Errorf("call host: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, hostBodyLimit))
	if err != nil {
		return answer, fmt.Errorf("read answer of host: %w", err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return answer, hostError(resp.StatusCode, text)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return answer, fmt.Errorf("decode answer of host: %w", err)
	}
	return answer, nil
}

func hostError(code int, body []byte) error {
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &said) != nil || said.Message == "" {
		said.Message = http.StatusText(code)
	}
	return &HostError{Status: code, Message: said.Message}
}
