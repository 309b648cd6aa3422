package live

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/feed"
	"github.com/slipway-dev/slipway/sdk"
)

// Packet is what a Feed receives.
type Packet struct {
	Data  json.RawMessage
	Ended string // if not "", why the plugin has ended the channel; Data is nil
}

// Feed is a client that follows a channel. Its receiver closes it.
type Feed struct {
	caller  Caller
	data    json.RawMessage // that the client sent for the plugin
	stream  *stream
	packets chan Packet
	gone    chan struct{} // closed with packets

	// As of the last check; guarded by the mutex of the Hub.
	plugin  Plugin
	context sdk.Context
}

// Packets returns the packets, the first of which is the one for new clients, if the plugin sends one.
// The channel is closed when the client does not keep up or loses access, or when the Hub is closed.
func (f *Feed) Packets() <-chan Packet { return f.packets }

// Close ends the feed.
func (f *Feed) Close() {
	f.stream.hub.mu.Lock()
	defer f.stream.hub.mu.Unlock()
	f.stream.drop(f)
}

// keepChecking ends the feed when its credentials are no longer valid, or its caller may no longer use the
// plugin of the channel. A client that cannot be checked stays for a while: the database may respond again.
func (f *Feed) keepChecking() {
	h, checked := f.stream.hub, time.Now()
	for {
		select {
		case <-time.After(h.options.Check):
		case <-f.gone:
			return
		}
		plugin, of, err := f.check(max(h.options.Check, time.Second))
		switch {
		case err == nil:
			checked = time.Now()
			f.update(plugin, of)
		case isDenied(err), time.Since(checked) > h.options.Unchecked:
			f.Close()
			return
		}
	}
}

// check authenticates the caller again, and opens the channel on its behalf.
func (f *Feed) check(limit time.Duration) (Plugin, sdk.Context, error) {
	h := f.stream.hub
	ctx, cancel := context.WithTimeout(h.ctx, limit)
	defer cancel()
	who, err := f.caller.Again(ctx)
	if err == nil && who.OrgID != f.stream.at.org {
		err = host.Unauthorized("the user has changed the organization")
	}
	if err != nil {
		return nil, sdk.Context{}, err
	}
	return h.options.Open(ctx, who, f.stream.at.Channel)
}

// update notes the plugin and the context. If the channel runs on behalf of the caller with
// another user or other settings, it runs again.
func (f *Feed) update(plugin Plugin, of sdk.Context) {
	s := f.stream
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	isSame := reflect.DeepEqual(f.context.User, of.User) && reflect.DeepEqual(f.context.App, of.App) && reflect.DeepEqual(f.context.DataSource, of.DataSource)
	f.plugin, f.context = plugin, of
	if !isSame && s.runner == f {
		s.again(errChanged)
	}
}

// isDenied reports whether an error means that a client has lost access.
func isDenied(err error) bool {
	return errors.Is(err, host.ErrUnauthorized) || errors.Is(err, host.ErrForbidden) || errors.Is(err, host.ErrNotFound)
}

// send sends a packet to each feed. The caller holds the mutex of the Hub.
func (s *stream) send(p Packet) {
	for _, f := range slices.Clone(s.feeds) {
		if !feed.Offer(f.packets, p) {
			s.drop(f)
		}
	}
}

// drop removes and closes a feed, unless it is closed. The caller holds the mutex of the Hub.
func (s *stream) drop(f *Feed) {
	at := slices.Index(s.feeds, f)
	if at < 0 {
		return
	}
	s.feeds = slices.Delete(s.feeds, at, at+1)
	close(f.packets)
	close(f.gone)
	if len(s.feeds) == 0 {
		time.AfterFunc(s.hub.options.Grace, s.endIfUnused)
		return
	}
	if s.runner != f {
		return
	}
	if i := s.withCredential(f.caller.Credential); i >= 0 {
		s.runner = s.feeds[i]
		return
	}
	s.again(errChanged) // on behalf of another client
}

// withCredential returns the index of the first feed with the same credential, or -1.
func (s *stream) withCredential(credential string) int {
	return slices.IndexFunc(s.feeds, func(f *Feed) bool { return f.caller.Credential == credential })
}
