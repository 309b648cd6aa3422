package host_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	first, err := host.HashPassword(long + "1")
	if err != nil {
		t.Fatal(err)
	}
	second, err := host.HashPassword("other")
	if err != nil {
		t.Fatal(err)
	}
	passwords, err := host.NewPasswords(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, password, hash string
		want                 bool
	}{
		{"right", long + "1", first, true},
		{"right, remembered", long + "1", first, true},
		{"differs after 72 bytes", long + "2", first, false},
		{"password was changed", long + "1", second, false},
		{"unknown login", long + "1", "", false},
		{"empty", "", first, false},
	} {
		if got, err := passwords.Match(t.Context(), "admin", c.password, c.hash, allowed); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	if got, _ := passwords.Match(t.Context(), "other", long+"1", second, allowed); got {
		t.Error("a remembered password matches for another login")
	}
	isHashed := func() error { return errors.New("the slow hash is computed") }
	if ok, err := passwords.Match(t.Context(), "admin", long+"1", first, isHashed); !ok || err != nil {
		t.Errorf("remembered password: %v, %v", ok, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, _ := passwords.Match(gone, "admin", "guess", first, allowed); ok {
		t.Error("a wrong password matches")
	}
	if _, err := host.HashPassword(""); !errors.Is(err, host.ErrInvalid) {
		t.Errorf("empty password: %v", err)
	}
}

func allowed() error { return nil }
