package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/hostapi"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

// host starts a fake host.
func host(t *testing.T) {
	t.Helper()
	api := http.NewServeMux()
	api.HandleFunc("GET /api/playlists", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer the-token" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"message":"Invalid API key"}`)
			return
		}
		_, _ = io.WriteString(w, `[{"uid":"u","name":"Lobby","interval":"5m"}]`)
	})
	api.HandleFunc("POST /api/playlists", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	t.Setenv(hostapi.EnvAppURL, server.URL)
	t.Setenv(hostapi.EnvClientSecret, "the-token")
}

// send sends a request to the app and returns the status and the body of the response.
func send(t *testing.T, k *sdktest.Kit, method, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://plugin/playlists", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := k.HTTP().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(text))
}

// Hosts that decide about playlists by role refuse the account of a plugin.
func TestRefusal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"message":"org role (None) didn't allow create access"}`)
	}))
	t.Cleanup(server.Close)
	t.Setenv(hostapi.EnvAppURL, server.URL)
	t.Setenv(hostapi.EnvClientSecret, "the-token")
	k := sdktest.Start(t, sdk.Apps(newApp).Plugin())
	code, body := send(t, k, "POST", `{"tag":"sales"}`)
	if code != 403 || !strings.Contains(body, `create one on its page of playlists, with the tag \"sales\" and the interval 1m`) {
		t.Errorf("%d %s", code, body)
	}
}

func TestApp(t *testing.T) {
	host(t)
	k := sdktest.Start(t, sdk.Apps(newApp).Plugin())
	k.Context.App.JSON = []byte(`{"interval":"2m"}`)
	if code, body := send(t, k, "GET", ""); code != 200 || !strings.Contains(body, "Lobby") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := send(t, k, "POST", `{"tag":"sales"}`); code != 200 ||
		body != `{"name":"All sales","interval":"2m","items":[{"type":"dashboard_by_tag","value":"sales","title":""}]}` {
		t.Errorf("%d %s", code, body)
	}
	if code, body := send(t, k, "POST", `{}`); code != 400 || !strings.Contains(body, `"errorSource":"downstream"`) {
		t.Errorf("%d %s", code, body)
	}
	k.Context.User.Role = "Viewer"
	if code, body := send(t, k, "POST", `{"tag":"sales"}`); code != 403 {
		t.Errorf("%d %s", code, body)
	}
	if code, body := send(t, k, "DELETE", ``); code != 405 {
		t.Errorf("%d %s", code, body)
	}
	if r := k.Health(); r.Status != sdk.HealthOK {
		t.Errorf("%+v", r)
	}
	t.Setenv(hostapi.EnvClientSecret, "revoked")
	if r := k.Health(); r.Status != sdk.HealthError || r.Message != "the host responded with status 401: Invalid API key" {
		t.Errorf("%+v", r)
	}
	t.Setenv(hostapi.EnvClientSecret, "")
	if r := k.Health(); r.Status != sdk.HealthError || !strings.Contains(r.Message, hostapi.EnvClientSecret+" is not set") {
		t.Errorf("%+v", r)
	}
}
