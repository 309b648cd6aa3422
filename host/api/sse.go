package api

import (
	"net/http"
	"time"
)

// streamEvents streams recent and then what arrives on feed, in the format of EventSource
// (text/event-stream), until the feed is closed or the client leaves, does not read in
// time, or has to authenticate again. format returns the text of an event, or "" to skip
// it.
func streamEvents[T any](a *API, w http.ResponseWriter, r *http.Request, recent []T, feed <-chan T, format func(T) (string, error)) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close") // the write deadline stays with the connection
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	control := http.NewResponseController(w)
	write := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(feedTimeout)) // not supported by the recorder of tests
		_, err := w.Write([]byte(text))
		return err == nil && control.Flush() == nil
	}
	beat, life := time.NewTicker(a.events.interval), time.NewTimer(a.events.life)
	defer beat.Stop()
	defer life.Stop()
	if !write(": connected\n\n") {
		return nil
	}
	for _, e := range recent {
		if text, err := format(e); err != nil || text != "" && !write(text) {
			return err
		}
	}
	for {
		var text string
		select {
		case e, ok := <-feed:
			if !ok {
				return nil
			}
			var err error
			if text, err = format(e); err != nil {
				return err
			}
		case <-beat.C:
			text = ": waiting\n\n"
		case <-life.C:
			return nil
		case <-a.events.ended:
			return nil
		case <-r.Context().Done():
			return nil
		}
		if text != "" && !write(text) {
			return nil // the client has left, or did not read in time
		}
	}
}
