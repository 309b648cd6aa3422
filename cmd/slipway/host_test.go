package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/verbs"
)

func TestOpenHost(t *testing.T) {
	for _, name := range []string{envAdminPassword, envDatabase, envSecretKey} {
		t.Setenv(name, "")
	}
	o := server.Options{Listen: "127.0.0.1:0", DataDir: t.TempDir()}
	var out bytes.Buffer
	s, err := openHost(t.Context(), verbs.Command, o, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	printed := regexp.MustCompile(`^admin password: \S+ \(user admin; not shown again\)\nslipway host is at http://127\.0\.0\.1:\d+\n$`)
	if !printed.MatchString(out.String()) {
		t.Errorf("printed %q", out.String())
	}
	_, err = openHost(t.Context(), verbs.Command, o, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "stop it, or use another --data-dir") {
		t.Errorf("second host: %v", err)
	}
	if err := closeHost(s, io.Discard); err != nil {
		t.Error(err)
	}
	o.Listen = "256.0.0.1:0"
	_, err = openHost(t.Context(), verbs.Command, o, io.Discard, io.Discard)
	if e, ok := errors.AsType[*verbs.ExitError](err); !ok || e.Code != verbs.ExitUsage || !strings.Contains(e.Error(), "--listen=256.0.0.1:0") {
		t.Errorf("listen on 256.0.0.1: %v", err)
	}
}

func TestSecretKeyFromEnvironment(t *testing.T) {
	t.Setenv(envDatabase, "")
	t.Setenv(envSecretKey, "zz")
	o := server.Options{Listen: "127.0.0.1:0", DataDir: t.TempDir(), AdminPassword: "x"}
	if _, err := openHost(t.Context(), verbs.Command, o, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), envSecretKey) {
		t.Errorf("invalid key: %v", err)
	}
	t.Setenv(envSecretKey, strings.Repeat("5a", 32))
	s, err := openHost(t.Context(), verbs.Command, o, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := closeHost(s, io.Discard); err != nil {
		t.Error(err)
	}
}

// stop waits for the function that it ends.
func TestInBackground(t *testing.T) {
	t.Parallel()
	ended := false
	stop := inBackground(t.Context(), func(ctx context.Context) {
		<-ctx.Done()
		ended = true
	})
	stop()
	if !ended {
		t.Error("stop did not wait")
	}
}
