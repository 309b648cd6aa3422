// Package profiling serves the profiles of net/http/pprof while a plugin runs. It listens
// on the loopback interface only, since profiles expose the memory of the process.
// They are those of http.DefaultServeMux, so a plugin must not serve that as its resources.
package profiling

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	_ "net/http/pprof" // registers the profiles
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk"
)

// Environment variables that Instrument reads with [sdk.Env].
const (
	EnvEnabled = "SVC_PLUGIN_PROFILING_ENABLED" // "true" enables profiling
	EnvPort    = "SVC_PLUGIN_PROFILING_PORT"    // default 6060; 0 selects a free port
)

const (
	defaultPort = 6060
	headerTime  = 10 * time.Second
)

// Instrument starts a profiling server if EnvEnabled is true, logs its address, and
// returns p with a Close that also stops the server. It returns an error if the port is
// invalid or in use.
func Instrument(p sdk.Plugin) (sdk.Plugin, error) {
	enabled, err := strconv.ParseBool(sdk.Env(EnvEnabled))
	if err != nil || !enabled {
		return p, nil
	}
	port := defaultPort
	if text := sdk.Env(EnvPort); text != "" {
		if port, err = strconv.Atoi(text); err != nil {
			return p, fmt.Errorf("%s: invalid port %q", sdk.EnvName(EnvPort), text)
		}
	}
	stop, address, err := Serve(port)
	if err != nil {
		return p, err
	}
	slog.Info("serving profiles", "address", "http://"+address+"/debug/pprof/")
	closePlugin := p.Close
	p.Close = func() error {
		err := stop()
		if closePlugin != nil {
			err = errors.Join(err, closePlugin())
		}
		return err
	}
	return p, nil
}

// Serve serves profiles on a port of the loopback interface until stop is called. Port 0
// selects a free port. The address is in the form host:port.
func Serve(port int) (stop func() error, address string, err error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, "", fmt.Errorf("serve profiles: %w", err)
	}
	server := &http.Server{Handler: localOnly(http.DefaultServeMux), ReadHeaderTimeout: headerTime}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	stop = func() error {
		err := server.Close() // without waiting for profiles in progress
		if e := <-served; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
		return err
	}
	return stop, listener.Addr().String(), nil
}

// localOnly rejects other host names, which a page in a browser can make resolve to this machine.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			name = r.Host
		}
		if ip := net.ParseIP(strings.Trim(name, "[]")); name != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "profiles are available from this machine only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
