// Package hostapi is a client of the HTTP API of the host that runs the plugin.
//
// A plugin whose plugin.json has "iam" gets a service account, whose permissions
// decide which calls succeed:
//
//	host, err := hostapi.FromEnv()
//	...
//	lists, err := host.Playlists(ctx, hostapi.PlaylistSearch{Query: "lobby"})
//
// A response other than a success is an [*Error]. A handler may return it as it is:
// users see the host's message, as an error of a downstream service.
package hostapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/slipway-dev/slipway/sdk"
)

// Environment variables that the host sets for a plugin with a service account. sdk.Env
// reads them, also by the names that existing hosts use.
const (
	EnvAppURL       = "SVC_APP_URL"                  // URL of the host
	EnvClientSecret = "SVC_PLUGIN_APP_CLIENT_SECRET" // token of the service account
)

// ErrNoToken says that the host gave the plugin no service account token.
var ErrNoToken = errors.New(EnvClientSecret + " is not set: the host gives a token to a plugin whose plugin.json has \"iam\", from version 10.3.0 on, with the feature toggle externalServiceAccounts")

const (
	hostTimeout   = 30 * time.Second
	hostBodyLimit = 16 << 20
)

// Client calls the host's HTTP API. It is safe for concurrent use.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
}

// FromEnv returns a client of the host that started this process, signed in
// as the plugin's service account. Without a token it returns ErrNoToken.
func FromEnv() (*Client, error) {
	token := sdk.Env(EnvClientSecret)
	if token == "" {
		return nil, ErrNoToken
	}
	return New(sdk.Env(EnvAppURL), token, &http.Client{Timeout: hostTimeout})
}

// New returns a client of the host at baseURL, an absolute http or https URL, that
// authenticates with a bearer token.
func New(baseURL, token string, client *http.Client) (*Client, error) {
	base, err := sdk.JoinURL(baseURL)
	if err != nil {
		return nil, fmt.Errorf("invalid URL of the host, see %s: %v", EnvAppURL, err) // not wrapped: it is not the error of a query
	}
	return &Client{base: base, token: token, http: client}, nil
}

// Error is a response of the host other than a success.
type Error struct {
	Status  int    // HTTP status code
	Message string // from the host, or the text of the status code
}

// Error returns the status code and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("the host responded %d: %s", e.Status, e.Message)
}

// As makes errors.As find a *sdk.Error: a downstream error with the status of
// sdk.FromStatus.
func (e *Error) As(target any) bool {
	t, ok := target.(**sdk.Error)
	if ok {
		*t = sdk.FromStatus(e.Status, e.Error())
	}
	return ok
}

// IsNotFound reports whether the host responded 404 Not Found.
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound
}

// ask sends body, if there is one, as JSON to a fixed path below the host's URL, in
// which segments follow as they are, and decodes the answer.
func ask[T any](ctx context.Context, c *Client, method, path string, segments []string, query url.Values, body any) (answer T, err error) {
	u, err := sdk.JoinURL(c.base.JoinPath(path).String(), segments...) // a value never becomes another path
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
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
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
	return &Error{Status: code, Message: said.Message}
}
