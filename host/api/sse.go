package api

import (
	"io"
	"net/http"
	"time"

	"github.com/slipway-dev/slipway/host/gate"
)

// streamEvents streams recent and then what arrives on feed, in the format of EventSource
// (text/event-stream), until the feed is closed or the client leaves, does not read in
// time, or has to authenticate again. format writes the text of an event, or nothing to skip
// it.
func streamEvents[T any](a *API, w http.ResponseWriter, r *http.Request, recent []T, feed <-chan T, format func(io.Writer, T) error) error {
	w.(*response).idle.Timeout = gate.FeedTimeout
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close") // the write deadline stays with the connection
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := &eventWriter{Writer: w, control: http.NewResponseController(w)}
	write := func(e T) (isOpen bool, err error) {
		if err = format(out, e); out.isBroken { // the client has left, or did not read in time
			return false, nil
		}
		return err == nil && out.flush(), err
	}
	comment := func(text string) bool {
		_, _ = io.WriteString(out, text)
		return out.flush()
	}
	beat, life := time.Tick(a.events.interval), time.After(a.events.life)
	if !comment(": connected\n\n") {
		return nil
	}
	for _, e := range recent {
		if isOpen, err := write(e); !isOpen {
			return err
		}
	}
	for {
		select {
		case e, ok := <-feed:
			if !ok {
				return nil
			}
			if isOpen, err := write(e); !isOpen {
				return err
			}
		case <-beat:
			if !comment(": waiting\n\n") {
				return nil
			}
		case <-life:
			return nil
		case <-a.events.ended:
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
}

// eventWriter remembers whether the client still reads.
type eventWriter struct {
	io.Writer
	control    *http.ResponseController
	hasWritten bool // since the last flush
	isBroken   bool
}

// Write implements io.Writer.
func (w *eventWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.hasWritten, w.isBroken = true, w.isBroken || err != nil
	return n, err
}

// flush sends what was written. It reports false if the client does not read.
func (w *eventWriter) flush() bool {
	if w.hasWritten && !w.isBroken {
		w.isBroken = w.control.Flush() != nil
	}
	w.hasWritten = false
	return !w.isBroken
}
