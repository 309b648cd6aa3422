package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	o := server.Options{Listen: "127.0.0.1:0", DataDir: t.TempDir()}
	var out bytes.Buffer
	s, err := Open(t.Context(), verbs.Command, o, true, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	printed := regexp.MustCompile(`^admin password: \S+ \(user admin; not shown again\)\nslipway host is at (http://127\.0\.0\.1:\d+)\nsign in: (http://127\.0\.0\.1:\d+)/login#code=svcses_\S+ \(once, within 5 minutes\)\n$`)
	if !printed.MatchString(out.String()) {
		t.Errorf("printed %q", out.String())
	}
	_, err = Open(t.Context(), verbs.Command, o, true, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "stop it, or give host or dev another --data-dir") {
		t.Errorf("second host: %v", err)
	}
	if err := Close(s, io.Discard); err != nil {
		t.Error(err)
	}
	out.Reset()
	if s, err = Open(t.Context(), verbs.Command, o, false, &out, io.Discard); err != nil { // as with a log
		t.Fatal(err)
	}
	if err := Close(s, io.Discard); err != nil {
		t.Error(err)
	}
	if strings.Contains(out.String(), "sign in") || !strings.HasPrefix(out.String(), "admin password: as shown by the first start (user admin); to set a new one, use --admin-password-file or SLIPWAY_ADMIN_PASSWORD\n") {
		t.Errorf("the second start printed %q", out.String())
	}
	o.Listen = "256.0.0.1:0"
	_, err = Open(t.Context(), verbs.Command, o, true, io.Discard, io.Discard)
	if e, ok := errors.AsType[*verbs.ExitError](err); !ok || e.Code != verbs.ExitUsage || !strings.Contains(e.Error(), "--listen=256.0.0.1:0") {
		t.Errorf("listen on 256.0.0.1: %v", err)
	}
}

// Secrets come from the environment or a file, and no process that the host starts
// inherits them.
func TestReadSecrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	const loopback, everywhere = "127.0.0.1:0", "0.0.0.0:0"
	good, key := file("good", "from a file \r\n"), strings.Repeat("5a", 32)
	for _, c := range []struct {
		name, listen  string
		env           string // password
		key           string
		from          string // file of the password
		want, problem string
	}{
		{name: "none", listen: everywhere},
		{name: "environment", listen: everywhere, env: "from the environment", key: key, want: "from the environment"},
		{name: "file", listen: everywhere, env: "from the environment", from: good, want: "from a file "},
		{name: "short", listen: loopback, env: "a", problem: "admin password: must have at least 12 characters, found 1 (from SLIPWAY_ADMIN_PASSWORD)"},
		{name: "short file", listen: loopback, from: file("short", "short\n"), problem: "found 5 (from --admin-password-file="},
		{name: "empty file", listen: loopback, from: file("empty", "\n"), problem: "is empty"},
		{name: "no file", listen: loopback, from: filepath.Join(dir, "none"), problem: "--admin-password-file"},
		{name: "huge file", listen: loopback, from: file("huge", strings.Repeat("x", 1<<20)), problem: "512 bytes"},
		{name: "key", listen: loopback, key: "zz", problem: verbs.EnvSecretKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(verbs.EnvAdminPassword, c.env)
			t.Setenv(verbs.EnvDatabase, "postgres://user:secret@server/name")
			t.Setenv(verbs.EnvSecretKey, c.key)
			o := server.Options{Listen: c.listen}
			err := readSecrets(verbs.Command, &o, c.from)
			if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
				t.Fatalf("%v, want %q", err, c.problem)
			}
			if err == nil && (o.AdminPassword != c.want || o.Database == "" || (o.Key != nil) != (c.key != "")) {
				t.Errorf("options %+v", o)
			}
			for _, name := range []string{verbs.EnvAdminPassword, verbs.EnvDatabase, verbs.EnvSecretKey} {
				if _, isSet := os.LookupEnv(name); isSet {
					t.Errorf("%s is still in the environment", name)
				}
			}
			if len(c.env) > 1 && strings.Contains(fmt.Sprint(err), c.env) {
				t.Errorf("the password is in the error: %v", err)
			}
		})
	}
}

func TestMisspelledVariable(t *testing.T) {
	t.Setenv("SLIPWAY_ADMIN_PASWORD", "not-printed-here")
	err := readSecrets(verbs.Command, &server.Options{}, "")
	if err == nil || err.Error() != "unknown environment variable SLIPWAY_ADMIN_PASWORD; did you mean SLIPWAY_ADMIN_PASSWORD?" {
		t.Error(err)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		timeout   time.Duration
		size, err string
		want      loader.Limits
	}{
		{2 * time.Minute, "32", "", loader.Limits{Query: 2 * time.Minute, Resource: 2 * time.Minute, Message: loader.DefaultMessage}},
		{time.Hour, "512", "", loader.Limits{Query: time.Hour, Resource: time.Hour, Message: 512 << 20}},
		{0, "32", "invalid value 0s for --call-timeout: use a positive duration", loader.Limits{}},
		{time.Hour, "512MiB", `invalid value "512MiB" for --message-size: use a number of MiB from 1 to 2047`, loader.Limits{}},
		{time.Hour, "4096", `invalid value "4096" for --message-size: use a number of MiB from 1 to 2047`, loader.Limits{}},
	} {
		got, err := Options(verbs.Call{}, verbs.ServeOptions{CallTimeout: c.timeout, MessageSize: c.size})
		if (err != nil) != (c.err != "") || err != nil && err.Error() != c.err {
			t.Errorf("%s, %s: error %v", c.timeout, c.size, err)
		}
		if err == nil && got.Limits != c.want {
			t.Errorf("%s, %s: %+v, want %+v", c.timeout, c.size, got.Limits, c.want)
		}
	}
}
