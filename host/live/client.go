package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk"
)

// client is a WebSocket or a feed.
type client struct {
	caller Caller
	who    atomic.Pointer[host.Identity] // at the last check
	isOver atomic.Bool                   // it is disconnected, or about to be

	// Only check and checkCaller use them.
	tried   time.Time // the last check for which its round had time
	checked time.Time // the last check that succeeded

	data map[address]json.RawMessage // that it sent with its subscriptions; guarded by hub.mu

	channels func() []string                  // names of those that it follows
	leave    func(name, reason string)        // unsubscribes it
	end      func(code uint32, reason string) // disconnects it

	// Of a WebSocket.
	open  context.Context // until the connection is closed
	calls context.Context // until the connection is closed or is about to be
	pause func()          // ends its turn
}

func newClient(c Caller) *client {
	out := &client{caller: c, checked: time.Now(), data: map[address]json.RawMessage{}}
	out.who.Store(&c.Identity)
	return out
}

// disconnect ends the connection of a client.
func (c *client) disconnect(code uint32, reason string) {
	c.isOver.Store(true)
	c.end(code, reason)
}

// follows reports whether a client follows a channel.
func (c *client) follows(at address) bool {
	names := at.names()
	return !c.isOver.Load() && slices.ContainsFunc(c.channels(), func(name string) bool { return slices.Contains(names, name) })
}

// keep keeps the data that a client sent with a subscription, for the runs of the channel,
// until discard or remove is called.
func (h *Hub) keep(c *client, at address, data json.RawMessage) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(data) == 0 || c.isOver.Load() { // remove may have been called
		return nil
	}
	if err := h.checkRoom(ownerOf(c.caller.Identity), len(data)); err != nil {
		return err
	}
	h.replace(c, at, bytes.Clone(data))
	return nil
}

// checkRoom returns an error if the data of clients would take too much memory with some more
// bytes. The caller holds h.mu.
func (h *Hub) checkRoom(of owner, bytes int) error {
	all := bytes
	for _, n := range h.held {
		all += n
	}
	switch {
	case all > host.MaxStreamData:
		return &host.Error{Category: host.ErrUnavailable, Message: "the data of all subscriptions and messages takes too much memory; try again later"}
	case h.held[of]+bytes > host.MaxStreamData/4:
		return &host.Error{Category: host.ErrThrottled, Message: fmt.Sprintf("the data of your subscriptions and messages takes more than %d bytes; try again later or leave a channel", host.MaxStreamData/4)}
	}
	return nil
}

// hold counts the data of a message while it is handled, until release is called.
func (h *Hub) hold(of owner, bytes int) (release func(), err error) {
	if bytes <= host.FreeMessage {
		return func() {}, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.checkRoom(of, bytes); err != nil {
		return nil, err
	}
	h.held[of] += bytes
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.free(of, bytes)
	}), nil
}

// free ends the count of bytes. The caller holds h.mu.
func (h *Hub) free(of owner, bytes int) {
	if h.held[of] -= bytes; h.held[of] == 0 {
		delete(h.held, of)
	}
}

// discard removes what keep kept.
func (h *Hub) discard(c *client, at address) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.replace(c, at, nil)
}

// replace replaces the data that a client sent with a subscription. The caller holds h.mu.
func (h *Hub) replace(c *client, at address, data json.RawMessage) {
	h.free(ownerOf(c.caller.Identity), len(c.data[at])-len(data))
	if c.data[at] = data; data == nil {
		delete(c.data, at)
	}
}

// sent returns the data that a client sent with its subscription, or nil.
func (h *Hub) sent(c *client, at address) json.RawMessage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return c.data[at]
}

// owner is what the limit of clients applies to.
type owner struct {
	org  int64
	kind host.Kind
	id   int64
}

func ownerOf(who host.Identity) owner { return owner{who.OrgID, who.Kind, who.ID} }

// enter makes room for a client, until leave is called.
func (h *Hub) enter(who host.Identity) (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of, all := ownerOf(who), 0
	for _, n := range h.entered {
		all += n
	}
	switch {
	case h.isClosed:
		return nil, errStopping()
	case all >= h.options.Clients:
		return nil, &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf("too many clients (%d) follow channels; try again later", all)}
	case h.entered[of] >= h.options.PerCaller:
		return nil, &host.Error{Category: host.ErrThrottled, Message: fmt.Sprintf("%d of your clients already follow channels; close one of them", h.entered[of])}
	}
	h.entered[of]++
	if !h.isChecking {
		h.isChecking = true
		h.background.Go(h.keepChecking)
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.entered[of]--; h.entered[of] == 0 {
			delete(h.entered, of)
		}
	}, nil
}

// add lists a client that is connected. It reports false if the Hub is closed.
func (h *Hub) add(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.isClosed {
		h.clients = append(h.clients, c)
	}
	return !h.isClosed
}

func (h *Hub) remove(c *client) {
	c.isOver.Store(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients = slices.DeleteFunc(h.clients, func(other *client) bool { return other == c })
	for at := range c.data {
		h.replace(c, at, nil)
	}
}

// snapshot returns the clients. The caller holds h.mu.
func (h *Hub) snapshot() []*client { return slices.Clone(h.clients) }

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

// use is a channel that is followed with credentials.
type use struct {
	credential string
	at         address
}

// authenticate checks the credentials of a client again. One check that hangs must not keep
// the other clients from being checked, so it has a deadline.
func (h *Hub) authenticate(round context.Context, c *client) (host.Identity, error) {
	ctx, cancel := context.WithTimeout(round, h.options.Check)
	defer cancel()
	return c.caller.Again(ctx)
}

// openAgain checks whether a user may still follow a channel.
func (h *Hub) openAgain(round context.Context, who host.Identity, c Channel) (sdk.Context, error) {
	ctx, cancel := context.WithTimeout(round, h.options.Check)
	defer cancel()
	_, of, err := h.options.Open(ctx, who, c)
	return of, err
}

// isOverdue reports whether no check of a client has succeeded for too long. A round of checks
// may take the rest of Options.Unchecked.
func (h *Hub) isOverdue(c *client) bool {
	return time.Since(c.checked) > h.options.Unchecked*3/4
}

// parallelChecks is how many callers are checked at the same time. It must not exceed how many
// logins from one network may be in progress.
const parallelChecks = 4

// check disconnects clients whose credentials are no longer valid, and unsubscribes those
// that may no longer use the plugin of a channel. Clients that it cannot check stay for a
// while: the database may respond again. It runs channels again whose settings have
// changed, or whose client no longer follows them while others do. Clients with the same
// credentials are checked once.
func (h *Hub) check() {
	round, cancel := context.WithTimeout(h.ctx, h.options.Unchecked/4)
	defer cancel()
	h.mu.Lock()
	clients, runs := h.snapshot(), map[*stream]*run{}
	for _, s := range h.streams {
		h.adjust(s)
		runs[s] = s.inProgress()
	}
	h.mu.Unlock()
	// On a slow database, a round ends before it has reached all clients. The next one begins with the rest.
	slices.SortStableFunc(clients, func(a, b *client) int { return a.tried.Compare(b.tried) })
	var credentials []string
	callers := map[string][]*client{}
	for _, c := range clients {
		credential := c.caller.Credential
		if callers[credential] == nil {
			credentials = append(credentials, credential)
		}
		callers[credential] = append(callers[credential], c)
	}
	var checks errgroup.Group
	checks.SetLimit(parallelChecks)
	var mu sync.Mutex
	contexts := map[use]sdk.Context{}
	for _, credential := range credentials {
		checks.Go(func() error {
			opened := h.checkCaller(round, callers[credential])
			mu.Lock()
			defer mu.Unlock()
			for at, of := range opened {
				contexts[use{credential, at}] = of
			}
			return nil
		})
	}
	_ = checks.Wait() // always nil
	for s, r := range runs {
		if r == nil {
			continue
		}
		isFollowing := func(c *client) bool { return c.caller.Credential == r.by && c.follows(s.at) }
		of, isKnown := contexts[use{r.by, s.at}]
		if isKnown && !r.isSame(of) || !slices.ContainsFunc(clients, isFollowing) && s.isFollowed() {
			r.again(errChanged)
		}
	}
}

// checkCaller checks clients with the same credentials. It returns the contexts of the channels
// that they may follow.
func (h *Hub) checkCaller(round context.Context, clients []*client) (opened map[address]sdk.Context) {
	who, denied := h.authenticate(round, clients[0])
	opened, failed := map[address]sdk.Context{}, map[address]error{}
	for _, c := range clients {
		switch {
		case isDenied(denied), denied == nil && who.OrgID != c.caller.Identity.OrgID:
			c.disconnect(codeEnded, "the credentials are no longer valid")
			continue
		case errors.Is(denied, host.ErrThrottled), denied != nil && h.isOverdue(c):
			c.disconnect(codeUnchecked, "the host cannot check the credentials; try again later")
			continue
		case denied != nil:
			continue
		}
		c.who.Store(&who)
		isChecked := true
		for _, name := range c.channels() {
			channel, err := ParseChannel(name, who.OrgID)
			if err != nil {
				continue // it was parsed when the client subscribed
			}
			at := address{who.OrgID, channel}
			err, isKnown := failed[at]
			if !isKnown {
				var of sdk.Context
				if of, err = h.openAgain(round, who, channel); err == nil {
					opened[at] = of
				}
				failed[at] = err
			}
			switch {
			case isDenied(err):
				c.leave(name, err.Error())
			case err != nil && h.isOverdue(c):
				c.leave(name, "the host cannot check whether you may follow the channel; try again later")
			case err != nil:
				isChecked = false
			}
		}
		if isChecked {
			c.checked = time.Now()
		}
	}
	if round.Err() == nil {
		for _, c := range clients {
			c.tried = time.Now()
		}
	}
	return opened
}

// isDenied reports whether an error means that a client has lost access.
func isDenied(err error) bool {
	return errors.Is(err, host.ErrUnauthorized) || errors.Is(err, host.ErrForbidden) || errors.Is(err, host.ErrNotFound)
}

// openFor opens a channel on behalf of a client that follows it. It prefers the credentials
// of the previous run, then the client that connected first.
func (h *Hub) openFor(ctx context.Context, at address, previous string) (by *client, plugin Plugin, of sdk.Context, err error) {
	h.mu.Lock()
	clients := h.snapshot()
	h.mu.Unlock()
	isOther := func(c *client) int {
		if c.caller.Credential == previous {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(clients, func(a, b *client) int { return isOther(a) - isOther(b) })
	err = errNoClients
	tried := map[string]bool{}
	for _, c := range clients {
		who := *c.who.Load()
		if who.OrgID != at.org || tried[c.caller.Credential] || !c.follows(at) {
			continue
		}
		if plugin, of, err = h.options.Open(ctx, who, at.Channel); err == nil {
			return c, plugin, of, nil
		}
		tried[c.caller.Credential] = true
	}
	return nil, nil, sdk.Context{}, err
}
