package loader

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/sdk"
)

// Call is a kind of call to a plugin.
type Call string

// The kinds of calls.
const (
	CallQuery    Call = "query"
	CallHealth   Call = "health"
	CallMetrics  Call = "metrics"
	CallResource Call = "resource"

	CallSubscribe Call = "subscribe"
	CallPublish   Call = "publish"
	CallOther     Call = "other" // all calls by Plugin.Use
)

// Step is the resolution of Figures.Steps, and Span is the time that they cover.
const (
	Step = 10 * time.Second
	Span = 15 * time.Minute
)

// bounds are the upper bounds of the buckets of a Histogram, in seconds. The last bucket
// has none.
var bounds = sync.OnceValue(func() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
})

const buckets = 16

// Histogram counts durations.
type Histogram struct {
	Sum    time.Duration
	counts [buckets]uint64
}

func (h *Histogram) observe(d time.Duration) {
	i, _ := slices.BinarySearch(bounds(), d.Seconds())
	h.counts[i]++
	h.Sum += d
}

// Count returns the number of durations.
func (h *Histogram) Count() (n uint64) {
	for _, c := range h.counts {
		n += c
	}
	return n
}

// Cumulative returns how many durations are at most each upper bound, in seconds.
func (h *Histogram) Cumulative() map[float64]uint64 {
	at := make(map[float64]uint64, buckets-1)
	n := uint64(0)
	for i, bound := range bounds() {
		n += h.counts[i]
		at[bound] = n
	}
	return at
}

// Mean returns the mean in seconds, or 0 if there are no durations.
func (h *Histogram) Mean() float64 {
	if n := h.Count(); n > 0 {
		return h.Sum.Seconds() / float64(n)
	}
	return 0
}

// Quantile estimates a quantile in seconds, such as 0.95, by linear interpolation in its
// bucket. It returns 0 if there are no durations, and the last bound for more than that.
func (h *Histogram) Quantile(q float64) float64 {
	rank := q * float64(h.Count())
	seen, lower := 0.0, 0.0
	for i, bound := range bounds() {
		n := float64(h.counts[i])
		if n > 0 && seen+n >= rank {
			return lower + (bound-lower)*(rank-seen)/n
		}
		seen, lower = seen+n, bound
	}
	if seen == 0 && h.counts[buckets-1] == 0 {
		return 0
	}
	return lower
}

// Errors counts errors by their source.
type Errors struct{ Plugin, Downstream uint64 }

// CallFigures describe the calls of one kind since the plugin was mounted.
type CallFigures struct {
	Call      Call
	Errors    Errors
	Durations Histogram // without the time that the host needs to forward parts of a response
}

// StepFigures describe the calls of all kinds that ended within one Step.
type StepFigures struct {
	Time      time.Time // the beginning
	Errors    Errors
	Durations Histogram
	Memory    uint64 // bytes of the process; 0 if unknown
}

// Usage is the resources that a process uses.
type Usage struct {
	Memory uint64        // resident, in bytes
	CPU    time.Duration // since its start
}

// Figures describe the calls to a plugin and its process.
type Figures struct {
	Running int           // calls in progress
	Calls   []CallFigures // of the kinds that occurred, sorted
	Steps   []StepFigures // those of the last Span in which anything was measured, oldest first
	Usage   Usage         // of the running process; zero if the system does not provide it
}

// figures measure a plugin. The memory they take is bounded.
type figures struct {
	mu    sync.Mutex
	calls map[Call]*CallFigures
	steps [Span / Step]StepFigures // the step of a time is at its number modulo the length
}

func newFigures() *figures { return &figures{calls: map[Call]*CallFigures{}} }

// step returns the figures of the step that contains a time. The caller holds the lock.
func (f *figures) step(now time.Time) *StepFigures {
	begin := now.Truncate(Step)
	s := &f.steps[begin.Unix()/int64(Step/time.Second)%int64(len(f.steps))]
	if !s.Time.Equal(begin) {
		*s = StepFigures{Time: begin}
	}
	return s
}

// called records the end of a call. failed is "" if it did not fail.
func (f *figures) called(now time.Time, kind Call, took time.Duration, failed sdk.Source) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.calls[kind]
	if !ok {
		c = &CallFigures{Call: kind}
		f.calls[kind] = c
	}
	s := f.step(now)
	c.Durations.observe(took)
	s.Durations.observe(took)
	switch failed {
	case "":
	case sdk.SourceDownstream:
		c.Errors.Downstream++
		s.Errors.Downstream++
	default:
		c.Errors.Plugin++
		s.Errors.Plugin++
	}
}

// sampled records what the process uses.
func (f *figures) sampled(now time.Time, u Usage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.step(now)
	s.Memory = max(s.Memory, u.Memory)
}

// Figures returns the figures of the plugin.
func (p *Plugin) Figures() Figures {
	now, f := time.Now(), p.figures
	out := Figures{Running: len(p.calls), Usage: p.usage()}
	if out.Usage.Memory > 0 {
		f.sampled(now, out.Usage)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		out.Calls = append(out.Calls, *c)
	}
	slices.SortFunc(out.Calls, func(a, b CallFigures) int { return strings.Compare(string(a.Call), string(b.Call)) })
	for _, s := range f.steps {
		if !s.Time.IsZero() && now.Sub(s.Time) < Span {
			out.Steps = append(out.Steps, s)
		}
	}
	slices.SortFunc(out.Steps, func(a, b StepFigures) int { return a.Time.Compare(b.Time) })
	return out
}

// usage returns what the running process uses.
func (p *Plugin) usage() Usage {
	p.mu.Lock()
	proc := p.current
	p.mu.Unlock()
	if proc == nil || proc.command.hasExited() {
		return Usage{}
	}
	return usageOf(proc.PID())
}

// sample measures all processes once in each step, until stop is called.
func (l *Loader) sample() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(Step)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case now := <-tick.C:
				for _, p := range l.Plugins() {
					if u := p.usage(); u.Memory > 0 {
						p.figures.sampled(now, u)
					}
				}
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(end)
		<-ended
	})
}

// sourceOf returns the source of the error of a call, or "" if it is not an error of the
// plugin: the caller left, or the plugin does not support the call.
func sourceOf(err error, isCanceled bool) sdk.Source {
	switch e, ok := errors.AsType[*sdk.Error](err); {
	case err == nil, isCanceled, errors.Is(err, backend.ErrUnsupported):
		return ""
	case ok && e.Source != "":
		return e.Source
	}
	return sdk.SourcePlugin
}

// sourceOfResponses returns the source of the errors in responses: the plugin if at least
// one is its own.
func sourceOfResponses(responses sdk.QueryDataResponse) (source sdk.Source) {
	for _, r := range responses {
		switch sourceOf(r.Err, false) {
		case sdk.SourcePlugin:
			return sdk.SourcePlugin
		case sdk.SourceDownstream:
			source = sdk.SourceDownstream
		}
	}
	return source
}

// sourceOfStatus returns the source of the error that a status of a resource reports, or
// "" if it reports none.
func sourceOfStatus(status int) sdk.Source {
	switch {
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return sdk.SourceDownstream
	case status >= http.StatusInternalServerError:
		return sdk.SourcePlugin
	}
	return ""
}
