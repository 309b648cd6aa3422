package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestDevChecksFirst checks that dev reports options that the host cannot use before it builds.
func TestDevChecksFirst(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(repo, "plugin.json"), []byte("{}"), 0o644))
	busy := testkit.Must(serve.Open(t.Context(), verbs.Command, server.Options{Listen: "127.0.0.1:0", DataDir: t.TempDir()}, true, io.Discard, io.Discard))(t)
	defer busy.Close()
	data := t.TempDir()
	other := testkit.Must(serve.Open(t.Context(), verbs.Command, server.Options{Listen: "127.0.0.1:0", DataDir: data}, true, io.Discard, io.Discard))(t)
	defer other.Close()
	for _, c := range []struct{ option, want string }{
		{"--listen=256.0.0.1:0", "--listen=256.0.0.1:0: "},
		{"--listen=3000", "--listen=3000: missing port in address; write a host and a port, such as 127.0.0.1:3000"},
		{"--listen=" + strings.TrimPrefix(busy.URL(), "http://"), "choose a free port with --listen=127.0.0.1:0"},
		{"--tls-cert=cert.pem", "--tls-cert and --tls-key must be used together"},
		{"--tls-key=key.pem", "--tls-cert and --tls-key must be used together"},
		{"--data-dir=" + data, "stop it, or give host or dev another --data-dir"},
	} {
		stdout, stderr, code := slipway(t, "dev", "--dir="+repo, "--listen=127.0.0.1:0", c.option)
		if code == verbs.ExitOK || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, want %s\n%s%s", c.option, code, c.want, stdout, stderr)
		}
	}
}
