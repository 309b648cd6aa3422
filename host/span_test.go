package host_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
)

func TestParseInterval(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"5m": 5 * time.Minute, "1s": time.Second, "12h": 12 * time.Hour, "3d": 72 * time.Hour,
		"2w": 14 * 24 * time.Hour, "1M": 30 * 24 * time.Hour, "007m": 7 * time.Minute,
	} {
		got, err := host.ParseInterval(text)
		if err != nil || got != want {
			t.Errorf("ParseInterval(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "m", "5", "0s", "-5m", "+5m", "5 m", " 5m", "5m ", "5.5m", "1h30m", "5D", "5y", "5ms", "banana",
		"٥m", "5\x00m", "99999999999999999999s", "9223372036854775807w", strings.Repeat("0", 30) + "5m",
	} {
		if got, err := host.ParseInterval(text); !errors.Is(err, host.ErrInvalid) || got != 0 {
			t.Errorf("ParseInterval(%q) = %v, %v; want an error", text, got, err)
		} else if !strings.HasPrefix(err.Error(), "interval: ") {
			t.Errorf("ParseInterval(%q): %v does not start with the field", text, err)
		}
	}
}

func TestLifetimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want time.Duration
		ok   bool
	}{
		{"30d", 30 * 24 * time.Hour, true}, {"1M", 30 * 24 * time.Hour, true}, {"4w", 28 * 24 * time.Hour, true},
		{"2592000s", 30 * 24 * time.Hour, true}, {"2592001s", 0, false}, {"31d", 0, false}, {"5w", 0, false},
		{"2M", 0, false}, {"0s", 0, false}, {"", 0, false}, {"1y", 0, false},
	} {
		got, err := host.ParseTTL("timeToLive", c.text)
		if (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("ParseTTL(%q) = %v, %v", c.text, got, err)
		}
	}
	if d, err := host.KeyLifetime("secondsToLive", 0); err != nil || d != host.MaxKeyLifetime {
		t.Errorf("KeyLifetime(0) = %v, %v", d, err)
	}
	if _, err := host.KeyLifetime("secondsToLive", 2_592_001); !errors.Is(err, host.ErrInvalid) || !strings.Contains(err.Error(), "30 days") {
		t.Errorf("lifetime above the limit: %v", err)
	}
	if d, err := host.TokenLifetime("secondsToLive", 0); err != nil || d != 0 {
		t.Errorf("TokenLifetime(0) = %v, %v", d, err)
	}
	for _, n := range []int64{-1, 1 << 62} {
		if _, err := host.TokenLifetime("secondsToLive", n); !errors.Is(err, host.ErrInvalid) {
			t.Errorf("TokenLifetime(%d): %v", n, err)
		}
	}
}
