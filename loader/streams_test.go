//go:build unix

package loader

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
)

// A stream ends when its process is replaced, which it does not delay, and continues in the
// next one. Streams do not count toward the calls.
func TestStreamMovesToTheNextProcess(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{DrainTimeout: time.Hour, Limits: Limits{Calls: 1}})
	pids, ended := make(chan int), make(chan error)
	run := func() {
		ended <- p.RunStream(t.Context(), &sdk.StreamRequest{Path: "x"}, func(packet json.RawMessage) error {
			pid, err := strconv.Atoi(string(packet))
			pids <- pid
			return err
		})
	}
	go run()
	before := <-pids
	if _, err := fetch(t.Context(), p, "x"); err != nil {
		t.Errorf("a call during the stream: %v", err)
	}
	testkit.OK(t, p.Restart(t.Context()))
	if e, ok := errors.AsType[*sdk.Error](<-ended); !ok || e.Status != 503 {
		t.Errorf("the stream ended with %v", e)
	}
	go run()
	if after := <-pids; after == before || after != p.Status().PID {
		t.Errorf("the stream continues in process %d, before %d, running %d", after, before, p.Status().PID)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the stream ended without an error when the loader was closed")
	}
}

// A plugin that does not respond to a subscription does not keep the subscriber waiting.
func TestSubscriptionThatHangs(t *testing.T) {
	t.Parallel()
	_, p := mount(t, "ok", "", Options{Limits: Limits{Channel: 50 * time.Millisecond}})
	_, err := p.SubscribeStream(t.Context(), &sdk.StreamRequest{Path: "hang"})
	if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Status != 504 {
		t.Errorf("the subscription ended with %v", err)
	}
}
