package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk"
)

// ErrBusy is the cause of an error with status 503: the host or the plugin has too much to
// do, and the call may succeed later.
var ErrBusy = errors.New("too much in progress")

// conn is a connection to a plugin that bounds the memory that its messages take.
type conn struct {
	grpc.ClientConnInterface
	id    string // of the plugin
	share *share
	lease *lease // holds the messages; if nil, they are not counted

	panicked func(method string) // is called if the handler of a call panicked; may be nil
	isLive   bool                // packets arrive whenever the plugin sends them
}

// Invoke implements grpc.ClientConnInterface.
func (c *conn) Invoke(ctx context.Context, method string, args, reply any, options ...grpc.CallOption) error {
	ctx, cancel := context.WithCancel(ctx) // ends the call if the plugin does not, as after a second response
	defer cancel()
	stream, err := c.NewStream(ctx, &grpc.StreamDesc{}, method, options...)
	if err != nil {
		return err
	}
	if err := stream.SendMsg(args); err != nil && !errors.Is(err, io.EOF) { // after io.EOF, RecvMsg returns the error
		return err
	}
	return stream.RecvMsg(reply)
}

// NewStream implements grpc.ClientConnInterface.
func (c *conn) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, options ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := c.ClientConnInterface.NewStream(ctx, desc, method, options...)
	if err != nil {
		return nil, err
	}
	b := &stream{ClientStream: s, ctx: ctx, conn: c, method: method, isOpen: desc.ServerStreams}
	if c.lease != nil {
		c.lease.add(b)
	}
	return b, nil
}

// stream bounds the memory of one call.
type stream struct {
	grpc.ClientStream
	ctx               context.Context // of the caller: that of ClientStream ends with the stream
	conn              *conn
	method            string
	isOpen            bool // more messages may follow
	hasFirst, isLarge bool // a message has been received; the last one was large

	mu   sync.Mutex
	held func() // releases the last message; nil before the first
}

// SendMsg implements grpc.ClientStream. A large message waits for its turn, too: it is
// copied before it is sent.
func (s *stream) SendMsg(m any) error {
	if sizeOf(m) > smallMessage {
		end, err := s.conn.share.arrive(s.ctx)
		if err != nil {
			return err
		}
		defer end()
	}
	return s.ClientStream.SendMsg(m)
}

// RecvMsg implements grpc.ClientStream. The previous message counts as used.
func (s *stream) RecvMsg(m any) error {
	s.release()
	// The first message follows the header at once. Later ones may take a while, so only a
	// large one, which is likely to be followed by another, makes the next wait for a turn;
	// that of a live stream would keep the turn until the plugin sends again.
	if !s.hasFirst || s.isLarge && !s.conn.isLive {
		hasFailed := false
		if !s.hasFirst {
			header, _ := s.Header()
			hasFailed = header == nil // RecvMsg returns why
		}
		if !hasFailed {
			end, err := s.conn.share.arrive(s.ctx)
			if err != nil {
				return err
			}
			defer end()
		}
	}
	err := s.ClientStream.RecvMsg(m)
	if s.conn.panicked != nil && (err != nil || !s.isOpen) && wire.IsPanic(err, s.Trailer()) {
		s.conn.panicked(s.method)
	}
	if err != nil {
		return err
	}
	size := sizeOf(m)
	s.hasFirst, s.isLarge = true, size > smallMessage
	if s.conn.lease == nil {
		return nil
	}
	release, ok := s.conn.share.hold(size * s.conn.lease.factor)
	if !ok {
		return &sdk.Error{Status: http.StatusServiceUnavailable, Source: sdk.SourcePlugin, Cause: ErrBusy,
			Message: fmt.Sprintf("the host holds too many large responses from plugins to accept another from %s; try again later", s.conn.id)}
	}
	s.mu.Lock()
	s.held = release
	s.mu.Unlock()
	return nil
}

// release gives back the memory of the last message.
func (s *stream) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		s.held()
	}
}

func sizeOf(m any) int64 {
	if m, ok := m.(proto.Message); ok {
		return int64(proto.Size(m))
	}
	return 0
}
