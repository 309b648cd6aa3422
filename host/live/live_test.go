package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/live"
	"github.com/slipway-dev/slipway/sdk"
)

// fakePlugin runs every channel but missing and secret.
type fakePlugin struct {
	run  func(ctx context.Context, req *sdk.StreamRequest, send func(string)) error
	runs atomic.Int64 // in progress
	all  atomic.Int64 // that began
	hung atomic.Int64 // calls in progress
}

func (p *fakePlugin) SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	switch req.Path {
	case "missing":
		return nil, sdk.Errorf(http.StatusNotFound, "there is no such channel")
	case "secret":
		return nil, sdk.Errorf(http.StatusForbidden, "the channel is secret")
	case "broken":
		return json.RawMessage("{"), nil
	case "panic":
		panic("in the plugin")
	case "hang":
		p.hung.Add(1)
		defer p.hung.Add(-1)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return json.RawMessage(fmt.Sprintf("{\n\"welcome\": %q}", req.Context.User.Login)), nil
}

func (p *fakePlugin) PublishStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	switch req.Path {
	case "chat":
		return req.Data, nil
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "quiet":
		return nil, nil
	case "loud":
		return json.RawMessage(`"` + strings.Repeat("x", host.MaxPublication) + `"`), nil
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

// fixture is a Hub behind an HTTP server. The user is the name in the query.
type fixture struct {
	*live.Hub
	t      *testing.T
	plugin *fakePlugin
	server *httptest.Server

	mu       sync.Mutex
	denied   map[string]error // by user: of the credentials
	closed   map[string]error // by namespace: of the plugin
	roles    map[string]host.Role
	settings string
}

// buffered is what the kernel holds for a client that does not read, instead of megabytes.
const buffered = 64 << 10

func newFixture(t *testing.T, o live.Options, p *fakePlugin) *fixture {
	t.Helper()
	f := &fixture{t: t, plugin: p, denied: map[string]error{}, closed: map[string]error{}, roles: map[string]host.Role{}}
	o.Open, o.Logger = f.open, slog.New(slog.NewTextHandler(t.Output(), nil))
	f.Hub = live.New(o)
	f.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := f.ServeWebSocket(w, r, f.caller(r.URL.Query().Get("user"))); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}))
	f.server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if err := c.(*net.TCPConn).SetWriteBuffer(buffered); err != nil {
			t.Error(err)
		}
		return ctx
	}
	f.server.Start()
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		f.server.Close()
		if n := p.runs.Load(); n != 0 {
			t.Errorf("%d streams run after the hub was closed", n)
		}
	})
	return f
}

func (f *fixture) caller(user string) live.Caller {
	id := int64(0)
	for _, c := range user {
		id = id*256 + int64(c)
	}
	who := host.Identity{Kind: host.KindUser, ID: id, OrgID: 1, Login: user}
	if strings.HasPrefix(user, "other") {
		who.OrgID = 2
	}
	return live.Caller{Identity: who, Credential: user, Again: func(ctx context.Context) (host.Identity, error) {
		if user == "stuck" {
			<-ctx.Done()
			return who, ctx.Err()
		}
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

// socket is a client that speaks the protocol of centrifuge in JSON.
type socket struct {
	t       testing.TB
	conn    *websocket.Conn
	waiting []string // messages of a frame
	id      int
}

// reply is a message of the server.
type reply struct {
	ID    int
	Error struct {
		Code      int
		Message   string
		Temporary bool
	}
	Subscribe struct{ Data json.RawMessage }
	Push      struct {
		Channel     string
		Pub         struct{ Data json.RawMessage }
		Unsubscribe struct {
			Code   int
			Reason string
		}
	}
}

// dial connects a user, who may be refused.
func (f *fixture) dial(user string) (*socket, error) {
	config, err := websocket.NewConfig(strings.Replace(f.server.URL, "http", "ws", 1)+"/?user="+user, "http://localhost")
	if err != nil {
		return nil, err
	}
	c, err := net.Dial("tcp", f.server.Listener.Addr().String())
	if err != nil {
		return nil, err
	}
	conn, err := websocket.NewClient(config, c)
	if err == nil {
		err = c.(*net.TCPConn).SetReadBuffer(buffered)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	s := &socket{t: f.t, conn: conn}
	f.t.Cleanup(func() { _ = conn.Close() })
	return s, nil
}

func (f *fixture) connect(user string) *socket {
	f.t.Helper()
	s, err := f.dial(user)
	if err != nil {
		f.t.Fatal(err)
	}
	if got := s.call(`"connect":{}`); got.Error.Code != 0 {
		f.t.Fatalf("connect: %+v", got)
	}
	return s
}

// next returns the next message, or false if the connection has ended.
func (s *socket) next() (reply, bool) {
	for {
		for len(s.waiting) == 0 {
			var frame string
			if err := websocket.Message.Receive(s.conn, &frame); err != nil {
				return reply{}, false
			}
			s.waiting = strings.Split(frame, "\n")
		}
		line := s.waiting[0]
		s.waiting = s.waiting[1:]
		if line == "" {
			continue
		}
		if line == "{}" {
			_ = websocket.Message.Send(s.conn, "{}")
			continue
		}
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			s.t.Errorf("the server sent %q: %v", line, err)
			return r, false
		}
		return r, true
	}
}

// call sends a command and returns the reply to it. It drops pushes.
func (s *socket) call(command string) reply {
	s.t.Helper()
	s.id++
	if err := websocket.Message.Send(s.conn, fmt.Sprintf(`{"id":%d,%s}`, s.id, command)); err != nil {
		s.t.Fatal(err)
	}
	for {
		r, ok := s.next()
		if !ok {
			s.t.Fatalf("the connection ended before the reply to %s", command)
		}
		if r.ID == s.id {
			return r
		}
	}
}

func (s *socket) subscribe(channel string) reply {
	s.t.Helper()
	return s.call(fmt.Sprintf(`"subscribe":{"channel":%q}`, channel))
}

// packet returns the next packet.
func (s *socket) packet() string {
	s.t.Helper()
	r, ok := s.next()
	if !ok || r.Push.Pub.Data == nil {
		s.t.Fatalf("got %+v, %t; want a packet", r, ok)
	}
	return string(r.Push.Pub.Data)
}
