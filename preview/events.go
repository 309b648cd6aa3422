package preview

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	"github.com/slipway-dev/slipway/internal/feed"
)

// Message is an error of a build at a place in a source file.
type Message struct {
	File   string `json:"file"`   // relative to the repository, slash-separated; "" if the error has no place
	Line   int    `json:"line"`   // from 1; 0 if the error is about the file
	Column int    `json:"column"` // from 1, in code points; 0 if it is not known
	Source string `json:"source"` // the line
	Text   string `json:"text"`
	Help   string `json:"help"`
}

type event struct {
	name string
	data any
}

// events distributes what happens to the pages that are open.
type events struct {
	feed   feed.Feed[event]
	mu     sync.Mutex
	failed []event // the build is broken: one event, or none
	typed  []event // the type errors: one event, or none
}

const maxPending = 64 // events that a page has not read

func (e *events) send(one event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch one.name {
	case "failed":
		e.failed = []event{one}
	case "typed":
		e.typed = []event{one}
	case "ready", "fixed":
		e.failed = nil
	}
	e.feed.Send(one)
}

func (e *events) subscribe() (queue <-chan event, end func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.feed.Subscribe(maxPending, slices.Concat(e.failed, e.typed)...)
}

// Ready tells the pages that a change of a plugin is live: "frontend", "backend" or "assets".
func (s *Server) Ready(id string, changed []string) {
	s.events.send(event{"ready", map[string]any{"id": id, "changed": changed}})
}

// Failed tells the pages why the last change is not live.
func (s *Server) Failed(messages []Message) {
	s.events.send(event{"failed", map[string]any{"messages": messages}})
}

// Typed tells the pages the type errors, which stop nothing, in the place of those before.
func (s *Server) Typed(messages []Message) {
	s.events.send(event{"typed", map[string]any{"messages": messages}})
}

// Panicked tells the pages where the backend panicked, which may be why their last query failed.
func (s *Server) Panicked(m Message) {
	s.events.send(event{"panicked", map[string]any{"messages": []Message{m}}})
}

// Fixed tells the pages that there is nothing left of what Failed told them.
func (s *Server) Fixed() { s.events.send(event{"fixed", struct{}{}}) }

// streamEvents streams events until the page is closed or the server shuts down.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request) {
	queue, end := s.events.subscribe()
	defer end()
	_ = feed.Serve(w, r, feed.Stream{Greeting: "retry: 500"}, queue, func(e event) (feed.Event, error) {
		data, err := json.Marshal(e.data)
		return feed.Event{Name: e.name, Data: data}, err
	})
}
