package live_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/live"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
)

// fakePlugin runs every channel but missing and secret.
type fakePlugin struct {
	run  func(ctx context.Context, req *sdk.StreamRequest, send func(string)) error
	runs atomic.Int64 // in progress
	all  atomic.Int64 // that began
}

func (p *fakePlugin) SubscribeStream(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	switch req.Path {
	case "missing":
		return nil, sdk.Errorf(http.StatusNotFound, "there is no such channel")
	case "secret":
		return nil, sdk.Errorf(http.StatusForbidden, "the channel is secret")
	case "broken":
		return json.RawMessage("{"), nil
	}
	return json.RawMessage(fmt.Sprintf("{\n\"welcome\": %q}", req.Context.User.Login)), nil
}

func (p *fakePlugin) PublishStream(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	switch req.Path {
	case "chat":
		return req.Data, nil
	case "quiet":
		return nil, nil
	}
	return nil, sdk.Errorf(http.StatusForbidden, "the channel is read-only")
}

func (p *fakePlugin) RunStream(ctx context.Context, req *sdk.StreamRequest, receive func(json.RawMessage) error) error {
	p.runs.Add(1)
	p.all.Add(1)
	defer p.runs.Add(-1)
	if p.run == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return p.run(ctx, req, func(packet string) { _ = receive(json.RawMessage(packet)) })
}

// paced is a plugin whose next packet is sent when the test asks for it.
func paced(next <-chan string) *fakePlugin {
	return &fakePlugin{run: func(ctx context.Context, _ *sdk.StreamRequest, send func(string)) error {
		for {
			select {
			case packet := <-next:
				send(packet)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}}
}

// fixture is a Hub and what its users may do.
type fixture struct {
	*live.Hub
	t      *testing.T
	plugin *fakePlugin

	mu       sync.Mutex
	denied   map[string]error // by user: of the credentials
	closed   map[string]error // by namespace: of the plugin
	roles    map[string]host.Role
	settings string
}

func newFixture(t *testing.T, o live.Options, p *fakePlugin) *fixture {
	t.Helper()
	f := &fixture{t: t, plugin: p, denied: map[string]error{}, closed: map[string]error{}, roles: map[string]host.Role{}}
	o.Open, o.Logger = f.open, slog.New(slog.NewTextHandler(t.Output(), nil))
	f.Hub = live.New(o)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if n := p.runs.Load(); n != 0 {
			t.Errorf("%d streams run after the hub was closed", n)
		}
	})
	return f
}

// caller is a user in the first organization, or in the second one if the name begins with other.
func (f *fixture) caller(user string) live.Caller {
	who := host.Identity{Kind: host.KindUser, ID: 1, OrgID: 1, Login: user}
	if strings.HasPrefix(user, "other") {
		who.OrgID = 2
	}
	return live.Caller{Identity: who, Credential: user, Again: func(context.Context) (host.Identity, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		who.Role = f.roles[user]
		return who, f.denied[user]
	}}
}

func (f *fixture) open(_ context.Context, who host.Identity, c live.Channel) (live.Plugin, sdk.Context, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := sdk.Context{PluginID: "acme-x-datasource", OrgID: who.OrgID, User: &sdk.User{Login: who.Login, Role: who.Role.String()},
		DataSource: &sdk.DataSource{UID: c.Namespace, Settings: sdk.Settings{JSON: json.RawMessage(f.settings)}}}
	if who.Login == "mallory" {
		return nil, of, host.Forbidden("Permission denied")
	}
	return f.plugin, of, f.closed[c.Namespace]
}

func (f *fixture) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// follow follows a channel with data.
func (f *fixture) follow(user, channel, data string) *live.Feed {
	f.t.Helper()
	feed, err := f.Follow(f.t.Context(), f.caller(user), channel, json.RawMessage(data))
	if err != nil {
		f.t.Fatalf("%s follows %s: %v", user, channel, err)
	}
	if got, want := next(feed), fmt.Sprintf(`{"welcome":%q}`, user); got != want {
		f.t.Errorf("%s: the first packet of %s is %s, want %s", user, channel, got, want)
	}
	return feed
}

// next returns the next packet, or why there is none.
func next(feed *live.Feed) string {
	p, ok := <-feed.Packets()
	if !ok {
		return "(closed)"
	}
	return cmp.Or(p.Ended, string(p.Data))
}

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for !condition() {
		select {
		case <-t.Context().Done():
			t.Fatalf("%s did not happen", what)
		case <-time.After(time.Millisecond):
		}
	}
}

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
func TestFollow(t *testing.T) {
	t.Parallel()
	packets := make(chan string)
	p := paced(packets)
	f := newFixture(t, live.Options{Grace: time.Millisecond}, p)
	var feeds []*live.Feed
	for i, name := range []string{"ds/a/x", "1/ds/a/x", "default/ds/a/x"} {
		feeds = append(feeds, f.follow(fmt.Sprintf("user%d", i), name, ""))
	}
	for i := range 100 {
		packets <- fmt.Sprintf("{\n\"n\": %d}", i)
		for _, feed := range feeds {
			if got, want := next(feed), fmt.Sprintf(`{"n":%d}`, i); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	}
	if n := p.all.Load(); n != 1 {
		t.Errorf("the channel ran %d times", n)
	}
	for _, feed := range feeds {
		feed.Close()
		feed.Close()
	}
	until(t, "the end of the stream", func() bool { return p.runs.Load() == 0 && live.Streams(f.Hub) == 0 })
	before := p.all.Load() // it may have run for those that stayed longer
	again := f.follow("user0", "ds/a/x", "")
	packets <- "7"
	if got := next(again); got != "7" || p.all.Load() != before+1 {
		t.Errorf("after the end: %s, %d runs", got, p.all.Load()-before)
	}
}

// A client that returns before the grace period is over finds the stream running.
func TestGrace(t *testing.T) {
	t.Parallel()
	p := &fakePlugin{}
	f := newFixture(t, live.Options{Grace: time.Hour}, p)
	feed := f.follow("a", "ds/a/x", "")
	until(t, "the stream", func() bool { return p.runs.Load() == 1 })
	feed.Close()
	f.follow("a", "ds/a/x", "")
	if n := p.all.Load(); n != 1 {
		t.Errorf("the channel ran %d times", n)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	f.closed["gone"] = host.NotFound("Data source")
	for _, c := range []struct{ user, channel, data, want string }{
		{"a", "ds/a/missing", "", "there is no such channel"},
		{"a", "ds/a/secret", "", "the channel is secret"},
		{"a", "ds/gone/x", "", "Data source not found"},
		{"a", "ds/a/broken", "", "the plugin sent an invalid packet to the channel ds/a/broken"},
		{"a", "2/ds/a/x", "", "is in another organization"},
		{"a", "nonsense", "", "channel: must have the form"},
		{"a", "ds/a/x", "{", "data: must be JSON"},
		{"a", "ds/a/x", `"` + strings.Repeat("x", gate.MaxStreamData) + `"`, "data: must not be longer than 4096 bytes"},
		{"mallory", "ds/a/x", "", "Permission denied"},
	} {
		if _, err := f.Follow(t.Context(), f.caller(c.user), c.channel, json.RawMessage(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.user, c.channel, err, c.want)
		}
	}
	if n := live.Streams(f.Hub); n != 0 {
		t.Errorf("there are %d streams", n)
	}
}

// The streams of a plugin are bounded.
func TestStreams(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	for i := range gate.MaxStreams {
		f.follow("a", fmt.Sprintf("ds/a/%d", i), "")
	}
	if _, err := f.Follow(t.Context(), f.caller("b"), "ds/a/more", nil); !errors.Is(err, host.ErrUnavailable) {
		t.Errorf("one stream too many: %v", err)
	}
	f.follow("b", "ds/a/0", "")
}

// What the plugin makes of a message reaches all clients of the organization.
func TestPublish(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	a, b, other := f.follow("a", "1/ds/a/chat", ""), f.follow("b", "ds/a/chat", ""), f.follow("other", "2/ds/a/chat", "")
	publish := func(user, channel, data string) error {
		return f.Publish(t.Context(), f.caller(user).Identity, channel, json.RawMessage(data))
	}
	testkit.OK(t, publish("b", "ds/a/chat", `{"text": "hi"}`))
	for _, feed := range []*live.Feed{a, b} {
		if got := next(feed); got != `{"text":"hi"}` {
			t.Error(got)
		}
	}
	testkit.OK(t, publish("other", "2/ds/a/chat", "2"))
	if got := next(other); got != "2" {
		t.Errorf("the other organization gets %s", got)
	}
	if err := publish("a", "ds/a/quiet", "1"); err != nil {
		t.Error(err)
	}
	for data, want := range map[string]error{`"` + strings.Repeat("x", gate.MaxMessage) + `"`: host.ErrInvalid, "{": host.ErrInvalid} {
		if err := publish("a", "ds/a/chat", data); !errors.Is(err, want) {
			t.Errorf("%.10s: %v", data, err)
		}
	}
	if err := publish("mallory", "ds/a/chat", "1"); !errors.Is(err, host.ErrForbidden) {
		t.Error(err)
	}
}

// A stream that fails runs again, and no packet is lost or reordered between the runs. One
// that ends for good does not, unless a client joins.
func TestRunsAgain(t *testing.T) {
	t.Parallel()
	n, start := 0, make(chan struct{})
	p := &fakePlugin{run: func(_ context.Context, _ *sdk.StreamRequest, send func(string)) error {
		<-start
		n++
		send(fmt.Sprint(n))
		if n%5 == 0 {
			return sdk.Errorf(422, "the query is wrong")
		}
		return errors.New("the process exited")
	}}
	f := newFixture(t, live.Options{RetryAfter: time.Millisecond}, p)
	feed := f.follow("a", "ds/a/x", "")
	close(start)
	for want := range 5 {
		if got := next(feed); got != fmt.Sprint(want+1) {
			t.Fatalf("got %s, want %d", got, want+1)
		}
	}
	if got := next(feed); got != "the plugin has ended the stream: the query is wrong" {
		t.Errorf("at the end: %s", got)
	}
	f.follow("b", "ds/a/x", "")
	if got := next(feed); got != "6" {
		t.Errorf("after another client joined: %s", got)
	}
}

// A stream that ended for good is forgotten when its clients have left.
func TestEnded(t *testing.T) {
	t.Parallel()
	p := &fakePlugin{run: func(context.Context, *sdk.StreamRequest, func(string)) error { return nil }}
	f := newFixture(t, live.Options{Grace: time.Millisecond}, p)
	feed := f.follow("a", "ds/a/x", "")
	if got := next(feed); got != "the plugin has ended the stream" {
		t.Error(got)
	}
	feed.Close()
	until(t, "the end of the stream", func() bool { return live.Streams(f.Hub) == 0 })
}

// A channel runs on behalf of the client that came first, with its data. When that client
// leaves, it continues if another one with the same credentials follows the channel, and
// otherwise runs again on behalf of another one. It also runs again when the role of its user or
// the settings change.
func TestOnWhoseBehalf(t *testing.T) {
	t.Parallel()
	begun, fail := make(chan string, 10), make(chan struct{})
	p := &fakePlugin{run: func(ctx context.Context, req *sdk.StreamRequest, _ func(string)) error {
		begun <- req.Context.User.Login + " " + req.Context.User.Role + " " + string(req.Context.DataSource.JSON) + string(req.Data)
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
		if got := <-begun; got != want {
			t.Fatalf("%s: %q, want %q", when, got, want)
		}
	}
	first := f.follow("first", "ds/a/x", "1")
	runs("at the start", "first None 1")
	second, third := f.follow("first", "ds/a/x", "2"), f.follow("third", "ds/a/x", "3")
	fail <- struct{}{}
	runs("after a failure", "first None 1")
	f.change(func() { f.roles["first"] = host.RoleEditor })
	runs("after a change of the role", "first Editor 1")
	f.change(func() { f.settings = "{}" })
	runs("after a change of the settings", "first Editor {}1")
	time.Sleep(20 * time.Millisecond) // the others are checked, too
	first.Close()
	second.Close()
	runs("after the user has left", "third None {}3")
	f.change(func() { f.denied["third"] = host.Unauthorized("Unauthorized") })
	fourth := f.follow("fourth", "ds/a/x", "4")
	if got := next(third); got != "(closed)" {
		t.Errorf("after the session ended: %s", got)
	}
	runs("after the session ended", "fourth None {}4")
	fourth.Close()
	if n := p.all.Load(); n != 6 {
		t.Errorf("the channel ran %d times, want 6", n)
	}
}

// A client that may no longer use the plugin is disconnected. One that cannot be checked stays
// for a while.
func TestCheck(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{Check: time.Millisecond, Unchecked: 100 * time.Millisecond}, &fakePlugin{})
	kept, gone := f.follow("a", "ds/a/x", ""), f.follow("a", "ds/b/x", "")
	f.change(func() { f.closed["b"] = host.NotFound("Data source") })
	if got := next(gone); got != "(closed)" {
		t.Errorf("after the data source was deleted: %s", got)
	}
	start := time.Now()
	f.change(func() { f.denied["a"] = errors.New("the database does not respond") })
	if got := next(kept); got != "(closed)" || time.Since(start) < 50*time.Millisecond {
		t.Errorf("a client that cannot be checked: %s after %s", got, time.Since(start))
	}
}

// A client that does not read is disconnected, and the others lose nothing.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	packets := make(chan string)
	f := newFixture(t, live.Options{}, paced(packets))
	deaf, reads := f.follow("deaf", "ds/a/x", ""), f.follow("a", "ds/a/x", "")
	for i := range gate.FeedQueue + 1 {
		packets <- fmt.Sprint(i)
		if got := next(reads); got != fmt.Sprint(i) {
			t.Fatalf("packet %d is %s", i, got)
		}
	}
	received := 0
	for range deaf.Packets() {
		received++
	}
	if received != gate.FeedQueue {
		t.Errorf("the other client received %d packets, want %d", received, gate.FeedQueue)
	}
	for { // the channel now runs on behalf of the other; what the run that ends still sends is lost
		select {
		case packets <- "1":
		case p := <-reads.Packets():
			if string(p.Data) != "1" {
				t.Errorf("afterward: %+v", p)
			}
			return
		}
	}
}

// A packet that clients cannot receive is dropped.
func TestInvalidPackets(t *testing.T) {
	t.Parallel()
	packets := make(chan string)
	f := newFixture(t, live.Options{}, paced(packets))
	feed := f.follow("a", "ds/a/x", "")
	for _, packet := range []string{"{", `"` + strings.Repeat("x", gate.MaxPacket) + `"`, "1"} {
		packets <- packet
	}
	if got := next(feed); got != "1" {
		t.Errorf("got %.20s", got)
	}
}

// A Hub that is closed disconnects its clients and takes no others.
func TestClose(t *testing.T) {
	t.Parallel()
	f := newFixture(t, live.Options{}, &fakePlugin{})
	feed := f.follow("a", "ds/a/x", "")
	testkit.OK(t, f.Close())
	if got := next(feed); got != "(closed)" {
		t.Error(got)
	}
	if _, err := f.Follow(t.Context(), f.caller("a"), "ds/a/x", nil); !errors.Is(err, host.ErrUnavailable) {
		t.Error(err)
	}
}
