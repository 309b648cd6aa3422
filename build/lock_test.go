package build

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// TestLock holds the lock of a repository while another build waits for it.
func TestLock(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	o := options(repo(t), bundle.Host())
	o.Progress = &printed
	p := mustPlan(t, o)
	unlock, err := p.lock(t.Context())
	if err != nil || printed.Len() > 0 {
		t.Fatalf("%v; printed %q", err, &printed)
	}
	canceled, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.lock(canceled); !errors.Is(err, context.DeadlineExceeded) || printed.Len() > 0 {
		t.Errorf("while it is held: %v; printed %q", err, &printed)
	}
	var isFree atomic.Bool
	timer := time.AfterFunc(1500*time.Millisecond, func() { isFree.Store(true); unlock() })
	defer timer.Stop()
	next, err := p.lock(t.Context())
	if err != nil || !isFree.Load() || printed.String() != "waiting for another build of this repository\n" {
		t.Fatalf("got the lock (%v), released: %t; printed %q", err, isFree.Load(), &printed)
	}
	next()
}
