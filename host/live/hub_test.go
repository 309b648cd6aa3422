package live_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/websocket"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/live"
	"github.com/slipway-dev/slipway/sdk"
)

func TestParseChannel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"ds/a/b": nil, "1/ds/a/b": nil, "default/ds/a/b": nil, "org-1/ds/a/b": nil, "plugin/a/b/c.d=e_f-": nil, "ds/a/" + strings.Repeat("x", 155): nil,
		"2/ds/a/b": host.ErrForbidden, "org-2/ds/a/b": host.ErrForbidden, "ds/a/" + strings.Repeat("x", 156): host.ErrInvalid,
		"": host.ErrInvalid, "ds": host.ErrInvalid, "ds/a": host.ErrInvalid, "ds/a/": host.ErrInvalid, "/a/b": host.ErrInvalid, "ds//b": host.ErrInvalid,
		"ds/a/b c": host.ErrInvalid, "ds/a/b\n": host.ErrInvalid, "ds/a/é": host.ErrInvalid, "1/": host.ErrInvalid, "1/1/ds/a/b": nil,
	} {
		if _, err := live.ParseChannel(name, 1); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
}

// Clients get what the plugin sends to new ones, then its packets in order. The channel runs
// once for all of them, and ends after the last one has left.
func TestSockets(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	p := paced(next)
	f := newFixture(t, live.Options{Grace: time.Millisecond}, p)
	names := []string{"ds/a/x", "1/ds/a/x", "default/ds/a/x"}
	var sockets []*socket
	for i, name := range names {
		s := f.connect(fmt.Sprintf("user%d", i))
		if got := s.subscribe(name); string(got.Subscribe.Data) != fmt.Sprintf(`{"welcome":"user%d"}`, i) {
			t.Fatalf("%s: %+v", name, got)
		}
		sockets = append(sockets, s)
	}
	feed, err := f.Follow(t.Context(), f.caller("feed"), "ds/a/x", nil)
	if err != nil || string(feed.Initial) != `{"welcome":"feed"}` {
		t.Fatalf("%+v, %v", feed, err)
	}
	for i := range 100 {
		next <- fmt.Sprintf("{\n\"n\": %d}", i)
		want := fmt.Sprintf(`{"n":%d}`, i)
		for _, s := range sockets {
			if got := s.packet(); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
		if got := <-feed.Packets(); string(got.Data) != want {
			t.Fatalf("got %s, want %s", got.Data, want)
		}
	}
	if n := p.all.Load(); n != 1 {
		t.Errorf("the channel ran %d times", n)
	}
	feed.Close()
	sockets[0].call(`"unsubscribe":{"channel":"ds/a/x"}`)
	for _, s := range sockets {
		_ = s.conn.Close()
	}
	until(t, "the end of the stream", func() bool { return p.runs.Load() == 0 && live.Streams(f.Hub) == 0 && live.Clients(f.Hub) == 0 })
	again := f.connect("user0")
	again.subscribe("ds/a/x")
	next <- "7"
	if got := again.packet(); got != "7" || p.all.Load() != 2 {
		t.Errorf("after the end: %s, %d runs", got, p.all.Load())
	}
}

// A client gets the codes of HTTP, and stays connected.
func TestRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	f.closed["gone"] = host.NotFound("Data source")
	s, mallory, other := f.connect("user"), f.connect("mallory"), f.connect("other")
	for _, c := range []struct {
		s       *socket
		command string
		code    int
	}{
		{s, `"subscribe":{"channel":"ds/a/missing"}`, 404},
		{s, `"subscribe":{"channel":"ds/a/secret"}`, 403},
		{s, `"subscribe":{"channel":"ds/gone/x"}`, 404},
		{s, `"subscribe":{"channel":"ds/a/broken"}`, 502},
		{s, `"subscribe":{"channel":"2/ds/a/x"}`, 403},
		{s, `"subscribe":{"channel":"nonsense"}`, 400},
		{mallory, `"subscribe":{"channel":"ds/a/x"}`, 403},
		{mallory, `"publish":{"channel":"ds/a/chat","data":1}`, 403},
		{other, `"subscribe":{"channel":"ds/a/x"}`, 400}, // the name belongs to the default organization
		{other, `"subscribe":{"channel":"2/ds/a/x"}`, 0},
		{s, `"publish":{"channel":"ds/a/x","data":1}`, 403},
		{s, `"publish":{"channel":"ds/a/quiet","data":1}`, 0},
		{s, `"presence":{"channel":"ds/a/x"}`, 108},
		{s, `"subscribe":{"channel":"ds/a/panic"}`, 100},
		{s, `"subscribe":{"channel":"ds/a/x"}`, 0},
	} {
		if got := c.s.call(c.command); got.Error.Code != c.code {
			t.Errorf("%s: %+v, want the code %d", c.command, got.Error, c.code)
		}
	}
}

// What the plugin makes of a message reaches all clients of the organization.
func TestPublish(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	a, b, other := f.connect("a"), f.connect("b"), f.connect("other")
	a.subscribe("1/ds/a/chat")
	b.subscribe("ds/a/chat")
	other.subscribe("2/ds/a/chat")
	feed, err := f.Follow(t.Context(), f.caller("feed"), "ds/a/chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	if got := b.call(`"publish":{"channel":"ds/a/chat","data":{"text":"hi"}}`); got.Error.Code != 0 {
		t.Fatalf("%+v", got)
	}
	if got := a.packet(); got != `{"text":"hi"}` {
		t.Error(got)
	}
	if got := <-feed.Packets(); string(got.Data) != `{"text":"hi"}` {
		t.Error(string(got.Data))
	}
	who := f.caller("a").Identity
	if err := f.Hub.Publish(t.Context(), who, "ds/a/chat", []byte(`"`+strings.Repeat("x", host.MaxPublication)+`"`)); !errors.Is(err, host.ErrInvalid) {
		t.Errorf("a large message: %v", err)
	}
	if err := f.Hub.Publish(t.Context(), f.caller("other").Identity, "2/ds/a/chat", []byte("2")); err != nil {
		t.Fatal(err)
	}
	if got := other.packet(); got != "2" {
		t.Errorf("the other organization gets %s", got)
	}
}

// A stream that fails runs again, and no packet is lost or reordered between the runs. One
// that ends for good does not, unless a client joins.
func TestRunsAgain(t *testing.T) {
	t.Parallel()
	n, gate := 0, make(chan struct{})
	p := &fakePlugin{run: func(_ context.Context, req *sdk.StreamRequest, send func(string)) error {
		<-gate
		n++
		send(fmt.Sprint(n))
		if n%5 == 0 {
			return sdk.Errorf(422, "the query is wrong")
		}
		return errors.New("the process exited")
	}}
	f := newFixture(t, live.Options{RetryAfter: time.Millisecond}, p)
	s := f.connect("a")
	s.subscribe("ds/a/x")
	feed, err := f.Follow(t.Context(), f.caller("feed"), "ds/a/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	close(gate)
	for want := range 5 {
		if got := s.packet(); got != fmt.Sprint(want+1) {
			t.Fatalf("got %s, want %d", got, want+1)
		}
		if got := <-feed.Packets(); string(got.Data) != fmt.Sprint(want+1) {
			t.Fatalf("got %s, want %d", got.Data, want+1)
		}
	}
	if got := <-feed.Packets(); got.Ended != "the plugin has ended the stream: the query is wrong" {
		t.Errorf("at the end: %+v", got)
	}
	f.connect("b").subscribe("ds/a/x")
	if got := s.packet(); got != "6" {
		t.Errorf("after another client joined: %s", got)
	}
}

// A channel runs with the data of the client on whose behalf it runs, even when it runs again.
// Another client cannot choose what runs with these credentials.
func TestSubscriptionData(t *testing.T) {
	t.Parallel()
	next := make(chan bool)
	p := &fakePlugin{run: func(ctx context.Context, req *sdk.StreamRequest, send func(string)) error {
		select {
		case <-next:
			send(cmp.Or(string(req.Data), "null"))
			return errors.New("the process exited")
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	f := newFixture(t, live.Options{RetryAfter: time.Millisecond, Check: time.Millisecond}, p)
	a := f.connect("a")
	a.call(`"subscribe":{"channel":"ds/a/x","data":{"expr":"up"}}`)
	b := f.connect("b")
	b.call(`"subscribe":{"channel":"ds/a/x","data":{"expr":"down"}}`)
	for _, again := range []string{"", " in another run"} {
		next <- true
		if got := b.packet(); got != `{"expr":"up"}` {
			t.Errorf("got %s%s", got, again)
		}
	}
	feed, err := f.Follow(t.Context(), f.caller("feed"), "ds/a/x", []byte(`{"expr":"left"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	a.call(`"unsubscribe":{"channel":"ds/a/x"}`)
	for got := ""; got != `{"expr":"down"}`; { // a run of the first client may not have ended
		next <- true
		got = b.packet()
	}
	b.call(`"unsubscribe":{"channel":"ds/a/x"}`)
	for got := ""; got != `{"expr":"left"}`; {
		next <- true
		got = string((<-feed.Packets()).Data)
	}
}

// What a caller sends with subscriptions is bounded, until the caller leaves the channels.
func TestSubscriptionDataIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	a := f.connect("a")
	subscribe := func(n int) int {
		return a.call(fmt.Sprintf(`"subscribe":{"channel":"ds/a/%d","data":%q}`, n, strings.Repeat("x", host.MaxPublication-2))).Error.Code
	}
	most := host.MaxStreamData / 4 / host.MaxPublication
	for n := range most {
		if code := subscribe(n); code != 0 {
			t.Fatalf("subscription %d: %d", n, code)
		}
	}
	if code := subscribe(most); code != http.StatusTooManyRequests {
		t.Errorf("a subscription over the limit: %d, want 429", code)
	}
	if r := a.call(fmt.Sprintf(`"subscribe":{"channel":"ds/a/%d"}`, most)); r.Error.Code != 0 {
		t.Errorf("a subscription without data: %+v", r)
	}
	a.call(`"unsubscribe":{"channel":"ds/a/0"}`)
	follow := func(data string) error {
		feed, err := f.Follow(t.Context(), f.caller("a"), "ds/a/0", []byte(data))
		if err == nil {
			t.Cleanup(feed.Close)
		}
		return err
	}
	largest := `"` + strings.Repeat("x", host.MaxPublication-2) + `"`
	if err := follow(largest + " "); !errors.Is(err, host.ErrInvalid) {
		t.Errorf("data that is too long: %v", err)
	}
	if err := follow(largest); err != nil {
		t.Errorf("after leaving a channel: %v", err)
	}
	if err := follow("1"); !errors.Is(err, host.ErrThrottled) {
		t.Errorf("a feed over the limit: %v", err)
	}
	if code := subscribe(most + 1); code != http.StatusTooManyRequests {
		t.Errorf("a subscription after the feed: %d, want 429", code)
	}
}

// The bound includes clients that are connecting, and what clients have sent is forgotten when
// they leave.
func TestDataIsCountedAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	kept, connecting := 0, []byte(strings.Repeat("1", host.MaxPublication))
	for live.Keep(f.Hub, f.caller("a"), connecting) == nil && kept < host.MaxStreamData {
		kept += len(connecting)
	}
	if kept != host.MaxStreamData/4 {
		t.Fatalf("%d bytes are kept for one caller, want %d", kept, host.MaxStreamData/4)
	}
	feed, err := f.Follow(t.Context(), f.caller("b"), "ds/a/x", []byte("[1,2]"))
	if err != nil {
		t.Fatal(err)
	}
	s := f.connect("b")
	for _, name := range []string{"x", "y"} {
		if got := s.call(`"subscribe":{"channel":"ds/a/` + name + `","data":[1,2]}`); got.Error.Code != 0 {
			t.Fatalf("%s: %+v", name, got.Error)
		}
	}
	if n := live.Held(f.Hub); n != kept+3*len("[1,2]") {
		t.Errorf("%d bytes are held, want %d and three subscriptions", n, kept)
	}
	s.call(`"unsubscribe":{"channel":"ds/a/x"}`)
	_ = s.conn.Close()
	feed.Close()
	until(t, "the end of the subscriptions", func() bool { return live.Held(f.Hub) == kept })
}

// Clients that lose access are disconnected or unsubscribed. A change of settings runs the
// channel again.
func TestCheck(t *testing.T) {
	t.Parallel()
	settings := make(chan string, 10)
	p := &fakePlugin{run: func(ctx context.Context, req *sdk.StreamRequest, _ func(string)) error {
		settings <- string(req.Context.DataSource.JSON)
		<-ctx.Done()
		return ctx.Err()
	}}
	f := newFixture(t, live.Options{Check: time.Millisecond}, p)
	a, b := f.connect("a"), f.connect("b")
	a.subscribe("ds/a/x")
	a.subscribe("ds/b/x")
	b.subscribe("ds/a/x")
	feed, err := f.Follow(t.Context(), f.caller("feed"), "ds/a/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	for range 2 {
		if got := <-settings; got != "" {
			t.Fatalf("the first runs have the settings %s", got)
		}
	}
	f.change(func() { f.settings = "{}" })
	for range 2 {
		if got := <-settings; got != "{}" {
			t.Errorf("after the change: %s", got)
		}
	}
	f.change(func() { f.closed["b"] = host.NotFound("Data source") })
	if got, ok := a.next(); !ok || got.Push.Channel != "ds/b/x" || got.Push.Unsubscribe.Code != 2100 || got.Push.Unsubscribe.Reason != "Data source not found" {
		t.Errorf("after the data source was deleted: %+v", got)
	}
	f.change(func() {
		f.denied["b"], f.denied["feed"] = errors.New("the database does not respond"), host.Unauthorized("Unauthorized")
	})
	if got, ok := <-feed.Packets(); ok {
		t.Errorf("after the session ended: %+v", got)
	}
	f.change(func() { f.denied["a"] = host.Unauthorized("Unauthorized") })
	if got, ok := a.next(); ok {
		t.Errorf("after the session ended: %+v", got)
	}
	if got := b.call(`"publish":{"channel":"ds/a/quiet","data":1}`); got.Error.Code != 0 {
		t.Errorf("a client whose credentials could not be checked: %+v", got)
	}
}

// Clients, channels and streams are bounded, and so is what a plugin sends.
func TestBounds(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	p := paced(next)
	f := newFixture(t, live.Options{Clients: 3, PerCaller: 2, PerPlugin: 1, Grace: time.Millisecond}, p)
	s := f.connect("a")
	s.subscribe("ds/a/x")
	if got := s.subscribe("ds/a/y"); got.Error.Code != 503 || !got.Error.Temporary {
		t.Errorf("a second stream: %+v", got)
	}
	for _, bad := range []string{"{", "", `"` + strings.Repeat("x", host.MaxPacket) + `"`, "1"} {
		next <- bad
	}
	if got := s.packet(); got != "1" {
		t.Errorf("after invalid packets: %s", got)
	}
	feed, err := f.Follow(t.Context(), f.caller("a"), "ds/a/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Follow(t.Context(), f.caller("a"), "ds/a/x", nil); !errors.Is(err, host.ErrThrottled) {
		t.Errorf("a third client of a caller: %v", err)
	}
	if _, err := f.dial("a"); err == nil {
		t.Error("a third client of a caller connected")
	}
	third := f.connect("b")
	if _, err := f.Follow(t.Context(), f.caller("c"), "ds/a/x", nil); !errors.Is(err, host.ErrUnavailable) {
		t.Errorf("a fourth client: %v", err)
	}
	feed.Close()
	feed.Close()
	_ = third.conn.Close()
	until(t, "the end of a client", func() bool { return live.Clients(f.Hub) == 1 })
	// A feed that is not read is closed, and holds up nobody.
	feed, err = f.Follow(t.Context(), f.caller("c"), "ds/a/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	large := `"` + strings.Repeat("x", 100<<10) + `"`
	for range 6 {
		next <- large
		if got := s.packet(); got != large {
			t.Fatalf("got %d bytes", len(got))
		}
	}
	n := 0
	for range feed.Packets() {
		n++
	}
	if n != host.StreamQueue/len(large) {
		t.Errorf("%d packets waited for the feed", n)
	}
	many := newFixture(t, live.Options{}, &fakePlugin{}).connect("a")
	for i := range host.MaxChannels {
		if got := many.subscribe(fmt.Sprintf("ds/a/%d", i)); got.Error.Code != 0 {
			t.Fatalf("channel %d: %+v", i, got)
		}
	}
	if got := many.subscribe("ds/a/more"); got.Error.Message != "limit exceeded" {
		t.Errorf("one channel too many: %+v", got)
	}
}

// A client that is refused leaves nothing behind, even if the call panics.
func TestRefusalsTakeNoRoom(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{PerPlugin: 1}, &fakePlugin{})
	for _, path := range []string{"missing", "secret", "broken", "panic"} {
		func() {
			defer func() { _ = recover() }()
			if _, err := f.Follow(t.Context(), f.caller("a"), "ds/a/"+path, nil); err == nil {
				t.Errorf("%s: a client follows the channel", path)
			}
		}()
		if streams, clients := live.Streams(f.Hub), live.Clients(f.Hub); streams != 0 || clients != 0 {
			t.Errorf("%s: %d streams and %d clients are left", path, streams, clients)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Follow(t.Context(), f.caller("a"), "ds/a/x", nil); err == nil || err.Error() != "the host is stopping" {
		t.Errorf("after the hub was closed: %v", err)
	}
}

// A caller starts at most half of the streams of a plugin.
func TestShareOfStreams(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{PerPlugin: 4}, &fakePlugin{})
	a, b := f.connect("a"), f.connect("b")
	for i, want := range []int{0, 0, http.StatusTooManyRequests} {
		if got := a.subscribe(fmt.Sprintf("ds/a/%d", i)); int(got.Error.Code) != want {
			t.Errorf("stream %d: %+v", i, got.Error)
		}
	}
	for _, channel := range []string{"ds/a/2", "ds/a/3"} {
		if got := b.subscribe(channel); got.Error.Code != 0 {
			t.Errorf("%s of another caller: %+v", channel, got.Error)
		}
	}
	if got := a.subscribe("ds/a/3"); got.Error.Code != 0 {
		t.Errorf("a stream that another caller started: %+v", got.Error)
	}
}

// Messages of clients must be JSON: those in Protobuf can contain any bytes.
func TestMessagesAreJSON(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	if err := f.Hub.Publish(t.Context(), f.caller("a").Identity, "ds/a/quiet", []byte("{")); !errors.Is(err, host.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

// A client whose credentials cannot be checked does not stay forever, and a stream does not
// run on behalf of a client that has lost access.
func TestLostAccess(t *testing.T) {
	t.Parallel()
	users := make(chan string, 10)
	p := &fakePlugin{run: func(ctx context.Context, req *sdk.StreamRequest, _ func(string)) error {
		users <- req.Context.User.Login
		<-ctx.Done()
		return ctx.Err()
	}}
	f := newFixture(t, live.Options{Check: time.Millisecond, Unchecked: time.Millisecond}, p)
	a, b := f.connect("a"), f.connect("b")
	a.subscribe("ds/a/x")
	if got := <-users; got != "a" {
		t.Fatalf("the stream runs on behalf of %s", got)
	}
	b.subscribe("ds/a/x")
	f.change(func() { f.denied["a"] = errors.New("the database does not respond") })
	if got, ok := a.next(); ok {
		t.Errorf("a client that cannot be checked: %+v", got)
	}
	if got := <-users; got != "b" {
		t.Errorf("the stream runs on behalf of %s", got)
	}
	f.change(func() { f.denied["b"] = &host.Error{Category: host.ErrThrottled, Message: "too many failed logins"} })
	if got, ok := b.next(); ok {
		t.Errorf("a client whose check is throttled: %+v", got)
	}
}

// A stream runs on behalf of the client that subscribed first. It continues when that client
// leaves, if another one with the same credentials follows the channel, and otherwise runs again
// on behalf of another one. It also runs again when the role of its user changes.
func TestOnWhoseBehalf(t *testing.T) {
	t.Parallel()
	users, fail := make(chan string, 10), make(chan struct{})
	p := &fakePlugin{run: func(ctx context.Context, req *sdk.StreamRequest, _ func(string)) error {
		users <- req.Context.User.Login + " " + req.Context.User.Role
		select {
		case <-fail:
			return errors.New("the process exited")
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	f := newFixture(t, live.Options{Check: time.Millisecond, RetryAfter: time.Millisecond}, p)
	runs := func(when, want string) {
		t.Helper()
		if got := <-users; got != want {
			t.Fatalf("%s: the stream runs on behalf of %q, want %q", when, got, want)
		}
	}
	early, first, second := f.connect("early"), f.connect("first"), f.connect("first")
	first.subscribe("ds/a/x")
	runs("at the start", "first None")
	second.subscribe("ds/a/x")
	early.subscribe("ds/a/x")
	fail <- struct{}{}
	runs("after a failure", "first None")
	f.change(func() { f.roles["first"] = host.RoleEditor })
	runs("after a change of the role", "first Editor")
	f.change(func() { f.roles["early"] = host.RoleViewer })
	_ = first.conn.Close()
	until(t, "the end of a client", func() bool { return live.Clients(f.Hub) == 2 })
	second.call(`"unsubscribe":{"channel":"ds/a/x"}`)
	runs("after the user has left", "early Viewer")
	feed, err := f.Follow(t.Context(), f.caller("feed"), "ds/a/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = early.conn.Close()
	runs("after the user has left", "feed None")
	feed.Close()
	if n := p.all.Load(); n != 5 {
		t.Errorf("the channel ran %d times, want 5", n)
	}
}

// The checks of all clients share a deadline, so a client that cannot be checked leaves in time.
func TestManyChecksThatHang(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{Check: time.Hour, Unchecked: 2 * time.Millisecond}, &fakePlugin{})
	var feeds []*live.Feed
	for n := range 3 {
		caller := f.caller("stuck")
		caller.Credential = fmt.Sprint(n)
		feed, err := f.Follow(t.Context(), caller, "ds/a/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer feed.Close()
		feeds = append(feeds, feed)
	}
	time.Sleep(2 * time.Millisecond) // Unchecked
	live.Check(f.Hub)
	for _, feed := range feeds {
		if _, ok := <-feed.Packets(); ok {
			t.Error("a client whose check hangs stays")
		}
	}
}

// On a slow database, all clients are checked, even if a round of checks does not reach all.
func TestSlowChecks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := live.New(live.Options{Open: func(context.Context, host.Identity, live.Channel) (live.Plugin, sdk.Context, error) {
			return &fakePlugin{}, sdk.Context{PluginID: "acme-x-datasource", User: &sdk.User{}}, nil
		}})
		var feeds [100]*live.Feed
		var checks [len(feeds)]atomic.Int64
		for n := range feeds {
			who := host.Identity{Kind: host.KindUser, ID: int64(n), OrgID: 1}
			feed, err := h.Follow(t.Context(), live.Caller{Identity: who, Credential: fmt.Sprint(n), Again: func(ctx context.Context) (host.Identity, error) {
				checks[n].Add(1)
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
				}
				return who, ctx.Err()
			}}, "ds/a/x", nil)
			if err != nil {
				t.Fatal(err)
			}
			feeds[n] = feed
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		for n, feed := range feeds {
			select {
			case <-feed.Packets():
				t.Errorf("client %d was disconnected after %d checks", n, checks[n].Load())
			default:
			}
			feed.Close()
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A check that hangs ends, so that other clients are checked.
func TestCheckThatHangs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{Check: time.Millisecond, Unchecked: time.Millisecond}, &fakePlugin{})
	stuck, b := f.connect("stuck"), f.connect("b")
	if got, ok := stuck.next(); ok {
		t.Errorf("a client whose check hangs: %+v", got)
	}
	f.change(func() { f.denied["b"] = host.Unauthorized("Unauthorized") })
	if got, ok := b.next(); ok {
		t.Errorf("a client that has lost access: %+v", got)
	}
}

// The list contains what a user may follow.
func TestList(t *testing.T) {
	t.Parallel()
	sent := make(chan struct{})
	p := &fakePlugin{run: func(ctx context.Context, _ *sdk.StreamRequest, send func(string)) error {
		send(`{"schema": {"name": "f", "fields": [{"name": "v"}]}, "data": {"values": [[1]]}}`)
		sent <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}}
	f := newFixture(t, live.Options{}, p)
	s := f.connect("a")
	s.subscribe("ds/a/x")
	<-sent
	list := f.List(t.Context(), f.caller("b").Identity)
	if len(list) != 1 || list[0].Channel != "ds/a/x" || string(list[0].Data) != `{"schema":{"name":"f","fields":[{"name":"v"}]}}` {
		t.Errorf("%+v", list)
	}
	for _, user := range []string{"mallory", "other"} {
		if list := f.List(t.Context(), f.caller(user).Identity); len(list) != 0 {
			t.Errorf("%s: %+v", user, list)
		}
	}
}

// Messages count toward the data of their sender while the plugin handles them.
func TestMessagesInProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	publish := func(channel string, bytes int) string {
		return fmt.Sprintf(`"publish":{"channel":%q,"data":%q}`, channel, strings.Repeat("x", bytes))
	}
	const size = 60 << 10
	probe := f.connect("u")
	var sockets []*socket
	for range host.MaxStreamData/4/(8*size) + 4 { // each has 8 messages in progress
		s := f.connect("u")
		sockets = append(sockets, s)
		for n := range 8 {
			if err := websocket.Message.Send(s.conn, fmt.Sprintf(`{"id":%d,%s}`, 100+n, publish("ds/a/hang", size))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for { // until all have arrived
		r := probe.call(publish("ds/a/chat", size))
		if r.Error.Code == http.StatusTooManyRequests {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if r := probe.call(publish("ds/a/chat", 10)); r.Error.Code != 0 {
		t.Errorf("a short message: %+v", r.Error)
	}
	if r := f.connect("other").call(publish("ds/a/chat", size)); r.Error.Code != 0 {
		t.Errorf("a message of somebody else: %+v", r.Error)
	}
	for _, s := range sockets {
		_ = s.conn.Close()
	}
	for { // until the plugin was told
		if r := probe.call(publish("ds/a/chat", size)); r.Error.Code == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
}

// Messages are handled in turns, in which nobody waits for a plugin.
func TestTurns(t *testing.T) {
	t.Parallel()
	turn := make(chan struct{}, 1)
	f := newFixture(t, live.Options{Turn: func(ctx context.Context, _ host.Identity) (func(), error) {
		select {
		case turn <- struct{}{}:
			return func() { <-turn }, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}, &fakePlugin{})
	publish := func(channel string, bytes int) string {
		return fmt.Sprintf(`"publish":{"channel":"ds/a/%s","data":%q}`, channel, strings.Repeat("x", bytes))
	}
	const large = 60 << 10
	a, b := f.connect("a"), f.connect("b")
	if r := a.call(publish("chat", large)); r.Error.Code != 0 {
		t.Fatalf("a large message: %+v", r.Error)
	}
	for n := range 9 { // one more than the client may have in progress
		if err := websocket.Message.Send(a.conn, fmt.Sprintf(`{"id":%d,%s}`, 100+n, publish("hang", large))); err != nil {
			t.Fatal(err)
		}
	}
	if r := b.call(publish("chat", large)); r.Error.Code != 0 {
		t.Errorf("while the plugin handles messages of another client: %+v", r.Error)
	}
	turn <- struct{}{} // somebody else's
	waiting, handled := f.connect("c"), make(chan int)
	go func() { handled <- waiting.call(publish("chat", large)).Error.Code }()
	leaving := f.connect("d")
	if err := websocket.Message.Send(leaving.conn, `{"id":100,`+publish("chat", large)+`}`); err != nil {
		t.Fatal(err)
	}
	_ = leaving.conn.Close()
	select {
	case code := <-handled:
		t.Errorf("a large message is handled without a turn: %d", code)
	default:
	}
	<-turn
	if code := <-handled; code != 0 {
		t.Errorf("a large message after its turn: %d", code)
	}
	_ = a.conn.Close()
	until(t, "the end of the turns", func() bool { return len(turn) == 0 })
}

// What a plugin returns for a message counts as the message does.
func TestReturnedMessageIsCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	publish := func() error { return f.Publish(t.Context(), f.caller("a").Identity, "ds/a/loud", []byte("1")) }
	if err := publish(); err != nil {
		t.Fatal(err)
	}
	for live.Keep(f.Hub, f.caller("a"), []byte(strings.Repeat("1", host.MaxPublication))) == nil {
	}
	if err := publish(); !errors.Is(err, host.ErrThrottled) {
		t.Errorf("over the limit: %v", err)
	}
}

// The end of a stream does not remove its successor from the list.
func TestSuccessorOfStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &fakePlugin{run: func(ctx context.Context, _ *sdk.StreamRequest, _ func(string)) error {
			<-ctx.Done()
			time.Sleep(2 * time.Second)
			return ctx.Err()
		}}
		h := live.New(live.Options{Check: time.Hour, Grace: 10 * time.Second, Open: func(context.Context, host.Identity, live.Channel) (live.Plugin, sdk.Context, error) {
			return p, sdk.Context{User: &sdk.User{}}, nil
		}})
		follow := func() *live.Feed {
			feed, err := h.Follow(t.Context(), live.Caller{Identity: host.Identity{OrgID: 1}}, "ds/a/x", nil)
			if err != nil {
				t.Fatal(err)
			}
			return feed
		}
		first := follow()
		synctest.Wait() // until it runs
		first.Close()
		time.Sleep(11 * time.Second)
		live.Check(h) // while the run ends
		time.Sleep(2 * time.Second)
		follow()
		time.Sleep(10 * time.Second)
		if n := live.Streams(h); n != 1 {
			t.Errorf("there are %d streams, want 1", n)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The calls of a WebSocket are canceled before it is closed. Otherwise, the library would wait
// for them, and the client would go on receiving packets.
func TestCallsOfSocketThatEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*fixture) error{
		"lost access": func(f *fixture) error {
			f.change(func() { f.denied["a"] = host.Unauthorized("Unauthorized") })
			live.Check(f.Hub)
			return nil
		},
		"close": func(f *fixture) error { return f.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &fakePlugin{}
			f := newFixture(t, live.Options{Check: time.Hour}, p)
			s := f.connect("a")
			if err := websocket.Message.Send(s.conn, `{"id":100,"subscribe":{"channel":"ds/a/hang"}}`); err != nil {
				t.Fatal(err)
			}
			until(t, "the call", func() bool { return p.hung.Load() == 1 })
			ended := make(chan error)
			go func() { ended <- end(f) }()
			for ok := true; ok; {
				_, ok = s.next()
			}
			if n := p.hung.Load(); n != 0 {
				t.Errorf("%d calls are in progress after the client was disconnected", n)
			}
			_ = s.conn.Close()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// A WebSocket that connects after the Hub was closed ends.
func TestConnectAfterClose(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	s, err := f.dial("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := websocket.Message.Send(s.conn, `{"id":1,"connect":{}}`); err != nil {
		t.Fatal(err)
	}
	for ok := true; ok; {
		_, ok = s.next()
	}
}
