package conformance

import (
	"context"
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/protobuf/types/known/emptypb"
)

const (
	stopWithin     = 2 * time.Second // go-plugin's patience
	orphanWithin   = 5 * time.Second // after the end of the host
	childrenWithin = 2 * time.Second // after the end of the plugin
)

const mendStop = "return from main when the server has stopped: do what has to be done then within 2 s, and start nothing that outlives main"

func stopInTime(ctx context.Context, s *subject) Verdict {
	return s.stop(ctx, "the request to stop (Shutdown of plugin.GRPCController)", func(*bare) {})
}

// stopBusy asks a plugin to stop that has calls under way.
func stopBusy(ctx context.Context, s *subject) Verdict {
	return s.stop(ctx, "the request to stop (Shutdown of plugin.GRPCController) during a stream and a query", func(b *bare) {
		ctx, cancel := context.WithTimeout(ctx, stopWithin)
		stream, err := pluginv2.NewStreamClient(b.conn).RunStream(ctx, &pluginv2.RunStreamRequest{PluginContext: s.context(1, 1), Path: unknownName})
		go func() {
			defer cancel()
			_, _ = pluginv2.NewDataClient(b.conn).QueryData(ctx, s.ask(1, nil))
			for err == nil {
				_, err = stream.Recv()
			}
		}()
		time.Sleep(50 * time.Millisecond)
	})
}

// stop asks a plugin to stop, after something else, and watches it end.
func (s *subject) stop(ctx context.Context, sent string, before func(*bare)) Verdict {
	b, v, ok := s.bare(ctx, false)
	if !ok {
		return v
	}
	defer b.end()
	before(b)
	soon, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	asked := time.Now()
	// The answer may be lost, since the server stops.
	_ = b.conn.Invoke(soon, "/plugin.GRPCController/Shutdown", &emptypb.Empty{}, &emptypb.Empty{})
	select {
	case <-b.exited:
	case <-time.After(time.Until(asked.Add(stopWithin))):
		return failed(sent, fmt.Sprintf("the process still ran after %s", stopWithin), mendStop)
	}
	if b.err != nil {
		return failed(sent, fmt.Sprintf("the process ended with %v", b.err), "end with status 0 when the host has asked for it: any other is taken for a crash")
	}
	select {
	case <-b.gone:
		return passed()
	case <-time.After(childrenWithin):
		return failed(sent, "the process ended and left processes that it had started", "end what the plugin has started before main returns")
	}
}

// bare starts a process without ties that answers. If it does not, ok is false and the
// verdict says why.
func (s *subject) bare(ctx context.Context, withHost bool) (b *bare, v Verdict, ok bool) {
	b, reason, err := runBare(ctx, s.program, withHost)
	switch {
	case reason != "":
		return nil, skipped(reason), false
	case err != nil:
		return nil, skipped("the plugin does not start without certificates: " + err.Error()), false
	}
	if _, err := serving(ctx, b.conn); err != nil {
		b.end()
		return nil, skipped("the plugin does not answer without certificates: " + err.Error()), false
	}
	return b, passed(), true
}

func stopHostKilled(ctx context.Context, s *subject) Verdict {
	b, v, ok := s.bare(ctx, true)
	if !ok {
		return v
	}
	defer b.end()
	b.killHost()
	select {
	case <-b.gone:
		return passed()
	case <-time.After(orphanWithin):
		return failed("nothing: its host was killed, and its connections are closed", fmt.Sprintf("the process still ran %s later", orphanWithin),
			"end when the parent process is no longer the one that started the plugin; on our SDK, Serve does so")
	}
}
