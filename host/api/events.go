package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/feed"
	"github.com/slipway-dev/slipway/internal/text"
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

const (
	maxPending   = 512              // events that a client has not read yet: hundreds of plugins start at once
	maxRecent    = 128              // events kept for clients that connect again
	maxReason    = 4096             // bytes
	feedInterval = 15 * time.Second // between comments, which keep a connection open
	feedLife     = 10 * time.Minute // then the client connects, and authenticates, again
)

type events struct {
	interval, life time.Duration
	streams        context.Context // canceled when all streams are to end
	endStreams     context.CancelFunc

	feed   feed.Feed[event]
	mu     sync.Mutex
	recent []event
	last   map[string]event // the last outcome of each plugin that is mounted, by id
}

func newEvents() *events {
	e := &events{interval: feedInterval, life: feedLife, last: map[string]event{}}
	e.streams, e.endStreams = context.WithCancel(context.Background())
	return e
}

// Announce sends an event to every client of the event stream, and never blocks. It sets a zero e.Time.
func (a *API) Announce(e hostapi.PluginEvent) {
	if e.Time.IsZero() {
		e.Time = a.Clock()
	}
	if e.Changed == nil {
		e.Changed = []string{}
	}
	e.Reason = text.Cut(e.Reason, maxReason)
	a.events.send(event{PluginEvent: e})
}

// EndStreams ends the streams of events, which do not end by themselves.
func (a *API) EndStreams() {
	if err := a.live.Close(); err != nil {
		a.Logger.Error("streams not ended", "error", err)
	}
	a.events.endStreams()
}

func (s *events) send(e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Numbers grow across restarts, so that a client never waits for one that it has seen before.
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
	s.feed.Send(e)
}

// subscribe returns a queue of the events from now on, preceded by the recent ones after the
// number seen, unless that is 0.
func (s *events) subscribe(seen int64) (queue <-chan event, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var missed []event
	for _, e := range s.recent {
		if seen > 0 && e.number > seen {
			missed = append(missed, e)
		}
	}
	return s.feed.Subscribe(maxPending, missed...)
}

func (a *API) pluginEvents(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	seen, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64) // 0 if it is not one of ours
	queue, end := a.events.subscribe(seen)
	defer end()
	return streamEvents(a, w, r, queue, func(e event) (feed.Event, error) {
		if !manages(who, e.ID) {
			e.Reason = ""
		}
		data, err := json.Marshal(e)
		return feed.Event{ID: e.number, Name: e.Name, Data: data}, err
	})
}

// streamEvents streams the event of each value in a queue until the queue is closed or the client
// leaves, does not read in time, or has to authenticate again.
func streamEvents[T any](a *API, w http.ResponseWriter, r *http.Request, queue <-chan T, eventOf func(T) (feed.Event, error)) error {
	ctx, cancel := context.WithTimeout(r.Context(), a.events.life)
	defer cancel()
	defer context.AfterFunc(a.events.streams, cancel)()
	w.(*response).idle.Timeout = gate.FeedTimeout
	w.Header().Set("Connection", "close") // the write deadline stays with the connection
	return feed.Serve(w, r.WithContext(ctx), feed.Stream{Greeting: ": connected", Interval: a.events.interval}, queue, eventOf)
}

// pluginChanges returns the events of a plugin that the host remembers, the latest last.
func (a *API) pluginChanges(_ context.Context, _ host.Identity, _ *loader.Plugin, in pluginPath) ([]hostapi.PluginEvent, error) {
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
