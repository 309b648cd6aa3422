// Package live distributes plugin streams to clients: WebSockets that speak the
// protocol of centrifuge, as existing frontends do, and feeds for server-sent events.
//
// A channel is run once for all clients of an organization that follow it. The plugin
// decides who may follow it, and the host disconnects those that may no longer use the
// plugin. The package does not authenticate, and does not know which permissions a channel
// requires: package api passes both in.
package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk"
)

// Plugin runs channels. *loader.Plugin implements it.
type Plugin interface {
	SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error)
	PublishStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error)
	RunStream(ctx context.Context, req *sdk.StreamRequest, receive func(json.RawMessage) error) error
}

// Options configure a Hub. Zero values mean the defaults.
type Options struct {
	// Open returns the plugin of a channel and the context of calls on behalf of a user. It
	// returns host.ErrForbidden or host.ErrNotFound if the user may not use the plugin.
	Open   func(ctx context.Context, who host.Identity, c Channel) (Plugin, sdk.Context, error)
	Logger *slog.Logger // no log if nil
	// Turn waits until what a user has sent may be handled. If it is nil, everything is handled
	// at once.
	Turn func(ctx context.Context, who host.Identity) (end func(), err error)

	Check      time.Duration // between checks of the clients; host.StreamCheck
	Unchecked  time.Duration // how long a client that cannot be checked stays; host.StreamUnchecked
	Grace      time.Duration // between the last client of a channel and its end; host.StreamGrace
	Clients    int           // host.MaxStreamClients
	PerCaller  int           // of Clients; host.MaxUserStreamClients
	PerPlugin  int           // streams; host.MaxStreams
	RetryAfter time.Duration // the first delay before a stream that failed runs again; 50 ms
}

// Caller is the sender of a request.
type Caller struct {
	Identity   host.Identity
	Credential string // equal for requests with the same credentials
	// Again authenticates the credentials of the request again.
	Again func(ctx context.Context) (host.Identity, error)
}

// Hub runs channels and distributes their packets. It is safe for concurrent use.
type Hub struct {
	options    Options
	log        *slog.Logger
	ctx        context.Context // of the streams
	cancel     context.CancelFunc
	background sync.WaitGroup
	sockets    sockets

	mu         sync.Mutex
	isClosed   bool
	isChecking bool
	clients    []*client     // in the order in which they connected
	entered    map[owner]int // clients that are connected or connecting
	held       map[owner]int // bytes of the data of clients
	streams    map[address]*stream
}

// New returns a Hub. It starts goroutines when the first client connects.
func New(o Options) *Hub {
	o.Check, o.Grace = cmp.Or(o.Check, host.StreamCheck), cmp.Or(o.Grace, host.StreamGrace)
	o.Unchecked = cmp.Or(o.Unchecked, host.StreamUnchecked)
	o.Clients, o.PerCaller = cmp.Or(o.Clients, host.MaxStreamClients), cmp.Or(o.PerCaller, host.MaxUserStreamClients)
	o.PerPlugin, o.RetryAfter = cmp.Or(o.PerPlugin, host.MaxStreams), cmp.Or(o.RetryAfter, 50*time.Millisecond)
	if o.Turn == nil {
		o.Turn = func(context.Context, host.Identity) (func(), error) { return func() {}, nil }
	}
	h := &Hub{options: o, log: o.Logger, entered: map[owner]int{}, held: map[owner]int{}, streams: map[address]*stream{}}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// Close disconnects all clients and waits until the streams have ended. Calling it again
// has no effect.
func (h *Hub) Close() error {
	h.mu.Lock()
	isFirst := !h.isClosed
	h.isClosed = true
	clients := h.snapshot()
	h.mu.Unlock()
	h.cancel()
	var err error
	if isFirst {
		err = h.sockets.close()
		for _, c := range clients {
			c.disconnect(codeEnded, errStopping().Error())
		}
	}
	h.background.Wait()
	return err
}

// inBackground runs f in a goroutine that Close waits for. It reports false, and does not
// run f, if the Hub is closed.
func (h *Hub) inBackground(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.isClosed {
		h.background.Go(f)
	}
	return !h.isClosed
}

// Publish sends a user's message to the plugin of a channel, and what the plugin returns to
// the clients of the channel.
func (h *Hub) Publish(ctx context.Context, who host.Identity, name string, data json.RawMessage) error {
	c, err := ParseChannel(name, who.OrgID)
	if err != nil {
		return err
	}
	if err := checkData(data); err != nil {
		return err
	}
	plugin, of, err := h.open(ctx, who, c)
	if err != nil {
		return err
	}
	published, err := plugin.PublishStream(ctx, &sdk.StreamRequest{Context: of, Path: c.Path, Data: data})
	if err != nil || published == nil {
		return orUnsupported(err, c)
	}
	release, err := h.hold(ownerOf(who), len(published))
	if err != nil {
		return err
	}
	defer release()
	if published, err = compact(published); err != nil {
		return badPacket(c, err)
	}
	return h.send(address{who.OrgID, c}, published)
}

// open opens a channel for a message. The messages of many clients must not occupy all
// connections to the database.
func (h *Hub) open(ctx context.Context, who host.Identity, c Channel) (Plugin, sdk.Context, error) {
	end, err := h.options.Turn(ctx, who)
	if err != nil {
		return nil, sdk.Context{}, err
	}
	defer end()
	return h.options.Open(ctx, who, c)
}

// send sends a packet to the clients of a channel.
func (h *Hub) send(at address, packet json.RawMessage) error {
	h.mu.Lock()
	s := h.streams[at]
	h.mu.Unlock()
	if s != nil {
		s.feed(Packet{Data: packet})
	}
	return h.sockets.publish(at, packet)
}

// subscribe asks the plugin whether a user may follow a channel, and returns the stream and
// what the plugin sends to new clients, or nil. The caller calls h.joined once the client
// follows the channel, or cannot.
func (h *Hub) subscribe(ctx context.Context, who host.Identity, c Channel, data json.RawMessage) (*stream, json.RawMessage, error) {
	if err := checkData(data); err != nil {
		return nil, nil, err
	}
	plugin, of, err := h.open(ctx, who, c)
	if err != nil {
		return nil, nil, err
	}
	s, err := h.reserve(address{who.OrgID, c}, of.PluginID, ownerOf(who))
	if err != nil {
		return nil, nil, err
	}
	isAccepted := false
	defer func() {
		if !isAccepted { // even if the call panics
			h.refused(s)
		}
	}()
	initial, err := plugin.SubscribeStream(ctx, &sdk.StreamRequest{Context: of, Path: c.Path, Data: data})
	if err == nil && len(initial) > 0 {
		if initial, err = compact(initial); err != nil {
			err = badPacket(c, err)
		}
	}
	if err != nil {
		return nil, nil, orUnsupported(err, c)
	}
	isAccepted = true
	return s, initial, nil
}

// Info describes a channel that runs.
type Info struct {
	Channel string          `json:"channel"`
	Rate    int             `json:"minute_rate"` // packets in a minute, on average since the start
	Data    json.RawMessage `json:"data"`        // the schema of the last frame that had one
}

// List returns the channels of an organization that a user may follow, sorted.
func (h *Hub) List(ctx context.Context, who host.Identity) []Info {
	h.mu.Lock()
	var running []*stream
	for at, s := range h.streams {
		if at.org == who.OrgID {
			running = append(running, s)
		}
	}
	h.mu.Unlock()
	list := []Info{}
	for _, s := range running {
		if _, _, err := h.options.Open(ctx, who, s.at.Channel); err == nil {
			list = append(list, s.info())
		}
	}
	slices.SortFunc(list, func(a, b Info) int { return strings.Compare(a.Channel, b.Channel) })
	return list
}

// checkData returns an error for what a client sent that is too long or, as Protobuf and URLs
// allow, not JSON.
func checkData(data json.RawMessage) error {
	if len(data) > host.MaxPublication {
		return host.Invalid("data", "must not be longer than %d bytes, found %d", host.MaxPublication, len(data))
	}
	if len(data) > 0 && !json.Valid(data) {
		return host.Invalid("data", "must be JSON")
	}
	return nil
}

// compact removes insignificant space, in particular the line breaks that separate messages.
// It returns an error for a packet that clients cannot receive.
func compact(packet json.RawMessage) (json.RawMessage, error) {
	if len(packet) > host.MaxPacket {
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", len(packet), host.MaxPacket)
	}
	var b bytes.Buffer
	b.Grow(len(packet))
	if err := json.Compact(&b, packet); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	return b.Bytes(), nil
}

// errStopping returns the error of a Hub that is closed.
func errStopping() error {
	return &host.Error{Category: host.ErrUnavailable, Message: "the host is stopping"}
}

// badPacket is the error for a packet that compact rejects.
func badPacket(c Channel, err error) error {
	return sdk.Errorf(http.StatusBadGateway, "the plugin sent an invalid packet to the channel %s: %v", c, err)
}

// orUnsupported replaces backend.ErrUnsupported with an error with the category
// host.ErrNotFound.
func orUnsupported(err error, c Channel) error {
	if errors.Is(err, backend.ErrUnsupported) {
		return &host.Error{Category: host.ErrNotFound, Message: fmt.Sprintf("the plugin of the channel %s does not support this", c)}
	}
	return err
}
