package loader

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/wire"
)

// Probes find processes that run but do not respond, which are then replaced. A probe asks
// for the health of the gRPC server, which calls no code of the plugin. A missed probe of a
// process that a debugger traces does not count, where the system reports that (on Linux).
type Probes struct {
	Interval time.Duration // between probes; 0 is 10 s, negative disables them
	Timeout  time.Duration // of each probe; 0 is 10 s
	Misses   int           // in a row, after which a process is replaced; 0 is 3
}

func (o Probes) withDefaults() Probes {
	return Probes{
		Interval: cmp.Or(o.Interval, 10*time.Second),
		Timeout:  cmp.Or(o.Timeout, 10*time.Second),
		Misses:   cmp.Or(o.Misses, 3),
	}
}

// probe probes the process in the background until it ends. If the process stops
// responding, p.deaf receives a reason and probing ends.
func (p *Process) probe(o Probes) {
	if o.Interval < 0 {
		return
	}
	deaf := make(chan string, 1)
	p.deaf = deaf
	go func() {
		tick := time.NewTicker(o.Interval)
		defer tick.Stop()
		misses := 0
		for {
			select {
			case <-p.Exited():
				return
			case <-tick.C:
			}
			switch {
			case p.responds(o.Timeout):
				misses = 0
			case process.IsTraced(p.PID()):
				misses = 0 // it is stopped at a breakpoint
			default:
				misses++
			}
			if misses >= o.Misses {
				deaf <- fmt.Sprintf("the process did not respond to %d probes of %s each and was killed", misses, o.Timeout)
				return
			}
		}
	}()
}

func (p *Process) responds(timeout time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return ping(ctx, p.conn) == nil
}

// ping checks that a process is serving.
func ping(ctx context.Context, c grpc.ClientConnInterface) error {
	_, err := grpc_health_v1.NewHealthClient(c).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: wire.HealthService})
	return err
}
