package live

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/slipway-dev/slipway/host"
)

// Packet is what a Feed receives.
type Packet struct {
	Data  json.RawMessage
	Ended string // if not "", why the plugin has ended the channel; Data is nil
}

// Feed follows one channel. The caller closes it.
type Feed struct {
	Initial json.RawMessage // what the plugin sends to new clients, or nil

	packets chan Packet
	waiting atomic.Int64 // bytes
	close   func()
}

// Follow returns a feed of a channel. The data is JSON for the plugin, or empty.
func (h *Hub) Follow(ctx context.Context, caller Caller, name string, data json.RawMessage) (*Feed, error) {
	channel, err := ParseChannel(name, caller.Identity.OrgID)
	if err != nil {
		return nil, err
	}
	leave, err := h.enter(caller.Identity)
	if err != nil {
		return nil, err
	}
	isFollowing := false
	defer func() {
		if !isFollowing { // even if the call panics
			leave()
		}
	}()
	s, initial, err := h.subscribe(ctx, caller.Identity, channel, data)
	if err != nil {
		return nil, err
	}
	c, f := newClient(caller), &Feed{Initial: initial, packets: make(chan Packet, host.FeedQueue)}
	if err := h.keep(c, s.at, data); err != nil {
		h.refused(s)
		return nil, err
	}
	isFollowing = true
	end := func() {
		c.isOver.Store(true)
		s.drop(f)
	}
	c.channels = func() []string { return []string{s.at.names()[0]} }
	c.leave, c.end = func(string, string) { end() }, func(uint32, string) { end() }
	f.waiting.Add(int64(len(initial)))
	f.close = sync.OnceFunc(func() {
		end()
		h.remove(c)
		leave()
		h.left(s.at)
	})
	s.mu.Lock()
	s.feeds[f] = struct{}{}
	s.mu.Unlock()
	if !h.add(c) {
		end()
	}
	h.joined(s)
	return f, nil
}

// Packets returns the packets. The channel is closed when the client does not keep up or
// loses access, or when the Hub is closed. The caller calls Took for Initial and for each
// packet when it has written them.
func (f *Feed) Packets() <-chan Packet { return f.packets }

// Took makes room for other packets.
func (f *Feed) Took(p Packet) { f.waiting.Add(-int64(len(p.Data))) }

// Close ends the feed.
func (f *Feed) Close() { f.close() }

// push queues a packet. It closes the feed and reports false if there is no room. The caller
// holds the lock of the stream.
func (f *Feed) push(p Packet) bool {
	if f.waiting.Add(int64(len(p.Data))) <= host.StreamQueue {
		select {
		case f.packets <- p:
			return true
		default:
		}
	}
	close(f.packets)
	return false
}

// drop closes a feed, unless it is closed.
func (s *stream) drop(f *Feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.feeds[f]; ok {
		delete(s.feeds, f)
		close(f.packets)
	}
}
