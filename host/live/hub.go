// Package live distributes the streams of plugins to clients, which follow a channel each by
// server-sent events.
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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
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

	Check      time.Duration // between checks of a client; gate.FeedCheck
	Unchecked  time.Duration // how long a client that cannot be checked stays; 1 min
	Grace      time.Duration // between the last client of a channel and its end; gate.FeedGrace
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
	ctx        context.Context // of the streams and checks
	cancel     context.CancelFunc
	background sync.WaitGroup

	mu       sync.Mutex // also guards what streams and feeds consist of
	isClosed bool
	streams  map[address]*stream
}

// New returns a Hub. It starts goroutines when the first client follows a channel.
func New(o Options) *Hub {
	o.Check, o.Grace = cmp.Or(o.Check, gate.FeedCheck), cmp.Or(o.Grace, gate.FeedGrace)
	o.Unchecked, o.RetryAfter = cmp.Or(o.Unchecked, time.Minute), cmp.Or(o.RetryAfter, 50*time.Millisecond)
	h := &Hub{options: o, log: o.Logger, streams: map[address]*stream{}}
	h.log = cmp.Or(h.log, slog.New(slog.DiscardHandler))
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// Close disconnects all clients and waits until the streams have ended. It may be called again.
func (h *Hub) Close() error {
	h.mu.Lock()
	h.isClosed = true
	for _, s := range h.streams {
		for _, f := range slices.Clone(s.feeds) {
			s.drop(f)
		}
	}
	h.mu.Unlock()
	h.cancel()
	h.background.Wait()
	return nil
}

// Follow returns a feed of a channel. The data is JSON for the plugin, or empty.
func (h *Hub) Follow(ctx context.Context, caller Caller, name string, data json.RawMessage) (*Feed, error) {
	c, err := ParseChannel(name, caller.Identity.OrgID)
	if err != nil {
		return nil, err
	}
	if err := checkData(data, gate.MaxStreamData); err != nil {
		return nil, err
	}
	plugin, of, err := h.options.Open(ctx, caller.Identity, c)
	if err != nil {
		return nil, err
	}
	initial, err := plugin.SubscribeStream(ctx, &sdk.StreamRequest{Context: of, Path: c.Path, Data: data})
	if err == nil && len(initial) > 0 {
		if initial, err = compact(initial); err != nil {
			err = badPacket(c, err)
		}
	}
	if err != nil {
		return nil, orUnsupported(err, c)
	}
	f := &Feed{caller: caller, plugin: plugin, context: of, data: bytes.Clone(data), packets: make(chan Packet, gate.FeedQueue), gone: make(chan struct{})}
	if len(initial) > 0 {
		f.packets <- Packet{Data: initial}
	}
	if err := h.join(address{caller.Identity.OrgID, c}, f); err != nil {
		return nil, err
	}
	return f, nil
}

// join adds a feed to the stream of a channel, which runs from then on.
func (h *Hub) join(at address, f *Feed) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isClosed {
		return &host.Error{Category: host.ErrUnavailable, Message: "the host is stopping"}
	}
	s, ok := h.streams[at]
	if !ok {
		pluginID, n := f.context.PluginID, 0
		for _, other := range h.streams {
			if other.pluginID == pluginID {
				n++
			}
		}
		if n >= gate.MaxStreams {
			return &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf("%d streams of %s are in use; try again later", n, pluginID)}
		}
		s = &stream{hub: h, at: at, pluginID: pluginID, joined: make(chan struct{}, 1), unused: make(chan struct{}, 1)}
		h.streams[at] = s
		h.background.Go(s.serve)
	}
	f.stream = s
	s.feeds = append(s.feeds, f)
	if len(s.feeds) == 1 && s.again != nil { // it still runs on behalf of a client that has left
		if s.runner.caller.Credential == f.caller.Credential {
			s.runner = f
		} else {
			s.again(errChanged)
		}
	}
	select {
	case s.joined <- struct{}{}:
	default:
	}
	h.background.Go(f.keepChecking)
	return nil
}

// Publish sends a message to the plugin of a channel, and what it returns to the clients of the channel.
func (h *Hub) Publish(ctx context.Context, who host.Identity, name string, data json.RawMessage) error {
	c, err := ParseChannel(name, who.OrgID)
	if err != nil {
		return err
	}
	if err := checkData(data, gate.MaxMessage); err != nil {
		return err
	}
	plugin, of, err := h.options.Open(ctx, who, c)
	if err != nil {
		return err
	}
	published, err := plugin.PublishStream(ctx, &sdk.StreamRequest{Context: of, Path: c.Path, Data: data})
	if err != nil || published == nil {
		return orUnsupported(err, c)
	}
	if published, err = compact(published); err != nil {
		return badPacket(c, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.streams[address{who.OrgID, c}]; s != nil {
		s.send(Packet{Data: published})
	}
	return nil
}

// checkData returns an error for data that is too long or, as URLs allow, not JSON.
func checkData(data json.RawMessage, most int) error {
	if len(data) > most {
		return host.Invalid("data", "must not be longer than %d bytes, found %d", most, len(data))
	}
	if len(data) > 0 && !json.Valid(data) {
		return host.Invalid("data", "must be JSON")
	}
	return nil
}

// compact removes insignificant space, in particular the line breaks that separate messages.
// It returns an error for a packet that clients cannot receive.
func compact(packet json.RawMessage) (json.RawMessage, error) {
	if len(packet) > gate.MaxPacket {
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", len(packet), gate.MaxPacket)
	}
	var b bytes.Buffer
	b.Grow(len(packet))
	if err := json.Compact(&b, packet); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	return b.Bytes(), nil
}

func badPacket(c Channel, err error) error {
	return sdk.Errorf(http.StatusBadGateway, "the plugin sent an invalid packet to the channel %s: %v", c, err)
}

// orUnsupported replaces backend.ErrUnsupported with a host.ErrNotFound.
func orUnsupported(err error, c Channel) error {
	if errors.Is(err, backend.ErrUnsupported) {
		return &host.Error{Category: host.ErrNotFound, Message: fmt.Sprintf("the plugin of the channel %s does not support this", c)}
	}
	return err
}

// The scopes of channels.
const (
	ScopeDataSource = "ds"     // the namespace is the uid of a data source
	ScopePlugin     = "plugin" // the namespace is the id of a plugin
)

const (
	maxChannel = 160 // bytes, without the organization
	defaultOrg = 1   // "default" in the name of a channel
)

// Channel is the address of a stream within an organization.
type Channel struct{ Scope, Namespace, Path string }

// String returns the name of the channel without an organization.
func (c Channel) String() string { return c.Scope + "/" + c.Namespace + "/" + c.Path }

// ParseChannel parses a name such as ds/<uid>/<path>. It may begin with the organization of
// the caller, as the names that frontends send do: "1/", "default/" or "org-2/".
func ParseChannel(name string, org int64) (Channel, error) {
	first, rest, _ := strings.Cut(name, "/")
	if named, ok := parseOrg(first); ok {
		if named != org {
			return Channel{}, host.Forbidden("the channel %q is in another organization", name)
		}
		name = rest
	}
	parts := strings.SplitN(name, "/", 3)
	if len(name) > maxChannel || len(parts) != 3 || !isWord(parts[0], "-_.") || !isWord(parts[1], "-_.") || !isWord(parts[2], "-_./=") {
		return Channel{}, host.Invalid("channel", "must have the form scope/namespace/path with at most %d letters, digits and -_./=, found %.200q", maxChannel, name)
	}
	return Channel{parts[0], parts[1], parts[2]}, nil
}

func parseOrg(text string) (org int64, ok bool) {
	if text == "default" {
		return defaultOrg, true
	}
	org, err := strconv.ParseInt(strings.TrimPrefix(text, "org-"), 10, 64)
	return org, err == nil
}

func isWord(text, marks string) bool { return text != "" && host.HasOnly(text, marks) }

// address is a channel of an organization.
type address struct {
	org int64
	Channel
}
