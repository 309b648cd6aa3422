package host_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for _, kind := range []host.TokenKind{host.ServiceAccountToken, host.APIKeyToken} {
		token := host.NewToken(kind)
		secret := token.Secret()
		parsed, err := host.ParseToken(secret)
		if err != nil || parsed.Digest() != token.Digest() || !strings.HasPrefix(secret, string(kind)) {
			t.Errorf("ParseToken(%q): %v", secret, err)
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", token)
		if shown := fmt.Sprintf("%v %+v %#v %s", token, token, token, &log); strings.Contains(shown, secret[8:20]) {
			t.Errorf("printing shows the secret: %s", shown)
		}
		for i := range secret { // detects a wrong character anywhere
			wrong := []byte(secret)
			wrong[i] ^= 1
			if _, err := host.ParseToken(string(wrong)); !errors.Is(err, host.ErrUnauthorized) {
				t.Errorf("ParseToken accepts a flip at %d", i)
			}
		}
		for _, text := range []string{"", "svcsa_", secret[:len(secret)-1], secret + "0", strings.ToUpper(secret), " " + secret} {
			if _, err := host.ParseToken(text); !errors.Is(err, host.ErrUnauthorized) {
				t.Errorf("ParseToken(%q): %v", text, err)
			}
		}
	}
}
