package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk"
)

const (
	maxRetryAfter = 10 * time.Second // before a stream that failed runs again
	maxSchema     = 64 << 10         // bytes of the schema of a stream in the list of channels
)

var (
	errChanged   = errors.New("the stream runs again in another context")
	errNoClients = errors.New("no client follows the channel")
)

// stream is a channel that clients follow.
type stream struct {
	hub      *Hub
	at       address
	pluginID string
	creator  owner // of the client that it was created for

	// Guarded by hub.mu.
	joining   int // clients that are about to follow the channel
	joins     int // clients that began to follow it
	isRunning bool
	isEnded   bool               // for good, unless another client joins
	stop      context.CancelFunc // of the run
	idle      *time.Timer        // until the stream is stopped; nil if a client follows it

	mu      sync.Mutex
	feeds   map[*Feed]struct{}
	schema  json.RawMessage // of the last frame that had one; nil if none had
	packets int
	began   time.Time
	current *run // nil if none is in progress

	by string // the credentials of the last run; only the goroutine of the runs uses it
}

// run is a call of RunStream.
type run struct {
	by      string // the credentials of the client on whose behalf it is
	context sdk.Context
	again   context.CancelCauseFunc // ends it, so that another one begins
}

// isSame reports whether a run has the user and the settings of a context.
func (r *run) isSame(of sdk.Context) bool {
	return reflect.DeepEqual(r.context.User, of.User) && reflect.DeepEqual(r.context.App, of.App) && reflect.DeepEqual(r.context.DataSource, of.DataSource)
}

// reserve returns the stream of a channel, which does not end before h.joined is called.
func (h *Hub) reserve(at address, pluginID string, creator owner) (*stream, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isClosed {
		return nil, errStopping()
	}
	s, ok := h.streams[at]
	if !ok {
		all, own := 0, 0
		for _, other := range h.streams {
			if other.pluginID == pluginID {
				all++
				if other.creator == creator {
					own++
				}
			}
		}
		switch {
		case all >= h.options.PerPlugin:
			return nil, &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf("%d streams of %s are in use; try again later", all, pluginID)}
		case own >= max(1, h.options.PerPlugin/2):
			return nil, &host.Error{Category: host.ErrThrottled, Message: fmt.Sprintf("you have started %d streams of %s; leave a channel and try again", own, pluginID)}
		}
		s = &stream{hub: h, at: at, pluginID: pluginID, creator: creator, feeds: map[*Feed]struct{}{}, began: time.Now()}
		h.streams[at] = s
	}
	s.joining++
	return s, nil
}

// joined ends a reservation. It runs the channel if a client follows it, even if it had
// ended for good: the new client may get further than the earlier ones.
func (h *Hub) joined(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.joining--
	s.joins++
	s.isEnded = false
	h.adjust(s)
}

// refused ends the reservation of a client that may not follow the channel.
func (h *Hub) refused(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.joining--; s.joining == 0 && s.joins == 0 {
		delete(h.streams, s.at) // no client has followed it
		return
	}
	h.adjust(s)
}

// left is called when a client no longer follows a channel.
func (h *Hub) left(at address) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.streams[at]; ok {
		h.adjust(s)
	}
}

// adjust runs a channel that clients follow, and stops one that they do not, after the
// grace period. The caller holds h.mu.
func (h *Hub) adjust(s *stream) {
	if h.isClosed || s.joining > 0 {
		return
	}
	if !s.isFollowed() {
		if s.idle == nil {
			s.idle = time.AfterFunc(h.options.Grace, func() { h.stopIdle(s) })
		}
		return
	}
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	if !s.isRunning && !s.isEnded {
		ctx, stop := context.WithCancel(h.ctx)
		s.isRunning, s.stop = true, stop
		h.background.Go(func() { s.run(ctx) })
	}
}

// isFollowed reports whether a client follows the channel.
func (s *stream) isFollowed() bool {
	s.mu.Lock()
	n := len(s.feeds)
	s.mu.Unlock()
	return n > 0 || s.hub.sockets.follow(s.at)
}

// stopIdle stops a stream whose grace period is over.
func (h *Hub) stopIdle(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.idle = nil
	if s.joining > 0 || s.isFollowed() {
		return
	}
	if s.isRunning {
		s.stop()
		return
	}
	if h.streams[s.at] == s { // it may have ended, and another one may have begun
		delete(h.streams, s.at)
	}
}

// finished is called when the channel has ended for good. It reports true if a client has
// joined since joins was read, so that the channel runs again.
func (h *Hub) finished(s *stream, joins int) (again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.joins != joins {
		return true
	}
	s.isRunning, s.isEnded = false, true
	s.stop()
	return false
}

// stopped is called when a run was stopped. The stream runs again if a client has joined
// in the meantime; two runs at the same time could reorder packets.
func (h *Hub) stopped(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.isRunning = false
	if s.joining == 0 && !s.isFollowed() {
		delete(h.streams, s.at)
		return
	}
	h.adjust(s)
}

// run runs the channel until it ends for good or ctx ends. After a failure it runs the
// channel again, with a delay.
func (s *stream) run(ctx context.Context) {
	wait := s.hub.options.RetryAfter
	for {
		joins, start := s.joinCount(), time.Now()
		err := s.once(ctx)
		switch {
		case ctx.Err() != nil:
			s.hub.stopped(s)
			return
		case errors.Is(err, errChanged):
			continue
		case isFinal(err):
			s.ended(err)
			if !s.hub.finished(s, joins) {
				return
			}
			continue
		}
		if time.Since(start) > maxRetryAfter {
			wait = s.hub.options.RetryAfter
		}
		s.hub.log.Info("a stream failed and will run again", "channel", s.at.String(), "org", s.at.org, "after", wait, "reason", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, maxRetryAfter)
	}
}

func (s *stream) joinCount() int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.joins
}

// once runs the channel with the context of a client that follows it, and with the data that
// this client sent.
func (s *stream) once(ctx context.Context) (err error) {
	defer func() {
		if value := recover(); value != nil {
			s.hub.log.Error("panic", "panic", value, "stack", string(debug.Stack()))
			err = sdk.Errorf(http.StatusInternalServerError, "the host failed; its log has details")
		}
	}()
	by, plugin, of, err := s.hub.openFor(ctx, s.at, s.by)
	if err != nil {
		return err
	}
	call, again := context.WithCancelCause(ctx)
	defer again(nil)
	s.by = by.caller.Credential
	s.set(&run{s.by, of, again})
	defer s.set(nil)
	err = plugin.RunStream(call, &sdk.StreamRequest{Context: of, Path: s.at.Path, Data: s.hub.sent(by, s.at)}, func(packet json.RawMessage) error {
		if call.Err() != nil {
			return call.Err()
		}
		return s.receive(packet)
	})
	if errors.Is(context.Cause(call), errChanged) {
		return errChanged
	}
	return err
}

func (s *stream) set(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = r
}

// inProgress returns the run in progress, or nil.
func (s *stream) inProgress() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// receive sends a packet of the plugin to the clients. It drops a packet that clients cannot
// receive.
func (s *stream) receive(packet json.RawMessage) error {
	packet, err := compact(packet)
	if err != nil {
		s.hub.log.Warn("a packet of a stream was dropped", "channel", s.at.String(), "org", s.at.org, "plugin", s.pluginID, "reason", err)
		return nil
	}
	schema := schemaOf(packet)
	s.mu.Lock()
	s.packets++
	if schema != nil {
		s.schema = schema
	}
	s.mu.Unlock()
	return s.hub.send(s.at, packet)
}

// schemaOf returns a copy of the schema of a frame that begins with one, or nil.
func schemaOf(packet json.RawMessage) json.RawMessage {
	rest, ok := bytes.CutPrefix(packet, []byte(`{"schema":`))
	var schema json.RawMessage
	if !ok || json.NewDecoder(bytes.NewReader(rest)).Decode(&schema) != nil || len(schema) > maxSchema {
		return nil
	}
	return bytes.Clone(schema)
}

// feed sends a packet to the feeds.
func (s *stream) feed(p Packet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.feeds {
		if !f.push(p) {
			delete(s.feeds, f)
		}
	}
}

// ended tells the feeds that the channel has ended for good. WebSockets stay subscribed, as
// in existing hosts: others may publish to the channel.
func (s *stream) ended(err error) {
	reason := "the plugin has ended the stream"
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		reason += ": " + e.Message
	}
	s.hub.log.Info("a stream ended", "channel", s.at.String(), "org", s.at.org, "plugin", s.pluginID, "reason", err)
	s.feed(Packet{Ended: reason})
}

// isFinal reports whether running the channel again would not help.
func isFinal(err error) bool {
	if err == nil || errors.Is(err, backend.ErrUnsupported) {
		return true
	}
	e, ok := errors.AsType[*sdk.Error](err)
	return ok && wire.IsFinal(e.Status)
}

// info describes the channel.
func (s *stream) info() Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	schema := s.schema
	if schema == nil {
		schema = json.RawMessage(`{"fields":[]}`)
	}
	out := Info{Channel: s.at.String(), Data: slices.Concat(json.RawMessage(`{"schema":`), schema, json.RawMessage("}"))}
	if minutes := time.Since(s.began).Minutes(); minutes > 0 {
		out.Rate = int(float64(s.packets) / minutes)
	}
	return out
}
