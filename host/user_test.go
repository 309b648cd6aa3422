package host_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/slipway-dev/slipway/host"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	first, err := host.HashPassword(long + "1")
	if err != nil {
		t.Fatal(err)
	}
	second, err := host.HashPassword("another password")
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
		credential := host.Credential{Login: "admin", Password: c.password, Network: "10.0.0.1"}
		if got, err := passwords.Match(t.Context(), credential, c.hash, admitted); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	known := host.Credential{Login: "admin", Password: long + "1", Network: "10.0.0.1"}
	if !passwords.IsVerified(known, first) || passwords.IsVerified(known, second) || passwords.IsVerified(known, "") {
		t.Error("IsVerified does not report what Match found")
	}
	for name, other := range map[string]host.Credential{
		"login":    {Login: "other", Password: known.Password, Network: known.Network},
		"network":  {Login: known.Login, Password: known.Password, Network: "10.0.0.2"},
		"password": {Login: known.Login, Password: long + "2", Network: known.Network},
		"boundary": {Login: "n" + known.Login[:4], Password: known.Password, Network: known.Network + "admi"},
	} {
		if passwords.IsVerified(other, first) {
			t.Errorf("a remembered credential is accepted with another %s", name)
		}
	}
	if ok, err := passwords.Match(t.Context(), known, first, refused); ok || !errors.Is(err, errRefused) {
		t.Errorf("remembered password that is refused: %v, %v", ok, err)
	}
	if ok, err := passwords.Match(t.Context(), host.Credential{Login: "admin"}, first, refused); ok || !errors.Is(err, errRefused) {
		t.Errorf("refused password: %v, %v", ok, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, _ := passwords.Match(gone, host.Credential{Login: "admin", Password: "guess"}, first, admitted); ok {
		t.Error("a wrong password matches")
	}
}

var errRefused = errors.New("refused")

func admitted() (func(bool), error) { return func(bool) {}, nil }

func refused() (func(bool), error) { return nil, errRefused }

// Concurrent requests with one credential, as browsers send them, compute one hash.
func TestMatchShares(t *testing.T) {
	t.Parallel()
	hash, err := host.HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		passwords, err := host.NewPasswords(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		admissions, matches := 0, make(chan bool, 50)
		proceed := make(chan bool)
		for range cap(matches) {
			go func() {
				ok, err := passwords.Match(t.Context(), host.Credential{Login: "admin", Password: "correct horse"}, hash, func() (func(bool), error) {
					admissions++
					<-proceed
					return admitted()
				})
				matches <- ok && err == nil
			}()
		}
		synctest.Wait()
		close(proceed)
		for range cap(matches) {
			if !<-matches {
				t.Error("a correct password does not match")
			}
		}
		if admissions != 1 {
			t.Errorf("%d computations, want 1", admissions)
		}
	})
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
