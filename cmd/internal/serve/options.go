package serve

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/loader"
)

// Options returns the options of a server, with the secrets that come from files and the
// environment. It removes those from the environment, so that no process inherits them.
func Options(c verbs.Call, o verbs.ServeOptions) (server.Options, error) {
	s := server.Options{
		Listen: o.Listen, DataDir: o.DataDir, Database: o.Database, TLSCert: o.TLSCert, TLSKey: o.TLSKey, AllowedHosts: o.AllowedHosts,
		ServiceVersion: o.ServiceVersion, Toggles: o.Toggles, Debug: loader.Debugging{Wait: o.DebugWait, Attach: o.Attach},
	}
	s.Limits.Query, s.Limits.Resource = o.CallTimeout, o.CallTimeout
	if o.CallTimeout <= 0 {
		return s, verbs.Usage("invalid value %s for %s: use a positive duration", o.CallTimeout, c.Face.Option("call-timeout"))
	}
	size, err := strconv.Atoi(o.MessageSize)
	if most := 2047; err != nil || size < 1 || size > most { // gRPC counts the bytes in 31 bits
		return s, verbs.Usage("invalid value %q for %s: use a number of MiB from 1 to %d", o.MessageSize, c.Face.Option("message-size"), most)
	}
	s.Limits.Message = size << 20
	return s, readSecrets(c.Face, &s, o.AdminPasswordFile)
}

// readSecrets sets the options that come from the file of the password, unless it is "", and the environment, from
// which it removes them: no process inherits them.
func readSecrets(f verbs.Face, o *server.Options, file string) error {
	known := []string{verbs.EnvAdminPassword, verbs.EnvDatabase, verbs.EnvSecretKey}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if near := nearest.Name(name, known); near != "" && near != name && strings.HasPrefix(name, "SLIPWAY_") {
			return verbs.Usage("unknown environment variable %s; did you mean %s?", name, near)
		}
	}
	password, database, key := TakeEnv(verbs.EnvAdminPassword), TakeEnv(verbs.EnvDatabase), TakeEnv(verbs.EnvSecretKey)
	o.Database = cmp.Or(o.Database, database)
	o.AdminPassword = password
	if key != "" {
		var err error
		if o.Key, err = host.ParseKey(key); err != nil {
			return fmt.Errorf("%s: %w", verbs.EnvSecretKey, err)
		}
	}
	from := verbs.EnvAdminPassword
	if file != "" {
		from = f.Option("admin-password-file") + "=" + file
		text, err := readPassword(file)
		if err != nil {
			return verbs.Usage("%s: %w", f.Option("admin-password-file"), err)
		}
		o.AdminPassword = text
	}
	if o.AdminPassword == "" {
		return nil
	}
	if err := host.CheckPassword(o.AdminPassword); err != nil {
		return verbs.Usage("admin %w (from %s)", err, from)
	}
	return nil
}

// TakeEnv returns an environment variable and unsets it.
func TakeEnv(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name) // fails only for invalid names
	return value
}

// readPassword returns the password in a file, without the line break at its end.
func readPassword(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, host.MaxPasswordLength+3)) // "\r\n", and one more byte to detect longer passwords
	if err != nil {
		return "", err
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if password == "" {
		return "", fmt.Errorf("%s is empty", name)
	}
	return password, nil
}
