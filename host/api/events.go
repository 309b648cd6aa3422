package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// The names of events.
const (
	EventReady  = "plugin-ready"  // a change is live
	EventFailed = "plugin-failed" // a change is not live; what was mounted before keeps serving
)

// Event reports the outcome of a change to a plugin.
type Event struct {
	Name    string    `json:"-"`
	ID      string    `json:"id"` // of the plugin
	Version string    `json:"version"`
	Changed []string  `json:"changed"` // what changed, such as "backend"
	Time    time.Time `json:"time"`
	Reason  string    `json:"reason,omitempty"` // of a failure; only administrators receive it

	number int64 // grows with each event
}

func (a *API) eventRoutes() []Route {
	return []Route{
		{"GET", "/api/plugins/events", SignedIn(), raw(a.pluginEvents), Doc{Summary: "Stream the outcomes of plugin changes as server-sent events: plugin-ready and plugin-failed", Media: "text/event-stream"}},
	}
}

const (
	maxFeeds     = 64               // clients of the event stream
	maxPending   = 16               // events that a client has not read yet
	maxRecent    = 16               // events kept for clients that connect again
	maxReason    = 4096             // bytes
	feedInterval = 15 * time.Second // between comments, which keep a connection open
	feedTimeout  = 10 * time.Second // for a client to accept what is written
	feedLife     = 10 * time.Minute // then the client connects, and authenticates, again
)

// events distributes events to the clients of the event stream. A client that does not
// keep up is disconnected.
type events struct {
	interval, life time.Duration

	mu      sync.Mutex
	feeds   map[chan Event]struct{}
	recent  []Event
	isEnded bool
}

func newEvents() *events {
	return &events{interval: feedInterval, life: feedLife, feeds: map[chan Event]struct{}{}}
}

// Announce sends an event to every client of the event stream. It sets e.Time if that is
// zero, and never blocks.
func (a *API) Announce(e Event) {
	if e.Time.IsZero() {
		e.Time = a.clock()
	}
	if e.Changed == nil {
		e.Changed = []string{}
	}
	e.Reason = e.Reason[:min(len(e.Reason), maxReason)]
	a.events.send(e)
}

// EndStreams ends the event streams, which do not end by themselves.
func (a *API) EndStreams() {
	s := a.events
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isEnded = true
	for feed := range s.feeds {
		s.remove(feed)
	}
}

func (s *events) send(e Event) {
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
	for feed := range s.feeds {
		select {
		case feed <- e:
		default:
			s.remove(feed)
		}
	}
}

// remove closes a feed. The caller holds the lock.
func (s *events) remove(feed chan Event) {
	if _, ok := s.feeds[feed]; ok {
		delete(s.feeds, feed)
		close(feed)
	}
}

// subscribe returns a feed of the events from now on, preceded by the recent ones after
// the number seen, unless that is 0. The feed is closed when the streams end or the
// client does not keep up.
func (s *events) subscribe(seen int64) (feed chan Event, end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.feeds) >= maxFeeds {
		return nil, nil, &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf("more than %d clients read the events; try again later", maxFeeds)}
	}
	feed = make(chan Event, maxRecent+maxPending)
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
	}, nil
}

// pluginEvents streams events in the format of EventSource (text/event-stream).
func (a *API) pluginEvents(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	seen, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64) // 0 if it is not one of ours
	feed, end, err := a.events.subscribe(seen)
	if err != nil {
		return err
	}
	defer end()
	h.Set("Connection", "close") // the write deadline stays with the connection
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	write := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(feedTimeout)) // not supported by the recorder of tests
		_, err := w.Write([]byte(text))
		return err == nil && control.Flush() == nil
	}
	beat, life := time.NewTicker(a.events.interval), time.NewTimer(a.events.life)
	defer beat.Stop()
	defer life.Stop()
	isAdmin := who.Allows(host.ActionPluginsWrite, "")
	for text := ": connected\n\n"; write(text); {
		select {
		case e, ok := <-feed:
			if !ok {
				return nil
			}
			if text, err = e.format(isAdmin); err != nil {
				return err
			}
		case <-beat.C:
			text = ": waiting\n\n"
		case <-life.C:
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
	return nil // the client has left, or did not read in time
}

// format returns the event as text/event-stream.
func (e Event) format(withReason bool) (string, error) {
	if !withReason {
		e.Reason = ""
	}
	data, err := json.Marshal(e)
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.number, e.Name, data), err
}
