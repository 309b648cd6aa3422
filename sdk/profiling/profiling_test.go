package profiling_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/profiling"
)

func TestServe(t *testing.T) {
	t.Parallel()
	stop, address, err := profiling.Serve(0)
	if err != nil {
		t.Fatal(err)
	}
	if host, _, err := net.SplitHostPort(address); err != nil || !net.ParseIP(host).IsLoopback() {
		t.Errorf("the server listens on %s", address)
	}
	get := func(host string) int {
		req := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/debug/pprof/heap", nil))(t)
		req.Host = host
		resp := testkit.Must(http.DefaultClient.Do(req))(t)
		defer func() { _ = resp.Body.Close() }()
		return resp.StatusCode
	}
	for host, want := range map[string]int{address: 200, "localhost:1": 200, "[::1]": 200, "rebound.example": 403, "rebound.example:80": 403} {
		if code := get(host); code != want {
			t.Errorf("as %s: %d, want %d", host, code, want)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if resp, err := http.Get("http://" + address); err == nil {
		t.Errorf("the server still responds: %s, %v", resp.Status, resp.Body.Close())
	}
}

func TestInstrument(t *testing.T) {
	closed := 0
	plugin := sdk.Plugin{Close: func() error { closed++; return nil }}
	p, err := profiling.Instrument(plugin)
	if err != nil || p.Close() != nil || closed != 1 {
		t.Errorf("without the variable: %v, closed %d times", err, closed)
	}
	t.Setenv("GF_PLUGIN_PROFILING_ENABLED", "true")
	t.Setenv(profiling.EnvPort, "0")
	if p, err = profiling.Instrument(plugin); err != nil || p.Close() != nil || closed != 2 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	taken := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = taken.Close() }()
	for port, want := range map[string]string{"many": "invalid port", fmt.Sprint(taken.Addr().(*net.TCPAddr).Port): "in use"} {
		t.Setenv(profiling.EnvPort, port)
		if _, err := profiling.Instrument(plugin); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("port %s: %v", port, err)
		}
	}
}
