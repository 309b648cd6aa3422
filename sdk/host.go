package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// The variables by which a host tells a backend where it is and who it is there.
const (
	EnvAppURL       = "SVC_APP_URL"
	EnvClientSecret = "SVC_PLUGIN_APP_CLIENT_SECRET"
)

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
	if os.Getenv(EnvClientSecret) == "" {
		return nil, ErrNoToken
	}
	return NewHost(os.Getenv(EnvAppURL), os.Getenv(EnvClientSecret), &http.Client{Timeout: hostTimeout})
}

// NewHost returns a client of the host at an absolute http or https URL that
// signs in with a bearer token.
func NewHost(baseURL, token string, client *http.Client) (*Host, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("the host's URL %q is not an http URL: %s should hold it", baseURL, EnvAppURL)
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

// Playlist is a playlist as the host lists it.
type Playlist struct {
	UID      string `json:"uid"`
	Name     string `json:"name"`
	Interval string `json:"interval"`
}

// PlaylistSearch narrows a list of playlists; the zero value takes the host's
// defaults.
type PlaylistSearch struct {
	Query string // part of the name
	Limit int    // at most so many; 0 for the host's default
}

// Playlists lists the playlists of the organisation. It needs the permission
// playlists:read.
func (h *Host) Playlists(ctx context.Context, s PlaylistSearch) ([]Playlist, error) {
	q := url.Values{}
	if s.Query != "" {
		q.Set("query", s.Query)
	}
	if s.Limit > 0 {
		q.Set("limit", strconv.Itoa(s.Limit))
	}
	var list []Playlist
	err := h.get(ctx, "api/playlists", q, &list)
	return list, err
}

// get decodes the answer to a GET of a fixed path below the host's URL.
func (h *Host) get(ctx context.Context, path string, query url.Values, into any) error {
	u := h.base.JoinPath(path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fmt.Errorf("call host: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+h.token)
	resp, err := h.http.Do(req)
	if err != nil {
		return fmt.Errorf("call host: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, hostBodyLimit))
	if err != nil {
		return fmt.Errorf("read answer of host: %w", err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return hostError(resp.StatusCode, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("decode answer of host: %w", err)
	}
	return nil
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
