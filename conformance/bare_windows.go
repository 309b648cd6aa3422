package conformance

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"
)

// bare is a process without ties to this one; see bare_unix.go.
type bare struct {
	conn         *grpc.ClientConn
	exited, gone chan struct{}
	err          error
}

func runBare(context.Context, string, bool) (*bare, error) {
	return nil, fmt.Errorf("start without a host on Windows: %w", errors.ErrUnsupported)
}

func (b *bare) killHost() {}

func (b *bare) end() {}
