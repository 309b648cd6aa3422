package feed_test

import (
	"errors"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/internal/feed"
)

// A receiver that reads gets everything in order. One that does not is disconnected, and neither
// the sender nor the other waits for it.
func TestSlowReceiver(t *testing.T) {
	t.Parallel()
	var f feed.Feed[int]
	const room = 3
	slow, end := f.Subscribe(room, -2, -1)
	defer end()
	fast, end := f.Subscribe(1)
	defer end()
	for i := range 10 {
		f.Send(i)
		if got := <-fast; got != i {
			t.Fatalf("got %d, want %d", got, i)
		}
	}
	var got []int
	for v := range slow { // it is closed
		got = append(got, v)
	}
	if want := []int{-2, -1, 0, 1, 2}; !slices.Equal(got, want) || f.Len() != 1 {
		t.Errorf("the slow one of %d got %v, want %v", f.Len()+1, got, want)
	}
}

// Receivers come, leave and fall behind while values are sent.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var f feed.Feed[int]
	var senders, receivers sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for i := range 1000 {
				f.Send(i)
			}
		})
		receivers.Go(func() {
			for range 100 {
				queue, end := f.Subscribe(2, 0)
				<-queue
				end()
			}
		})
	}
	senders.Wait()
	receivers.Wait()
	if n := f.Len(); n != 0 {
		t.Errorf("%d receivers are left", n)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	eventOf := func(v string) (feed.Event, error) {
		switch v {
		case "skipped":
			return feed.Event{Name: "a"}, nil
		case "broken":
			return feed.Event{}, broken
		}
		return feed.Event{ID: int64(len(v)), Name: v, Data: []byte(v)}, nil
	}
	for name, c := range map[string]struct {
		method string
		values []string
		want   string
		err    error
	}{
		"events":   {"GET", []string{"abc", "skipped", ""}, ": hello\n\nid: 3\nevent: abc\ndata: abc\n\ndata: \n\n", nil},
		"HEAD":     {"HEAD", []string{"abc"}, "", nil},
		"an error": {"GET", []string{"abc", "broken", "abc"}, ": hello\n\nid: 3\nevent: abc\ndata: abc\n\n", broken},
	} {
		var f feed.Feed[string]
		queue, end := f.Subscribe(0, c.values...)
		end()
		w := httptest.NewRecorder()
		err := feed.Serve(w, httptest.NewRequest(c.method, "/", nil), feed.Stream{Greeting: ": hello"}, queue, eventOf)
		if got, media := w.Body.String(), w.Header().Get("Content-Type"); got != c.want || err != c.err || media != "text/event-stream" {
			t.Errorf("%s: got %s %q, %v, want %q, %v", name, media, got, err, c.want, c.err)
		}
	}
}
