package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/live"
	"github.com/slipway-dev/slipway/internal/feed"
	"github.com/slipway-dev/slipway/sdk"
)

// openChannel returns the plugin of a channel and the context of calls on behalf of who.
func (a *API) openChannel(ctx context.Context, who host.Identity, c live.Channel) (live.Plugin, sdk.Context, error) {
	switch c.Scope {
	case live.ScopeDataSource:
		p, d, err := a.dataSourceFor(ctx, who, dataSourceRef{UID: c.Namespace})
		if err != nil {
			return nil, sdk.Context{}, err
		}
		return p, contextOf(p, who, settings{dataSource: &d}), nil
	case live.ScopePlugin:
		if !who.Allows(access.PluginsAccess, "plugins:id:"+c.Namespace) {
			return nil, sdk.Context{}, host.Forbidden("Permission denied")
		}
		p, err := a.plugin(c.Namespace)
		if err != nil {
			return nil, sdk.Context{}, err
		}
		s, err := a.settingsFor(ctx, p, who)
		return p, contextOf(p, who, s), err
	}
	return nil, sdk.Context{}, &host.Error{Category: host.ErrNotFound, Message: fmt.Sprintf("channel %q not found: it must begin with ds/ or plugin/", c)}
}

// liveCaller returns the sender of a request that remains open.
func (a *API) liveCaller(r *http.Request, who host.Identity) live.Caller {
	credential := r.Header.Get("Authorization")
	if cookie, err := r.Cookie(sessionCookie(r)); err == nil {
		credential += "\x00" + cookie.Value
	}
	digest := sha256.Sum256([]byte(networkOf(r.RemoteAddr) + "\x00" + credential))
	return live.Caller{Identity: who, Credential: string(digest[:]), Again: func(ctx context.Context) (host.Identity, error) {
		if who, ok := identityOf(r.Context()); ok { // which ctx, that of the Hub, does not have
			return a.withRoles(who), nil
		}
		who, err := a.authenticate(r.WithContext(ctx), "")
		return a.withRoles(who), err
	}}
}

type channelQuery struct {
	Channel string `query:"channel"` // such as ds/<uid>/<path> or plugin/<id>/<path>
	Data    string `query:"data"`    // JSON
}

// liveEvents returns a handler that streams the packets of a channel in the format of
// EventSource. An event "ended" has the reason why the plugin ended the stream for good.
func (a *API) liveEvents() handler {
	h := call(func(context.Context, host.Identity, channelQuery) (none, error) { return none{}, nil }) // describes the input
	h.output = nil
	h.serve = func(w http.ResponseWriter, r *http.Request, who host.Identity, _ int) error {
		query, err := query(r)
		if err != nil {
			return err
		}
		client, err := a.live.Follow(r.Context(), a.liveCaller(r, who), query.Get("channel"), json.RawMessage(query.Get("data")))
		if err != nil {
			return err
		}
		defer client.Close()
		return streamEvents(a, w, r, client.Packets(), func(p live.Packet) (feed.Event, error) {
			if p.Ended == "" {
				return feed.Event{Data: p.Data}, nil
			}
			reason, err := json.Marshal(message{Message: p.Ended})
			return feed.Event{Name: "ended", Data: reason}, err
		})
	}
	return h
}

type publication struct {
	Channel string          `json:"channel" jsonschema:"required"`
	Data    json.RawMessage `json:"data"`
}

func (a *API) publish(ctx context.Context, who host.Identity, in struct{ Body publication }) (none, error) {
	return none{}, a.live.Publish(ctx, who, in.Body.Channel, in.Body.Data)
}
