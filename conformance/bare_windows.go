package conformance

import (
	"context"

	"google.golang.org/grpc"
)

// bare is a process without ties; see the file for Unix.
type bare struct {
	conn         *grpc.ClientConn
	exited, gone chan struct{}
	err          error
}

func runBare(context.Context, string, bool) (_ *bare, reason string, err error) {
	return nil, "not tried on Windows", nil
}

func (b *bare) killHost() {}

func (b *bare) end() {}
