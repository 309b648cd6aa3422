package hostapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/hostapi"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

func TestClient(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"message":"invalid API key"}`)
			return
		}
		fmt.Fprintf(w, `[{"uid":"u","name":%q,"interval":"5m"}]`, r.URL.RequestURI())
	}))
	t.Cleanup(server.Close)
	for _, tc := range []struct{ base, token, want string }{
		{server.URL, "right", "/api/playlists?limit=2&query=a+b"},
		{server.URL + "/sub/", "right", "/sub/api/playlists?limit=2&query=a+b"},
	} {
		h := testkit.Must(hostapi.New(tc.base, tc.token, server.Client()))(t)
		list, err := h.Playlists(t.Context(), hostapi.PlaylistSearch{Query: "a b", Limit: 2})
		if err != nil || len(list) != 1 || list[0].Name != tc.want {
			t.Errorf("%v, %v", list, err)
		}
	}
	h := testkit.Must(hostapi.New(server.URL, "wrong", server.Client()))(t)
	var e *hostapi.Error
	if _, err := h.Playlists(t.Context(), hostapi.PlaylistSearch{}); !errors.As(err, &e) || e.Status != http.StatusUnauthorized || e.Message != "invalid API key" {
		t.Errorf("%v", err)
	}
	if e, ok := errors.AsType[*sdk.Error](fmt.Errorf("list: %w", e)); !ok || e.Status != http.StatusUnauthorized || e.Source != sdk.SourceDownstream || !strings.HasSuffix(e.Message, "invalid API key") {
		t.Errorf("as an *sdk.Error, the response is %+v", e)
	}
	for _, bad := range []string{"", "nowhere", "ftp://x", "http://"} {
		if _, err := hostapi.New(bad, "t", nil); err == nil {
			t.Errorf("New(%q) returned no error", bad)
		}
	}
	if _, err := hostapi.New("ann:hunter2@host:80", "t", nil); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a URL with a password: %v", err)
	}
}

// Existing hosts respond to a deletion with any JSON or none: what counts is the status.
func TestDeletion(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`""`, `{}`, ``, `{"message":"Playlist deleted"}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/missing") {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(server.Close)
		h := testkit.Must(hostapi.New(server.URL, "t", server.Client()))(t)
		for name, remove := range map[string]func(context.Context, string) error{"playlist": h.DeletePlaylist, "dashboard": h.DeleteDashboard} {
			if err := remove(t.Context(), "u"); err != nil {
				t.Errorf("delete a %s, response %q: %v", name, body, err)
			}
			if err := remove(t.Context(), "missing"); !hostapi.IsNotFound(err) {
				t.Errorf("delete a missing %s, response %q: %v", name, body, err)
			}
		}
	}
}

// Existing hosts find folders as well, unless the search names a type.
func TestSearchDashboards(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got, want := r.URL.RequestURI(), "/api/search?limit=2&query=x&tag=a&tag=b&type=dash-db"; got != want {
			t.Errorf("the request is %s, want %s", got, want)
		}
		_, _ = io.WriteString(w, `[{"uid":"u","type":"dash-db"}]`)
	}))
	t.Cleanup(server.Close)
	h := testkit.Must(hostapi.New(server.URL, "t", server.Client()))(t)
	found, err := h.SearchDashboards(t.Context(), hostapi.DashboardSearch{Query: "x", Tags: []string{"a", "b"}, Limit: 2})
	if err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestLargeResponse(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "[]"+strings.Repeat(" ", 16<<20))
	}))
	t.Cleanup(server.Close)
	h := testkit.Must(hostapi.New(server.URL, "t", server.Client()))(t)
	if list, err := h.Playlists(t.Context(), hostapi.PlaylistSearch{}); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("%v, %v", list, err)
	}
}

// Existing hosts set variables with other names.
func TestFromEnv(t *testing.T) {
	for _, prefix := range []string{"SVC", "GF"} {
		t.Run(prefix, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer of "+prefix {
					w.WriteHeader(http.StatusUnauthorized)
				}
				_, _ = io.WriteString(w, `[]`)
			}))
			t.Cleanup(server.Close)
			t.Setenv(prefix+"_VERSION", "11.0.0")
			if _, err := hostapi.FromEnv(); !errors.Is(err, hostapi.ErrNoToken) || !strings.Contains(err.Error(), prefix+"_PLUGIN_APP_CLIENT_SECRET is not set") {
				t.Errorf("without a token: %v", err)
			}
			t.Setenv(prefix+"_PLUGIN_APP_CLIENT_SECRET", "of "+prefix)
			if _, err := hostapi.FromEnv(); err == nil || !strings.Contains(err.Error(), prefix+"_APP_URL is not set") {
				t.Errorf("without a URL: %v", err)
			}
			t.Setenv(prefix+"_APP_URL", server.URL)
			h := testkit.Must(hostapi.FromEnv())(t)
			if _, err := h.Playlists(t.Context(), hostapi.PlaylistSearch{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// What the host sends with a call takes precedence over the environment.
func TestFromContext(t *testing.T) {
	t.Setenv("SVC_APP_URL", "http://other")
	t.Setenv("SVC_PLUGIN_APP_CLIENT_SECRET", "other")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer of the call" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, `[]`)
	}))
	t.Cleanup(server.Close)
	k := sdktest.Start(t, sdk.Plugin{CheckHealth: func(ctx context.Context, _ *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
		h, err := hostapi.FromContext(ctx)
		if err != nil {
			return nil, err
		}
		_, err = h.Playlists(ctx, hostapi.PlaylistSearch{})
		return &sdk.CheckHealthResult{Status: sdk.HealthOK}, err
	}})
	ctx := sdk.Context{Config: sdk.Config{"GF_APP_URL": server.URL, "GF_PLUGIN_APP_CLIENT_SECRET": "of the call"}}
	if result, err := backend.New(k.Conn()).CheckHealth(t.Context(), &sdk.CheckHealthRequest{Context: ctx}); err != nil || result.Status != sdk.HealthOK {
		t.Errorf("%+v, %v", result, err)
	}
}
