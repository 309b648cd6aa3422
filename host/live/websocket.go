package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/centrifugal/centrifuge"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk"
)

const (
	atOnce       = 8       // calls in progress of a client; others wait, and the client with them
	commandSize  = 4 << 10 // bytes of a command around a message
	prefixLength = 32      // bytes of the organization in the name of a channel

	codeLeft      = 2100 // of a client that may no longer follow a channel; it does not subscribe again
	codeUnchecked = 4001 // of a client whose credentials cannot be checked; it connects again later
	codeEnded     = 4501 // of a client whose credentials are no longer valid; it does not connect again
)

// sockets are the WebSockets. The library's goroutines start with the first one.
type sockets struct {
	mu      sync.Mutex
	node    *centrifuge.Node
	handler http.Handler
	isEnded bool
}

// ServeWebSocket serves a client that speaks the protocol of centrifuge, in JSON or
// Protobuf. The caller has checked the origin of the request. If it returns an error, it has
// not responded.
func (h *Hub) ServeWebSocket(w http.ResponseWriter, r *http.Request, caller Caller) error {
	handler, err := h.sockets.start(h)
	if err != nil {
		return err
	}
	leave, err := h.enter(caller.Identity)
	if err != nil {
		return err
	}
	own := newClient(caller)
	entered := &entry{ResponseWriter: w, hub: h, client: own, leave: sync.OnceFunc(leave)}
	own.open, entered.close = context.WithCancel(context.WithoutCancel(r.Context()))
	ctx := context.WithValue(r.Context(), clientKey{}, own)
	ctx = centrifuge.SetCredentials(ctx, &centrifuge.Credentials{UserID: userID(caller.Identity)})
	defer func() {
		if !entered.isHijacked { // even if the handler panics
			entered.close()
			entered.leave()
		}
	}()
	handler.ServeHTTP(entered, r.WithContext(ctx))
	return nil
}

type clientKey struct{}

func userID(who host.Identity) string { return fmt.Sprintf("%s-%d", who.Kind, who.ID) }

// entry is a response that gives its room back when its connection is closed.
type entry struct {
	http.ResponseWriter
	hub        *Hub
	client     *client
	close      func() // ends client.open
	leave      func()
	isHijacked bool
}

// Hijack implements http.Hijacker.
func (e *entry) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(e.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	e.isHijacked = true
	c := &socketConn{Conn: conn, entry: e}
	e.client.pause = c.pause
	if buffered.Reader.Buffered() == 0 { // the library refuses a client that sends before the handshake
		buffered.Reader = bufio.NewReader(c)
	}
	return c, buffered, nil
}

// socketConn is the connection of a WebSocket. What arrives in large parts is handled when
// there is a turn: otherwise, many clients that send as much as they can would take all
// processors.
type socketConn struct {
	net.Conn
	entry   *entry
	isLarge bool                   // whether the last part that arrived was large
	turn    atomic.Pointer[func()] // ends the turn in which the library handles what it has read
}

// Read also ends the turn of what was read before.
func (c *socketConn) Read(p []byte) (n int, err error) {
	c.pause()
	n, err = c.Conn.Read(p)
	wasLarge := c.isLarge
	c.isLarge = n > host.FreeMessage
	if n == 0 || !c.isLarge && !wasLarge { // the end of a large message can be short
		return n, err
	}
	own := c.entry.client
	end, failed := c.entry.hub.options.Turn(own.open, own.caller.Identity)
	if failed != nil {
		return 0, net.ErrClosed
	}
	c.turn.Store(&end)
	if own.open.Err() != nil { // Close may not have seen it
		c.pause()
	}
	return n, err
}

// pause ends the turn of the connection, if it has one.
func (c *socketConn) pause() {
	if end := c.turn.Swap(nil); end != nil {
		(*end)()
	}
}

// Close implements net.Conn.
func (c *socketConn) Close() error {
	defer c.entry.leave()
	c.entry.close()
	c.pause()
	return c.Conn.Close()
}

// start returns the handler of WebSockets.
func (s *sockets) start(h *Hub) (http.Handler, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.node != nil || s.isEnded {
		if s.isEnded {
			return nil, errStopping()
		}
		return s.handler, nil
	}
	node, err := centrifuge.New(centrifuge.Config{
		Name: "slipway", LogLevel: centrifuge.LogLevelError, LogHandler: func(e centrifuge.LogEntry) { h.log.Error("streams: "+e.Message, "fields", e.Fields) },
		ClientQueueMaxSize: host.StreamQueue, ClientChannelLimit: host.MaxChannels, ChannelMaxLength: maxChannel + prefixLength,
		Metrics: centrifuge.MetricsConfig{RegistererGatherer: prometheus.NewRegistry()},
	})
	if err != nil {
		return nil, fmt.Errorf("start streams: %w", err)
	}
	node.OnConnect(h.connected)
	if err := node.Run(); err != nil {
		return nil, fmt.Errorf("start streams: %w", err)
	}
	s.node = node
	s.handler = centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{
		CheckOrigin:      func(*http.Request) bool { return true },
		MessageSizeLimit: host.MaxPublication + commandSize, WriteTimeout: host.StreamWriteTimeout, UseWriteBufferPool: true,
	})
	return s.handler, nil
}

// running returns the node, or nil if no client has connected yet.
func (s *sockets) running() *centrifuge.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.node
}

// publish sends a packet to the clients that follow a channel, whatever name they used to
// subscribe.
func (s *sockets) publish(at address, packet json.RawMessage) (err error) {
	node := s.running()
	if node == nil {
		return nil
	}
	for _, name := range at.names() {
		if node.Hub().NumSubscribers(name) > 0 {
			_, failed := node.Publish(name, packet)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// follow reports whether a client follows a channel.
func (s *sockets) follow(at address) bool {
	node := s.running()
	if node == nil {
		return false
	}
	for _, name := range at.names() {
		if node.Hub().NumSubscribers(name) > 0 {
			return true
		}
	}
	return false
}

// close disconnects all clients.
func (s *sockets) close() error {
	s.mu.Lock()
	node := s.node
	s.isEnded = true
	s.mu.Unlock()
	if node == nil {
		return nil
	}
	return node.Shutdown(context.Background())
}

// connected serves a client that has completed the handshake.
func (h *Hub) connected(c *centrifuge.Client) {
	own := c.Context().Value(clientKey{}).(*client)
	own.channels = c.Channels
	own.leave = func(name, reason string) { c.Unsubscribe(name, centrifuge.Unsubscribe{Code: codeLeft, Reason: reason}) }
	ctx, cancel := context.WithCancel(own.open)
	own.calls = ctx
	own.end = func(code uint32, reason string) {
		cancel() // the library waits for subscriptions in progress before it closes the connection
		c.Disconnect(centrifuge.Disconnect{Code: code, Reason: reason})
	}
	calls := make(chan struct{}, atOnce)
	// do runs f, which handles some data, while the client can send other commands.
	do := func(data []byte, f func(ctx context.Context, release func()) error, fail func(error)) {
		release, err := h.hold(ownerOf(own.caller.Identity), len(data))
		if err != nil {
			fail(h.clientError(own, err))
			return
		}
		select {
		case calls <- struct{}{}:
		default:
			own.pause() // the plugin may take long
			select {
			case calls <- struct{}{}:
			case <-ctx.Done(): // the library's context does not end while this waits
				release()
				fail(centrifuge.ErrorInternal) // or the library waits for it
				return
			case <-h.ctx.Done():
				release()
				fail(centrifuge.ErrorInternal)
				return
			}
		}
		isOpen := h.inBackground(func() {
			defer context.AfterFunc(h.ctx, cancel)()
			defer func() { <-calls }()
			defer release()
			defer func() {
				if value := recover(); value != nil {
					h.log.Error("panic", "panic", value, "stack", string(debug.Stack()))
					fail(centrifuge.ErrorInternal)
				}
			}()
			if err := f(ctx, release); err != nil {
				fail(h.clientError(own, err))
			}
		})
		if !isOpen {
			release()
			fail(centrifuge.ErrorInternal)
		}
	}
	c.OnSubscribe(func(e centrifuge.SubscribeEvent, reply centrifuge.SubscribeCallback) {
		do(e.Data, func(ctx context.Context, release func()) error { return h.subscribed(ctx, own, e, release, reply) },
			func(err error) { reply(centrifuge.SubscribeReply{}, err) })
	})
	c.OnPublish(func(e centrifuge.PublishEvent, reply centrifuge.PublishCallback) {
		do(e.Data, func(ctx context.Context, _ func()) error {
			if err := h.Publish(ctx, *own.who.Load(), e.Channel, e.Data); err != nil {
				return err
			}
			reply(centrifuge.PublishReply{Result: &centrifuge.PublishResult{}}, nil) // it is published already
			return nil
		}, func(err error) { reply(centrifuge.PublishReply{}, err) })
	})
	c.OnUnsubscribe(func(e centrifuge.UnsubscribeEvent) {
		org := own.caller.Identity.OrgID
		if channel, err := ParseChannel(e.Channel, org); err == nil {
			h.discard(own, address{org, channel})
			h.left(address{org, channel})
		}
	})
	c.OnDisconnect(func(centrifuge.DisconnectEvent) { h.remove(own) })
	if !h.add(own) {
		c.Disconnect(centrifuge.DisconnectShutdown)
	}
}

// subscribed handles a subscription. It replies unless it returns an error.
func (h *Hub) subscribed(ctx context.Context, own *client, e centrifuge.SubscribeEvent, release func(), reply centrifuge.SubscribeCallback) error {
	who := *own.who.Load()
	channel, err := ParseChannel(e.Channel, who.OrgID)
	if err != nil {
		return err
	}
	if err := (address{who.OrgID, channel}).check(e.Channel); err != nil {
		return err
	}
	s, initial, err := h.subscribe(ctx, who, channel, e.Data)
	if err != nil {
		return err
	}
	release() // keep counts the data from now on
	if err := h.keep(own, s.at, e.Data); err != nil {
		h.refused(s)
		return err
	}
	defer h.joined(s) // once the client receives what is published
	reply(centrifuge.SubscribeReply{Options: centrifuge.SubscribeOptions{Data: initial}}, nil)
	return nil
}

// clientError returns the error for a client. The codes are those of HTTP, as in existing
// hosts; a temporary error makes the client try again.
func (h *Hub) clientError(c *client, err error) error {
	if c.calls.Err() != nil { // the client has left, or is about to be disconnected
		return centrifuge.ErrorInternal
	}
	for category, status := range map[error]uint32{
		host.ErrInvalid: http.StatusBadRequest, host.ErrForbidden: http.StatusForbidden, host.ErrNotFound: http.StatusNotFound,
		host.ErrThrottled: http.StatusTooManyRequests, host.ErrUnavailable: http.StatusServiceUnavailable,
	} {
		if errors.Is(err, category) {
			return &centrifuge.Error{Code: status, Message: err.Error(), Temporary: status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests}
		}
	}
	if e, ok := errors.AsType[*sdk.Error](err); ok && e.Status >= http.StatusBadRequest {
		return &centrifuge.Error{Code: uint32(e.Status), Message: e.Message, Temporary: e.Status >= http.StatusInternalServerError}
	}
	h.log.Error("a call over a WebSocket failed", "user", userID(c.caller.Identity), "error", err)
	return centrifuge.ErrorInternal
}
