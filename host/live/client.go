package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk"
)

// client is a WebSocket or a feed.
type client struct {
	caller Caller
	who    atomic.Pointer[host.Identity] // at the last check

	channels func() []string           // names of those that it follows
	leave    func(name, reason string) // unsubscribes it
	end      func(reason string)       // disconnects it
}

func newClient(c Caller) *client {
	out := &client{caller: c}
	out.who.Store(&c.Identity)
	return out
}

// owner is what the limit of clients applies to.
type owner struct {
	org  int64
	kind host.Kind
	id   int64
}

// enter makes room for a client, until leave is called.
func (h *Hub) enter(who host.Identity) (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of, all := owner{who.OrgID, who.Kind, who.ID}, 0
	for _, n := range h.open {
		all += n
	}
	switch {
	case h.isClosed:
		return nil, &host.Error{Category: host.ErrUnavailable, Message: "the host is stopping"}
	case all >= h.options.Clients:
		return nil, &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf("%d clients follow channels; try again later", all)}
	case h.open[of] >= h.options.PerCaller:
		return nil, &host.Error{Category: host.ErrThrottled, Message: fmt.Sprintf("you have %d clients that follow channels; close one of them", h.open[of])}
	}
	h.open[of]++
	if !h.isChecking {
		h.isChecking = true
		h.background.Go(h.keepChecking)
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.open[of]--; h.open[of] == 0 {
			delete(h.open, of)
		}
	}, nil
}

// add lists a client that is connected. It reports false if the Hub is closed.
func (h *Hub) add(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.isClosed {
		h.clients[c] = struct{}{}
	}
	return !h.isClosed
}

func (h *Hub) remove(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.clients, c)
}

// snapshot returns the clients. The caller holds h.mu.
func (h *Hub) snapshot() []*client { return slices.Collect(maps.Keys(h.clients)) }

// keepChecking checks the clients until the Hub is closed.
func (h *Hub) keepChecking() {
	for {
		select {
		case <-time.After(h.options.Check):
			h.check()
		case <-h.ctx.Done():
			return
		}
	}
}

// verdict is the result of a check of credentials.
type verdict struct {
	who host.Identity
	err error
}

// use is a channel that is followed with credentials.
type use struct {
	credential string
	at         address
}

// check disconnects clients whose credentials are no longer valid, and unsubscribes those
// that may no longer use the plugin of a channel. It runs channels again whose settings have
// changed. Clients with the same credentials are checked once.
func (h *Hub) check() {
	h.mu.Lock()
	clients, streams := h.snapshot(), slices.Collect(maps.Values(h.streams))
	for _, s := range streams {
		h.adjust(s)
	}
	h.mu.Unlock()
	verdicts, uses, contexts := map[string]verdict{}, map[use]error{}, map[address]sdk.Context{}
	for _, c := range clients {
		v, ok := verdicts[c.caller.Credential]
		if !ok {
			v.who, v.err = c.caller.Again(h.ctx)
			verdicts[c.caller.Credential] = v
		}
		switch {
		case isDenied(v.err), v.err == nil && v.who.OrgID != c.caller.Identity.OrgID:
			c.end("the credentials are no longer valid")
			continue
		case v.err != nil: // such as a database that does not respond
			continue
		}
		c.who.Store(&v.who)
		for _, name := range c.channels() {
			channel, err := ParseChannel(name, v.who.OrgID)
			if err != nil {
				continue // it was parsed when the client subscribed
			}
			u := use{c.caller.Credential, address{v.who.OrgID, channel}}
			if err, ok = uses[u]; !ok {
				var of sdk.Context
				if _, of, err = h.options.Open(h.ctx, v.who, channel); err == nil {
					contexts[u.at] = of
				}
				uses[u] = err
			}
			if isDenied(err) {
				c.leave(name, err.Error())
			}
		}
	}
	for _, s := range streams {
		if of, ok := contexts[s.at]; ok {
			s.update(of)
		}
	}
}

// isDenied reports whether an error means that a client has lost access.
func isDenied(err error) bool {
	return errors.Is(err, host.ErrUnauthorized) || errors.Is(err, host.ErrForbidden) || errors.Is(err, host.ErrNotFound)
}

// openFor opens a channel on behalf of a client that follows it.
func (h *Hub) openFor(ctx context.Context, at address) (Plugin, sdk.Context, error) {
	h.mu.Lock()
	clients := h.snapshot()
	h.mu.Unlock()
	reason := errNoClients
	tried := map[string]bool{}
	for _, c := range clients {
		who := *c.who.Load()
		if who.OrgID != at.org || tried[c.caller.Credential] || !slices.ContainsFunc(at.names(), func(name string) bool { return slices.Contains(c.channels(), name) }) {
			continue
		}
		plugin, of, err := h.options.Open(ctx, who, at.Channel)
		if err == nil {
			return plugin, of, nil
		}
		tried[c.caller.Credential], reason = true, err
	}
	return nil, sdk.Context{}, reason
}
