package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// The names of events.
const (
	EventReady  = "plugin-ready"  // a change is live
	EventFailed = "plugin-failed" // a change is not live; what was mounted before keeps serving
	EventState  = "plugin-state"  // a plugin was added or removed, or its backend has another state
)

// event is an event with its number, which grows.
type event struct {
	hostapi.PluginEvent
	number int64
}

func (a *API) eventRoutes() []Route {
	return []Route{
		{"GET", "/api/plugins/events", SignedIn(), raw(a.pluginEvents), Doc{Summary: "Stream changes to plugins as server-sent events: plugin-ready, plugin-failed and plugin-state", Media: "text/event-stream"}},
	}
}

const (
	maxPending   = 512              // events that a client has not read yet: hundreds of plugins start at once
	maxRecent    = 128              // events kept for clients that connect again
	maxReason    = 4096             // bytes
	feedInterval = 15 * time.Second // between comments, which keep a connection open
	feedLife     = 10 * time.Minute // then the client connects, and authenticates, again
)

// events distributes events to the clients of the event stream. A client that does not
// keep up is disconnected.
type events struct {
	interval, life time.Duration

	mu      sync.Mutex
	feeds   map[chan event]struct{}
	recent  []event
	last    map[string]event // the last outcome of each plugin that is mounted, by id
	isEnded bool
	ended   chan struct{} // closed when isEnded is set
}

func newEvents() *events {
	return &events{interval: feedInterval, life: feedLife, feeds: map[chan event]struct{}{}, last: map[string]event{}, ended: make(chan struct{})}
}

// Announce sends an event to every client of the event stream. It sets e.Time if that is
// zero, and never blocks.
func (a *API) Announce(e hostapi.PluginEvent) {
	if e.Time.IsZero() {
		e.Time = a.Clock()
	}
	if e.Changed == nil {
		e.Changed = []string{}
	}
	e.Reason = e.Reason[:min(len(e.Reason), maxReason)]
	a.events.send(event{PluginEvent: e})
}

// EndStreams ends the streams of events, which do not end by themselves.
func (a *API) EndStreams() {
	if err := a.live.Close(); err != nil {
		a.Logger.Error("streams not ended", "error", err)
	}
	s := a.events
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isEnded {
		s.isEnded = true
		close(s.ended)
	}
	for feed := range s.feeds {
		s.remove(feed)
	}
}

func (s *events) send(e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Numbers grow across restarts of the host, so that a client never waits for a
	// number that it has seen before.
	e.number = e.Time.UnixMilli()
	if n := len(s.recent); n > 0 {
		e.number = max(e.number, s.recent[n-1].number+1)
	}
	s.recent = append(s.recent, e)
	s.recent = slices.Delete(s.recent, 0, max(0, len(s.recent)-maxRecent))
	switch {
	case e.Name != EventState:
		s.last[e.ID] = e
	case e.State == string(loader.ChangeRemoved):
		delete(s.last, e.ID)
	}
	for feed := range s.feeds {
		select {
		case feed <- e:
		default:
			s.remove(feed)
		}
	}
}

// remove closes a feed. The caller holds the lock.
func (s *events) remove(feed chan event) {
	if _, ok := s.feeds[feed]; ok {
		delete(s.feeds, feed)
		close(feed)
	}
}

// subscribe returns a feed of the events from now on, preceded by the recent ones after the
// number seen, unless that is 0. The feed is closed when the streams end or the client does
// not keep up.
func (s *events) subscribe(seen int64) (feed chan event, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	feed = make(chan event, maxRecent+maxPending)
	for _, e := range s.recent {
		if seen > 0 && e.number > seen {
			feed <- e
		}
	}
	s.feeds[feed] = struct{}{}
	if s.isEnded {
		s.remove(feed)
	}
	return feed, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.remove(feed)
	}
}

// pluginEvents streams events.
func (a *API) pluginEvents(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	format := func(w io.Writer, e event) error { return e.write(w, manages(who, e.ID)) }
	if r.Method == http.MethodHead {
		return streamEvents(a, w, r, nil, nil, format)
	}
	seen, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64) // 0 if it is not one of ours
	feed, end := a.events.subscribe(seen)
	defer end()
	return streamEvents(a, w, r, nil, feed, format)
}

// write writes the event as text/event-stream.
func (e event) write(w io.Writer, withReason bool) error {
	if !withReason {
		e.Reason = ""
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", e.number, e.Name, data)
	return err
}

// pluginChanges returns the events of a plugin that the host remembers, the latest last.
func (a *API) pluginChanges(_ context.Context, _ host.Identity, in pluginPath) ([]hostapi.PluginEvent, error) {
	if _, err := a.plugin(in.ID); err != nil {
		return nil, err
	}
	a.events.mu.Lock()
	defer a.events.mu.Unlock()
	changes := []hostapi.PluginEvent{}
	for _, e := range a.events.recent {
		if e.ID == in.ID {
			changes = append(changes, e.PluginEvent)
		}
	}
	return changes, nil
}

// lastChanges returns the last outcome of each mounted plugin that the caller manages, even
// if the events of others have displaced it from pluginChanges.
func (a *API) lastChanges(_ context.Context, who host.Identity, in pageQuery) ([]hostapi.PluginEvent, error) {
	plugins := a.Plugins.Plugins()
	a.events.mu.Lock()
	defer a.events.mu.Unlock()
	changes := []hostapi.PluginEvent{}
	for _, p := range plugins {
		if e, ok := a.events.last[p.ID()]; ok && manages(who, p.ID()) {
			changes = append(changes, e.PluginEvent)
		}
	}
	return store.Cut(changes, in.longPage()), nil
}
