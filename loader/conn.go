package loader

import (
	"context"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/slipway-dev/slipway/internal/wire"
)

// conn is a connection to a plugin that reports the panics of handlers.
type conn struct {
	grpc.ClientConnInterface
	panicked func(method string) // of a call that failed because its handler panicked; may be nil
}

// Invoke implements grpc.ClientConnInterface.
func (c *conn) Invoke(ctx context.Context, method string, args, reply any, options ...grpc.CallOption) error {
	var trailer metadata.MD
	err := c.ClientConnInterface.Invoke(ctx, method, args, reply, append(slices.Clip(options), grpc.Trailer(&trailer))...)
	c.ended(method, err, trailer)
	return err
}

// NewStream implements grpc.ClientConnInterface.
func (c *conn) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, options ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := c.ClientConnInterface.NewStream(ctx, desc, method, options...)
	if err != nil {
		return nil, err
	}
	return &stream{s, c, method}, nil
}

func (c *conn) ended(method string, err error, trailer metadata.MD) {
	if c.panicked != nil && wire.IsPanic(err, trailer) {
		c.panicked(method)
	}
}

type stream struct {
	grpc.ClientStream
	conn   *conn
	method string
}

// RecvMsg implements grpc.ClientStream.
func (s *stream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil {
		s.conn.ended(s.method, err, s.Trailer())
	}
	return err
}
