package sdk

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// isStandalone reports whether an IDE started the process, to debug it, with -standalone.
func isStandalone(args []string) bool {
	return slices.Contains(args, "-standalone") || slices.Contains(args, "--standalone")
}

// serveStandalone serves on a loopback port until the process is interrupted. It writes the address
// and the process id to standalone.txt and pid.txt, next to plugin.json, for hosts that attach.
func (p Plugin) serveStandalone(logger *slog.Logger) (err error) {
	dir, err := builtPlugin()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"pid.txt": strconv.Itoa(os.Getpid()), "standalone.txt": listener.Addr().String()} {
		file := filepath.Join(dir, name)
		defer func() { err = errors.Join(err, os.Remove(file)) }()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	server := p.NewServer(logger)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		server.Stop()
	}()
	logger.Info("serving in standalone mode", "address", listener.Addr().String(), "dir", dir)
	return server.Serve(listener)
}

// builtPlugin returns the directory of the built plugin: dist, or the directory itself, of
// the current directory or the nearest one above it that has a plugin.json there.
func builtPlugin() (string, error) {
	current, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := current; ; dir = filepath.Dir(dir) {
		for _, candidate := range []string{filepath.Join(dir, "dist"), dir} {
			if _, err := os.Stat(filepath.Join(candidate, "plugin.json")); err == nil {
				return candidate, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no dist/plugin.json in %s or any directory above it: build the plugin, and run the backend from its "+
				"repository", current)
		}
	}
}
