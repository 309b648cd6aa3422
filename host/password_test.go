package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	first := testkit.Must(host.HashPassword(long + "1"))(t)
	second := testkit.Must(host.HashPassword("another password"))(t)
	passwords := host.NewPasswords()
	verify := func(c host.Credential, hash string) bool {
		t.Helper()
		return testkit.Must(passwords.Verify(t.Context(), c, hash, time.Unix(0, 0)))(t)
	}
	known := host.Credential{Login: "admin", Password: long + "1", Network: "10.0.0.1"}
	for _, c := range []struct {
		name, password, hash string
		want                 bool
	}{
		{"right", known.Password, first, true},
		{"right, remembered", known.Password, first, true},
		{"differs after 72 bytes", long + "2", first, false},
		{"password was changed", known.Password, second, false},
		{"unknown login", known.Password, "", false},
		{"empty", "", first, false},
	} {
		if got := verify(host.Credential{Login: known.Login, Password: c.password, Network: known.Network}, c.hash); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, _ := passwords.Verify(gone, host.Credential{Login: "admin", Password: "guess"}, first, time.Unix(0, 0)); ok {
		t.Error("a wrong password matches")
	}
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]string{
		"": "is required", "a": "at least 12 characters, found 1", "elevenchars": "found 11", "älevenchars": "found 11",
		"twelve chars": "", strings.Repeat("x", host.MaxPasswordLength): "", strings.Repeat("x", host.MaxPasswordLength+1): "512 bytes",
		strings.Repeat("\xff", 20): "UTF-8",
	} {
		_, err := host.HashPassword(password)
		if (err == nil) != (want == "") || err != nil && (!errors.Is(err, host.ErrInvalid) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.20q: %v, want %q", password, err, want)
		}
		if err != nil && len(password) > 1 && strings.Contains(err.Error(), password) {
			t.Errorf("%.20q: the error contains the password", password)
		}
	}
}
