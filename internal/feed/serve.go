package feed

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// Event is a server-sent event.
type Event struct {
	ID   int64 // none if 0
	Name string
	Data []byte // one line; the event is skipped if nil
}

// Stream is a response in the format of EventSource (text/event-stream).
type Stream struct {
	Greeting string        // the first line
	Interval time.Duration // between comments, which keep a connection open; none if 0
}

// Serve streams the event of each value in a queue until the queue is closed, the request is
// canceled, or the client does not read. It returns the error of eventOf.
func Serve[T any](w http.ResponseWriter, r *http.Request, s Stream, queue <-chan T, eventOf func(T) (Event, error)) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	flush := http.NewResponseController(w).Flush
	beat := time.Tick(s.Interval)
	_, err := io.WriteString(w, s.Greeting+"\n\n")
	for err == nil && flush() == nil {
		select {
		case v, ok := <-queue:
			if !ok {
				return nil
			}
			e, problem := eventOf(v)
			if problem != nil {
				return problem
			}
			err = e.write(w)
		case <-beat:
			_, err = io.WriteString(w, ": waiting\n\n")
		case <-r.Context().Done():
			return nil
		}
	}
	return nil // the client has left, or did not read in time
}

// write writes the event, without a copy of its data: it can be large.
func (e Event) write(w io.Writer) error {
	if e.Data == nil {
		return nil
	}
	head := ""
	if e.ID != 0 {
		head += fmt.Sprintf("id: %d\n", e.ID)
	}
	if e.Name != "" {
		head += fmt.Sprintf("event: %s\n", e.Name)
	}
	for _, part := range [][]byte{[]byte(head + "data: "), e.Data, []byte("\n\n")} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}
