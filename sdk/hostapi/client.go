// Package hostapi is a client for the HTTP API of the host that runs the plugin. It also
// declares what that API sends and takes: the reference host and its console use the same
// types.
//
// A plugin whose plugin.json has the key "iam" has a service account, with the
// permissions listed there, if the host is configured for it; see [ErrNoToken]:
//
//	host, err := hostapi.FromEnv()
//	if err != nil {
//		return err
//	}
//	playlists, err := host.Playlists(ctx, hostapi.PlaylistSearch{Query: "lobby"})
//
// The error for an unsuccessful response is an [*Error]. A handler that returns it shows
// the host's message to the user, as a downstream error.
//
// Existing hosts serve the same paths. Comments name what differs in version 12.4 of them; the
// page compatibility.md of the documentation lists the rest.
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

// Environment variables that the host sets for a plugin with a service account.
// [sdk.Env] reads them.
const (
	EnvAppURL       = "SVC_APP_URL"                  // URL of the host
	EnvClientSecret = "SVC_PLUGIN_APP_CLIENT_SECRET" // token of the service account
)

// ErrNoToken is wrapped by the errors that FromEnv and FromContext return if the plugin has no
// service account.
var ErrNoToken = errors.New("the plugin has no service account; it needs \"iam\" in plugin.json, and a host of version 10.3.0 or " +
	"later with the feature toggle externalServiceAccounts; existing hosts also need managed_service_accounts_enabled = true in the " +
	"section [auth] of their configuration")

const (
	defaultTimeout = 30 * time.Second
	maxResponse    = 16 << 20 // bytes
)

// Client calls the HTTP API of a host. It is safe for concurrent use.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
}

// FromEnv returns a client that authenticates as the plugin's service account to the
// host that started this process. Requests time out after 30 s.
func FromEnv() (*Client, error) {
	token := sdk.Env(EnvClientSecret)
	if token == "" {
		return nil, fmt.Errorf("%s is not set: %w", sdk.EnvName(EnvClientSecret), ErrNoToken)
	}
	return newClient(sdk.Env(EnvAppURL), token)
}

// FromContext is like FromEnv, but uses the URL and the token that the host sent with the call.
// Recent versions of existing hosts send them, and may change them while the plugin runs. What
// is missing is taken from the environment.
func FromContext(ctx context.Context) (*Client, error) {
	config := sdk.ContextOf(ctx).Config
	token := config.Setting("APP_CLIENT_SECRET")
	if token == "" {
		return nil, fmt.Errorf("%s is not set: %w", sdk.EnvName(EnvClientSecret), ErrNoToken)
	}
	return newClient(config.AppURL(), token)
}

func newClient(baseURL, token string) (*Client, error) {
	if baseURL == "" {
		return nil, fmt.Errorf("%s is not set: the host did not send its URL", sdk.EnvName(EnvAppURL))
	}
	return New(baseURL, token, &http.Client{Timeout: defaultTimeout})
}

// New returns a client for the host at an absolute http or https URL. It authenticates
// with a bearer token or, if that is "", with the user and password of the URL.
func New(baseURL, token string, client *http.Client) (*Client, error) {
	base, err := sdk.JoinURL(baseURL)
	if err != nil {
		return nil, fmt.Errorf("URL of the host: %v", err) // not wrapped: the query did not cause it
	}
	return &Client{base: base, token: token, http: client}, nil
}

// Error is an unsuccessful response from the host.
type Error struct {
	Status  int    // HTTP status
	Message string // from the host, or the text of the status
}

// Error returns the status and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("the host responded with status %d: %s", e.Status, e.Message)
}

// As allows errors.As to find a downstream *sdk.Error; see [sdk.FromStatus].
func (e *Error) As(target any) bool {
	t, ok := target.(**sdk.Error)
	if ok {
		*t = sdk.FromStatus(e.Status, e.Error())
	}
	return ok
}

// IsNotFound reports whether err is an [*Error] with status 404.
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound
}

// call sends a request, as send does, and decodes the response.
func call[T any](
	ctx context.Context, c *Client, method, path string, segments []string, query url.Values, body any,
) (response T, err error) {
	text, err := c.send(ctx, method, path, segments, query, body)
	if err != nil {
		return response, err
	}
	if err := json.Unmarshal(text, &response); err != nil {
		return response, fmt.Errorf("not the response of a host: %w", err)
	}
	return response, nil
}

// remove sends a DELETE request. It ignores the body of the response, which differs between hosts.
func (c *Client) remove(ctx context.Context, path, segment string) error {
	_, err := c.send(ctx, http.MethodDelete, path, []string{segment}, nil, nil)
	return err
}

// send sends body, if it is not nil, as JSON to a fixed path with segments appended, and
// returns the body of a successful response.
func (c *Client) send(ctx context.Context, method, path string, segments []string, query url.Values, body any) ([]byte, error) {
	u, err := sdk.JoinURL(c.base.JoinPath(path).String(), segments...)
	if err != nil {
		return nil, fmt.Errorf("call host: %w", err)
	}
	u.RawQuery = query.Encode()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("call host: %w", err)
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), content)
	if err != nil {
		return nil, fmt.Errorf("call host: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call host: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	if err != nil {
		return nil, fmt.Errorf("read response from host: %w", err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, newError(resp.StatusCode, text)
	}
	if len(text) > maxResponse {
		return nil, fmt.Errorf("the response from the host is larger than %d MiB; request fewer items with Limit and Page", maxResponse>>20)
	}
	return text, nil
}

func newError(status int, body []byte) *Error {
	var content struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &content) != nil || content.Message == "" {
		content.Message = http.StatusText(status)
	}
	return &Error{Status: status, Message: content.Message}
}
