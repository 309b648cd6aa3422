package api

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// The throttle remembers a bounded number of logins. It forgets those whose failures no
// longer count, and no others.
func TestThrottleIsBounded(t *testing.T) {
	t.Parallel()
	l, now := newThrottle(), time.Unix(1_700_000_000, 0)
	try := func(n int) error {
		done, err := l.begin(attempt{fmt.Sprint("user", n), fmt.Sprint("network", n)}, now)
		if err == nil {
			done(false)
		}
		return err
	}
	for n := range mostRemembered {
		if err := try(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := try(mostRemembered); !errors.Is(err, host.ErrUnavailable) || len(l.attempts) != mostRemembered {
		t.Errorf("one more login: %v, %d remembered", err, len(l.attempts))
	}
	now = now.Add(time.Minute)
	if err := try(mostRemembered); err != nil || len(l.attempts) != 1 {
		t.Errorf("a minute later: %v, %d remembered", err, len(l.attempts))
	}
	if l.total != 0 || len(l.comparing) != 0 {
		t.Errorf("%d logins are compared, from networks %v", l.total, l.comparing)
	}
}
