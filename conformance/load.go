package conformance

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	loadAtOnce = 64
	loadRounds = 20 // default of Options.rounds
)

// parallelCalls makes many concurrent calls. Each query has its own refId, which reveals mixed-up responses.
func parallelCalls(ctx context.Context, s *subject, has []call) Verdict {
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
						r = s.query(ctx, s.queries(1, func(q *pluginv2.DataQuery) { q.RefId = fmt.Sprintf("N%dR%d", n, round) }))
					} else {
						r = s.do(ctx, c, s.context(1, 1), nil)
					}
					verdicts[n] = s.asUsual(ctx, c, fmt.Sprintf("%s, %d concurrent calls", c, loadAtOnce), r)
					if verdicts[n].Outcome != Passed || ctx.Err() != nil {
						return
					}
				}
			}
		})
	}
	group.Wait()
	return firstNotPassed(verdicts)
}

const cancelEach = 100 // default of Options.cancels

// cancel makes calls of each kind and cancels them, immediately or soon.
func (s *subject) cancel(ctx context.Context, has []call) {
	for n := range s.o.cancels {
		var group sync.WaitGroup
		for _, c := range has {
			group.Go(func() {
				soon, stop := context.WithTimeout(ctx, time.Duration(n%5)*500*time.Microsecond)
				defer stop()
				_ = s.do(soon, c, s.context(1, 1), nil)
			})
		}
		group.Wait()
	}
}

// afterCancel is how long a call may take after others were canceled.
const afterCancel = 5 * time.Second

func canceledCalls(ctx context.Context, s *subject, has []call) Verdict {
	for _, c := range has {
		s.usually(ctx, c)
	}
	s.cancel(ctx, has)
	for _, c := range has {
		sent := fmt.Sprintf("%s, after %d canceled calls", c, s.o.cancels)
		soon, stop := context.WithTimeout(ctx, afterCancel)
		r := s.do(soon, c, s.context(1, 1), nil)
		isLate := errors.Is(soon.Err(), context.DeadlineExceeded)
		stop()
		if isLate || status.Code(r.err) == codes.DeadlineExceeded {
			return failed(sent, fmt.Sprintf("no response within %s", afterCancel),
				"release what a call holds, such as locks and pool slots, when its context ends")
		}
		if v := s.asUsual(ctx, c, sent, r); v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

// canceledLeavesNothing counts goroutines, if the metrics of the plugin include them.
func canceledLeavesNothing(ctx context.Context, s *subject, has []call) Verdict {
	before, isKnown := s.goroutines(ctx)
	if !isKnown {
		return skipped("the plugin's metrics do not include go_goroutines")
	}
	s.cancel(ctx, has)
	const tries = 30
	after := before
	for range tries {
		if after, isKnown = s.goroutines(ctx); isKnown && after <= before+s.o.cancels/2 {
			return passed()
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	if !isKnown {
		return skipped("the plugin's metrics do not include go_goroutines after canceled calls")
	}
	return failed(fmt.Sprintf("%d canceled calls of each kind", s.o.cancels),
		fmt.Sprintf("%d goroutines 3 s later, up from %d", after, before),
		"when the context of a call ends, stop what the call started; a goroutine profile shows where goroutines wait")
}
