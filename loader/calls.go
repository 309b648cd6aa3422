package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/sdk"
)

// Limits bound the time and memory that calls to plugins use. A zero value means the default.
type Limits struct {
	Health   time.Duration // for a health check or metrics; 30 s
	Query    time.Duration // for the queries of one call; 2 min
	Resource time.Duration // until the first part of a response and between its parts; 2 min
	Channel  time.Duration // to subscribe to a channel or to publish to it; 10 s

	Calls   int   // in progress per plugin; 256
	Message int   // size of one message of a plugin in bytes; 32 MiB
	Held    int64 // bytes held of large messages of all plugins; 96 MiB, of which one plugin may use two thirds
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Health:   cmp.Or(l.Health, 30*time.Second),
		Query:    cmp.Or(l.Query, 2*time.Minute),
		Resource: cmp.Or(l.Resource, 2*time.Minute),
		Channel:  cmp.Or(l.Channel, 10*time.Second),
		Calls:    cmp.Or(l.Calls, 256),
		Message:  cmp.Or(l.Message, 32<<20),
		Held:     cmp.Or(l.Held, 96<<20),
	}
}

// Use calls do with a client of the running process and keeps that process until do
// returns. It waits for a process that is starting or restarting. If there is none,
// the error explains why. If Limits.Calls are in progress, the error is an *sdk.Error with status
// 503 and the cause ErrBusy. Large responses count against Limits.Held until do returns or
// the lease of ctx is released.
func (p *Plugin) Use(ctx context.Context, do func(*backend.Client) error) error {
	return p.measure(ctx, CallOther, func(*measurement) error {
		return p.use(ctx, func(_ *Process, c *backend.Client) error { return do(c) })
	})
}

func (p *Plugin) use(ctx context.Context, do func(*Process, *backend.Client) error) error {
	select {
	case p.calls <- struct{}{}:
		defer func() { <-p.calls }()
	default:
		return &sdk.Error{Status: http.StatusServiceUnavailable, Source: sdk.SourcePlugin, Cause: ErrBusy,
			Message: fmt.Sprintf("%d calls to %s are in progress; try again later", cap(p.calls), p.id)}
	}
	l := leaseOf(ctx)
	if l == nil {
		l = &lease{factor: 1}
		defer l.release()
	}
	proc, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer proc.release()
	return do(proc, backend.New(&conn{proc.connection, p.id, p.share, l, func(method string) { p.panicked(proc, method) }, false}))
}

// measurement is a call in progress.
type measurement struct {
	process *Process // that is called
	timer   *time.Timer
	paused  time.Duration // does not count
	failed  sdk.Source    // the source of an error in the response, or ""
}

// measure runs a call of a kind and records its figures.
func (p *Plugin) measure(ctx context.Context, kind Call, do func(*measurement) error) error {
	m, start := &measurement{}, time.Now()
	err := do(m)
	if source := sourceOf(err, ctx.Err() != nil); source != "" {
		m.failed = source
	}
	p.figures.called(kind, max(time.Since(start)-m.paused, 0), m.failed)
	return err
}

// errLate is the cause of the end of a context whose call took too long.
var errLate = errors.New("no response in time")

// within is use with a context that is canceled after limit, unless do stops or resets the
// timer. The error is then an *sdk.Error with status 504. The context has no deadline: gRPC
// would send it to the plugin, whose clock could end the call first, with another error. A
// plugin that is being debugged has no limit.
func (p *Plugin) within(ctx context.Context, kind Call, limit time.Duration, do func(ctx context.Context, c *backend.Client, m *measurement) error) error {
	return p.measure(ctx, kind, func(m *measurement) error {
		return p.use(ctx, func(proc *Process, c *backend.Client) error {
			m.process = proc
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			m.timer = time.AfterFunc(limit, func() { cancel(errLate) })
			defer m.timer.Stop()
			err := do(ctx, c, m)
			if err != nil && errors.Is(err, ctx.Err()) && context.Cause(ctx) == errLate {
				return &sdk.Error{Status: http.StatusGatewayTimeout, Source: sdk.SourcePlugin,
					Message: fmt.Sprintf("%s did not respond within %s", p.id, limit)}
			}
			return err
		})
	})
}

// QueryData sends queries to the plugin. It returns an *sdk.Error with status 504 after
// Limits.Query.
func (p *Plugin) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (responses sdk.QueryDataResponse, err error) {
	err = p.within(ctx, CallQuery, p.options.Limits.Query, func(ctx context.Context, c *backend.Client, m *measurement) error {
		responses, err = c.QueryData(ctx, req)
		m.failed = sourceOfResponses(responses)
		return err
	})
	return responses, err
}

// CheckHealth runs the plugin's health check. It returns an *sdk.Error with status 504
// after Limits.Health.
func (p *Plugin) CheckHealth(ctx context.Context, req *sdk.CheckHealthRequest) (result *sdk.CheckHealthResult, err error) {
	var proc *Process
	err = p.within(ctx, CallHealth, p.options.Limits.Health, func(ctx context.Context, c *backend.Client, m *measurement) error {
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
	err = p.within(ctx, CallMetrics, p.options.Limits.Health, func(ctx context.Context, c *backend.Client, _ *measurement) error {
		text, err = c.CollectMetrics(ctx, req)
		return err
	})
	return text, err
}

// CallResource sends a request to the plugin's own endpoints; see
// backend.Client.CallResource. It returns an *sdk.Error with status 504 if the plugin
// sends nothing for Limits.Resource. The time that receive takes does not count.
func (p *Plugin) CallResource(ctx context.Context, req *backend.CallResourceRequest, receive func(backend.CallResourceResponse) error) error {
	limit := p.options.Limits.Resource
	return p.within(ctx, CallResource, limit, func(ctx context.Context, c *backend.Client, m *measurement) error {
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
