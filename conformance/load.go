package conformance

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	loadAtOnce = 64
	loadRounds = 20 // unless Options says otherwise
)

// parallelCalls makes many calls at once; each query has a refId of its own, so that
// answers which were mixed up show.
func parallelCalls(ctx context.Context, s *subject) Verdict {
	has := s.supported(ctx, callQuery, callHealth, callResource, callSubscribe)
	if len(has) == 0 {
		return skipLack(callQuery, callHealth, callResource, callSubscribe)
	}
	for _, c := range has {
		s.usually(ctx, c)
	}
	var group sync.WaitGroup
	verdicts := make([]Verdict, loadAtOnce)
	for n := range verdicts {
		group.Go(func() {
			verdicts[n] = passed()
			for round := range s.o.rounds {
				for _, c := range has {
					var r reply
					if c == callQuery {
						in := s.ask(1, func(q *pluginv2.DataQuery) { q.RefId = fmt.Sprintf("N%dR%d", n, round) })
						r = s.query(ctx, in)
					} else {
						r = s.make(ctx, c, s.context(1, 1), nil)
					}
					v := s.asUsual(ctx, c, fmt.Sprintf("%s, %d times at once", c, loadAtOnce), r)
					if v.Outcome != Passed || ctx.Err() != nil {
						verdicts[n] = v
						return
					}
				}
			}
		})
	}
	group.Wait()
	for _, v := range verdicts {
		if v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

const cancelEach = 100 // unless Options says otherwise

// cancel makes calls of each kind and gives them up, at once or soon.
func (s *subject) cancel(ctx context.Context, has []call) {
	for n := range s.o.cancels {
		var group sync.WaitGroup
		for _, c := range has {
			group.Go(func() {
				soon, stop := context.WithTimeout(ctx, time.Duration(n%5)*500*time.Microsecond)
				defer stop()
				_ = s.make(soon, c, s.context(1, 1), nil)
			})
		}
		group.Wait()
	}
}

// afterCancel is how long a call may take after others were given up.
const afterCancel = 5 * time.Second

func cancelledCalls(ctx context.Context, s *subject) Verdict {
	has := s.supported(ctx, calls()...)
	if len(has) == 0 {
		return skipLack(calls()...)
	}
	for _, c := range has {
		s.usually(ctx, c)
	}
	s.cancel(ctx, has)
	for _, c := range has {
		sent := fmt.Sprintf("%s, after %d that were cancelled", c, s.o.cancels)
		soon, stop := context.WithTimeout(ctx, afterCancel)
		r := s.make(soon, c, s.context(1, 1), nil)
		isLate := isTimeUp(soon)
		stop()
		if isLate || status.Code(r.err) == codes.DeadlineExceeded {
			return failed(sent, fmt.Sprintf("no answer within %s", afterCancel), "give back what a call holds, such as locks and places in a pool, when its context ends")
		}
		if v := s.asUsual(ctx, c, sent, r); v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

// cancelledLeavesNothing counts the goroutines of a plugin whose metrics say so.
func cancelledLeavesNothing(ctx context.Context, s *subject) Verdict {
	before, counted := s.goroutines(ctx)
	if !counted {
		return skipped("the plugin's metrics have no go_goroutines")
	}
	s.cancel(ctx, s.supported(ctx, calls()...))
	const tries = 30
	after := before
	for range tries {
		if after, _ = s.goroutines(ctx); after <= before+s.o.cancels/2 {
			return passed()
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return failed(fmt.Sprintf("%d calls of each kind, which were cancelled", s.o.cancels),
		fmt.Sprintf("%d goroutines where there were %d, 3 s later", after, before),
		"end what a call started when its context ends; a profile of the goroutines says where they wait")
}

func (s *subject) goroutines(ctx context.Context) (count int, isKnown bool) {
	out, err := s.raw.diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{PluginContext: s.context(1, 1)})
	found := regexp.MustCompile(`(?m)^go_goroutines ([0-9]+)$`).FindSubmatch(out.GetMetrics().GetPrometheus())
	if err != nil || found == nil {
		return 0, false
	}
	count, err = strconv.Atoi(string(found[1]))
	return count, err == nil
}
