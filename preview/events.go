package preview

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// Message is an error of a build at a place in a source file.
type Message struct {
	File   string `json:"file"` // relative to the repository, slash-separated; "" if the error has no place
	Line   int    `json:"line"`
	Column int    `json:"column"` // from 1, in code points, as Length
	Source string `json:"source"` // the line
	Length int    `json:"length"`
	Text   string `json:"text"`
	Help   string `json:"help"`
}

type event struct {
	name string
	data any
}

// events distributes what happens to the pages that are open.
type events struct {
	mu     sync.Mutex
	feeds  map[chan event]bool
	failed *event // the build is broken
}

const maxPending = 64 // events that a page has not read

func (e *events) send(one event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = nil
	if one.name == "failed" {
		e.failed = &one
	}
	for feed := range e.feeds {
		select {
		case feed <- one:
		default: // the page sleeps, and connects again
			delete(e.feeds, feed)
			close(feed)
		}
	}
}

func (e *events) subscribe() (feed chan event, end func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	feed = make(chan event, maxPending)
	if e.failed != nil {
		feed <- *e.failed
	}
	e.feeds[feed] = true
	return feed, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.feeds, feed)
	}
}

// Ready tells the pages that a change of a plugin is live: "frontend", "backend" or "assets".
func (s *Server) Ready(id string, changed []string) {
	s.events.send(event{"ready", map[string]any{"id": id, "changed": changed}})
}

// Failed tells the pages why the last change is not live.
func (s *Server) Failed(messages []Message) {
	s.events.send(event{"failed", map[string]any{"messages": messages}})
}

// Fixed tells the pages that there is nothing left of what Failed told them.
func (s *Server) Fixed() { s.events.send(event{"fixed", struct{}{}}) }

// streamEvents streams events until the page is closed or the server shuts down.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request) {
	feed, end := s.events.subscribe()
	defer end()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	fmt.Fprint(w, "retry: 500\n\n")
	for flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case one, ok := <-feed:
			if !ok {
				return
			}
			data, err := json.Marshal(one.data)
			if err != nil {
				return
			}
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", one.name, data)
		}
	}
}
