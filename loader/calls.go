package loader

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// ErrBusy is the cause of an error with status 503: the plugin has too much to do for now.
var ErrBusy = errors.New("too much in progress")

// forever is the limit of a call that has none.
const forever = time.Duration(math.MaxInt64)

// Limits bound the time and memory that calls to plugins use. A zero value means the default.
type Limits struct {
	Health   time.Duration // for a health check or metrics; 30 s
	Query    time.Duration // for the queries of one call; 2 min
	Resource time.Duration // until the first part of a response and between its parts; 2 min
	Channel  time.Duration // to subscribe to a channel or to publish to it; 10 s

	Calls   int // in progress per plugin; 256
	Message int // size of one message of a plugin in bytes; 32 MiB
}

// DefaultMessage is the default of Limits.Message.
const DefaultMessage = 32 << 20

func (l Limits) withDefaults() Limits {
	return Limits{
		Health:   cmp.Or(l.Health, 30*time.Second),
		Query:    cmp.Or(l.Query, 2*time.Minute),
		Resource: cmp.Or(l.Resource, 2*time.Minute),
		Channel:  cmp.Or(l.Channel, 10*time.Second),
		Calls:    cmp.Or(l.Calls, 256),
		Message:  cmp.Or(l.Message, DefaultMessage),
	}
}

type measurement struct {
	process *Process // that is called
	timer   *time.Timer
	paused  time.Duration // does not count
	failed  sdk.Source    // the source of an error in the response, or ""
}

// errLate is the cause of the end of a context whose call took too long.
var errLate = errors.New("no response in time")

// call calls use, and records the figures of the call under its kind.
func (p *Plugin) call(ctx context.Context, kind string, limit time.Duration,
	do func(ctx context.Context, c *backend.Client, m *measurement) error) error {
	m, start := &measurement{}, time.Now()
	err := p.use(ctx, limit, m, do)
	if source := sourceOf(err, ctx.Err() != nil); source != "" {
		m.failed = source
	}
	p.figures.called(kind, max(time.Since(start)-m.paused, 0), m.failed)
	return err
}

// use calls do with the running process and a context that is canceled after limit, unless do stops or
// resets the timer. The error is then an *sdk.Error with status 504. The context has no deadline: gRPC
// would send it to the plugin, whose clock could end the call first, with another error.
func (p *Plugin) use(ctx context.Context, limit time.Duration, m *measurement,
	do func(ctx context.Context, c *backend.Client, m *measurement) error) error {
	select {
	case p.calls <- struct{}{}:
		defer func() { <-p.calls }()
	default:
		return &sdk.Error{Status: http.StatusServiceUnavailable, Source: sdk.SourcePlugin, Cause: ErrBusy,
			Message: fmt.Sprintf("%d calls to %s are in progress; try again later", cap(p.calls), p.id)}
	}
	proc, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer proc.release()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.process, m.timer = proc, time.AfterFunc(limit, func() { cancel(errLate) })
	defer m.timer.Stop()
	err = do(ctx, proc.client, m)
	if err != nil && errors.Is(err, ctx.Err()) && context.Cause(ctx) == errLate {
		return &sdk.Error{Status: http.StatusGatewayTimeout, Source: sdk.SourcePlugin,
			Message: fmt.Sprintf("%s did not respond within %s", p.id, limit)}
	}
	return err
}

// QueryData sends queries to the plugin. After Limits.Query, the error is an *sdk.Error with status 504.
func (p *Plugin) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (responses sdk.QueryDataResponse, err error) {
	err = p.call(ctx, "query", p.options.Limits.Query, func(ctx context.Context, c *backend.Client, m *measurement) error {
		responses, err = c.QueryData(ctx, req)
		m.failed = sourceOfResponses(responses)
		return err
	})
	return responses, err
}

// CheckHealth checks the plugin's health. After Limits.Health, the error is an *sdk.Error with status 504.
func (p *Plugin) CheckHealth(ctx context.Context, req *sdk.CheckHealthRequest) (result *sdk.CheckHealthResult, err error) {
	var proc *Process
	err = p.call(ctx, "health", p.options.Limits.Health, func(ctx context.Context, c *backend.Client, m *measurement) error {
		proc = m.process
		result, err = c.CheckHealth(ctx, req)
		return err
	})
	p.checked(ctx, proc, req, result, err)
	return result, err
}

// CollectMetrics returns the metrics of the plugin's process; see
// backend.Client.CollectMetrics. It returns an *sdk.Error with status 504 after
// Limits.Health.
func (p *Plugin) CollectMetrics(ctx context.Context, req *sdk.CollectMetricsRequest) (text []byte, err error) {
	return unary(ctx, p, "metrics", p.options.Limits.Health, (*backend.Client).CollectMetrics, req)
}

func unary[Req, Res any](ctx context.Context, p *Plugin, kind string, limit time.Duration,
	do func(*backend.Client, context.Context, *Req) (Res, error), req *Req) (out Res, err error) {
	err = p.call(ctx, kind, limit, func(ctx context.Context, c *backend.Client, _ *measurement) error {
		out, err = do(c, ctx, req)
		return err
	})
	return out, err
}

// CallResource sends a request to the plugin's own endpoints; see
// backend.Client.CallResource. It returns an *sdk.Error with status 504 if the plugin
// sends nothing for Limits.Resource. The time that receive takes does not count.
func (p *Plugin) CallResource(ctx context.Context, req *backend.CallResourceRequest,
	receive func(backend.CallResourceResponse) error) error {
	limit := p.options.Limits.Resource
	return p.call(ctx, "resource", limit, func(ctx context.Context, c *backend.Client, m *measurement) error {
		return c.CallResource(ctx, req, func(part backend.CallResourceResponse) error {
			m.timer.Stop()
			defer m.timer.Reset(limit)
			if source := sourceOfStatus(part.Status); source != "" {
				m.failed = source
			}
			start := time.Now()
			defer func() { m.paused += time.Since(start) }()
			return receive(part)
		})
	})
}

// SubscribeStream subscribes a user to a channel; see backend.Client.SubscribeStream. It
// returns an *sdk.Error with status 504 after Limits.Channel.
func (p *Plugin) SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (initial json.RawMessage, err error) {
	return unary(ctx, p, "subscribe", p.options.Limits.Channel, (*backend.Client).SubscribeStream, req)
}

// PublishStream sends the message of a user to a channel; see
// backend.Client.PublishStream. It returns an *sdk.Error with status 504 after
// Limits.Channel.
func (p *Plugin) PublishStream(ctx context.Context, req *sdk.StreamRequest) (published json.RawMessage, err error) {
	return unary(ctx, p, "publish", p.options.Limits.Channel, (*backend.Client).PublishStream, req)
}

// RunStream runs a channel; see backend.Client.RunStream. It does not delay the replacement or
// the end of the process: it returns an *sdk.Error with status 503, and the caller can run the
// channel again in the next process. It has no time limit, does not count toward Limits.Calls
// and is not measured: the caller bounds how many streams run.
func (p *Plugin) RunStream(ctx context.Context, req *sdk.StreamRequest, receive func(json.RawMessage) error) error {
	proc, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer proc.release()
	retired := &sdk.Error{Status: http.StatusServiceUnavailable, Source: sdk.SourcePlugin, Message: "the process of " + p.id +
		" is being replaced or stopped"}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(proc.serving, func() { cancel(retired) })()
	err = proc.client.RunStream(ctx, req, receive)
	if err != nil && errors.Is(err, ctx.Err()) && context.Cause(ctx) == error(retired) {
		return retired
	}
	return err
}
