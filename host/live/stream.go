package live

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// maxRetryAfter is the longest delay before a stream that failed runs again.
const maxRetryAfter = 10 * time.Second

var (
	errChanged = errors.New("the stream runs again in another context")
	errUnused  = errors.New("no client follows the channel")
)

// stream is a channel that clients follow. The mutex of the Hub guards it.
type stream struct {
	hub      *Hub
	at       address
	pluginID string
	joined   chan struct{} // receives when a client begins to follow the channel
	unused   chan struct{} // receives when none has followed it for a while

	feeds  []*Feed                 // in the order in which they came
	runner *Feed                   // on whose behalf the channel runs, or ran last
	again  context.CancelCauseFunc // ends the run
}

// serve runs the channel for as long as clients follow it. After a failure it runs the channel
// again, with a delay, and after the plugin has ended it, when another client joins: that one
// may get further than the earlier ones.
func (s *stream) serve() {
	wait := s.hub.options.RetryAfter
	for {
		select {
		case <-s.joined: // what joins from now on is noticed after the run
		default:
		}
		start := time.Now()
		err := s.run()
		switch {
		case s.hub.ctx.Err() != nil, errors.Is(err, errUnused) && s.end():
			return
		case errors.Is(err, errChanged), errors.Is(err, errUnused):
			continue
		case isFinal(err):
			s.tellEnd(err)
			select {
			case <-s.joined:
			case <-s.unused:
				if s.end() {
					return
				}
			case <-s.hub.ctx.Done():
			}
			continue
		}
		if time.Since(start) > maxRetryAfter {
			wait = s.hub.options.RetryAfter
		}
		s.hub.log.Info("a stream failed and will run again", "channel", s.at.String(), "org", s.at.org, "after", wait, "reason", err)
		select {
		case <-time.After(wait):
		case <-s.hub.ctx.Done():
		}
		wait = min(2*wait, maxRetryAfter)
	}
}

// run runs the channel once: on behalf of the client for which it ran last, another one with the
// same credentials, or the one that came first.
func (s *stream) run() (err error) {
	defer func() {
		if value := recover(); value != nil {
			s.hub.log.Error("panic", "panic", value, "stack", string(debug.Stack()))
			err = sdk.Errorf(http.StatusInternalServerError, "the host failed; its log has details")
		}
	}()
	ctx, again := context.WithCancelCause(s.hub.ctx)
	defer again(nil)
	by, plugin, of := s.begin(again)
	if by == nil {
		return errUnused
	}
	err = plugin.RunStream(ctx, &sdk.StreamRequest{Context: of, Path: s.at.Path, Data: by.data}, func(packet json.RawMessage) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.receive(packet)
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// begin selects the client on whose behalf the channel runs, or nil if it has none.
func (s *stream) begin(again context.CancelCauseFunc) (by *Feed, plugin Plugin, of sdk.Context) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if len(s.feeds) == 0 {
		return nil, nil, sdk.Context{}
	}
	next := 0
	if s.runner != nil {
		next = max(0, s.withCredential(s.runner.caller.Credential))
	}
	s.runner, s.again = s.feeds[next], again
	return s.runner, s.runner.plugin, s.runner.context
}

// end removes the stream. It reports false if a client follows the channel.
func (s *stream) end() bool {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if len(s.feeds) > 0 {
		return false
	}
	delete(s.hub.streams, s.at)
	return true
}

// endIfUnused ends the run of a stream that no client has followed since the grace period began.
func (s *stream) endIfUnused() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if len(s.feeds) > 0 {
		return
	}
	if s.again != nil {
		s.again(errUnused)
	}
	select {
	case s.unused <- struct{}{}:
	default:
	}
}

// receive sends a packet of the plugin to the clients, unless they cannot receive it.
func (s *stream) receive(packet json.RawMessage) error {
	packet, err := compact(packet)
	if err != nil {
		s.hub.log.Warn("a packet of a stream was dropped", "channel", s.at.String(), "org", s.at.org, "plugin", s.pluginID, "reason", err)
		return nil
	}
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.send(Packet{Data: packet})
	return nil
}

// tellEnd tells the clients that the plugin has ended the channel. They stay, and may publish.
func (s *stream) tellEnd(err error) {
	reason := "the plugin has ended the stream"
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		reason += ": " + e.Message
	}
	s.hub.log.Info("a stream ended", "channel", s.at.String(), "org", s.at.org, "plugin", s.pluginID, "reason", err)
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.send(Packet{Ended: reason})
}

// isFinal reports whether running the channel again would not help.
func isFinal(err error) bool {
	if err == nil || errors.Is(err, backend.ErrUnsupported) {
		return true
	}
	e, ok := errors.AsType[*sdk.Error](err)
	return ok && wire.IsFinal(e.Status)
}
