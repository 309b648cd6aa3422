// Package profiling serves the profiles of net/http/pprof while a plugin runs, when
// its environment asks for it. It listens on the loopback interface only: a profile
// holds what the process has in memory. Importing it also registers the profiles with
// http.DefaultServeMux, as net/http/pprof does: do not serve that as resources.
package profiling

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk"
)

// The variables that turn profiling on and choose the port; existing hosts set those
// that begin with GF_.
const (
	EnvEnabled = "SVC_PLUGIN_PROFILING_ENABLED" // true
	EnvPort    = "SVC_PLUGIN_PROFILING_PORT"    // 6060 when it is not set, 0 for any
)

const (
	defaultPort = 6060
	headerTime  = 10 * time.Second
)

// Instrument returns the plugin with a profiling server beside it, if the environment
// says so: its address is logged. A port that cannot be had is an error.
func Instrument(p sdk.Plugin) (sdk.Plugin, error) {
	enabled, err := strconv.ParseBool(sdk.Env(EnvEnabled))
	if err != nil || !enabled {
		return p, nil
	}
	port := defaultPort
	if text := sdk.Env(EnvPort); text != "" {
		if port, err = strconv.Atoi(text); err != nil {
			return p, fmt.Errorf("%s is %q, which is no port", EnvPort, text)
		}
	}
	stop, address, err := Serve(port)
	if err != nil {
		return p, err
	}
	slog.Info("profiles are served", "address", "http://"+address+"/debug/pprof/")
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

// Serve serves profiles on a port of the loopback interface, 0 for any, until stop is
// called. address is host and port.
func Serve(port int) (stop func() error, address string, err error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, "", fmt.Errorf("serve profiles: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: localOnly(mux), ReadHeaderTimeout: headerTime}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	stop = func() error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // a profile that is being taken is cut off
		_ = server.Shutdown(ctx)
		err := server.Close()
		if e := <-served; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
		return err
	}
	return stop, listener.Addr().String(), nil
}

// localOnly refuses requests under a name that is not this machine's, which a page in a
// browser can make lead here.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			name = r.Host
		}
		if ip := net.ParseIP(strings.Trim(name, "[]")); name != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "profiles are served to this machine only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
