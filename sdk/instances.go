package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const defaultIdle = time.Hour

// lateFor is how long calls with older settings count as delayed, not as another change.
const lateFor = time.Minute

// ErrSettingsChanged is the cancellation cause of a stream's context when the settings of
// its instance have changed. The host runs the stream again, on the new instance.
var ErrSettingsChanged = errors.New("the settings have changed")

// Instances holds the author's instances, of type T: one for each data source or, for an
// app, one for each organization. [DataSources] and [Apps] return an Instances.
//
//   - An instance is created on the first call for it, and concurrent calls share it.
//   - When the settings have changed, the next call creates a new instance, and then
//     the old one is retired. If the new one cannot be created, calls fail, and the old
//     one is retired as well.
//   - A retired instance is closed once, after its last call, if it has a method
//     Close() error. The contexts of its streams end immediately with the cause
//     [ErrSettingsChanged].
//   - An instance that has not been used for the duration Idle is retired.
type Instances[T any] struct {
	// Idle is how long an unused instance is kept. 0 means one hour, and a negative
	// value means forever. Set it before the first call.
	Idle time.Duration

	// subject returns what an instance is created from: the data source of a call, or a
	// data source with the settings of the app.
	subject func(Context) DataSource
	create  func(context.Context, DataSource) (T, error)

	mu      sync.Mutex
	slots   map[slotKey]*slot[T]
	closed  bool
	pending int           // instances that are being created or not closed yet
	settled chan struct{} // closed when pending becomes 0 after Close; nil before Close

	closeErrs []error // of instances closed after Close
}

// DataSources returns the instances of a data source plugin. create returns the
// instance for a data source, whose settings were decoded by [DecodeSettings]. The
// context passed to create is canceled when create returns, or earlier if no call is
// waiting for it; a goroutine that outlives create needs a context of its own, which the
// instance's Close must cancel. For a call that is not about a data source, ds is the
// zero value.
func DataSources[S, T any](create func(ctx context.Context, ds DataSource, settings S) (T, error)) *Instances[T] {
	return &Instances[T]{
		slots: map[slotKey]*slot[T]{},
		subject: func(c Context) DataSource {
			if c.DataSource == nil {
				return DataSource{}
			}
			return *c.DataSource
		},
		create: func(ctx context.Context, ds DataSource) (none T, err error) {
			settings, err := DecodeSettings[S](ds.Settings)
			if err != nil {
				return none, err
			}
			return create(ctx, ds, settings)
		},
	}
}

// Apps returns the instances of an app plugin. See [DataSources].
func Apps[S, T any](create func(ctx context.Context, app App, settings S) (T, error)) *Instances[T] {
	i := DataSources(func(ctx context.Context, ds DataSource, settings S) (T, error) {
		return create(ctx, App{Settings: ds.Settings}, settings)
	})
	i.subject = func(c Context) DataSource {
		if c.App == nil {
			return DataSource{}
		}
		return DataSource{Settings: c.App.Settings}
	}
	return i
}

// Hold returns the instance for c. If there is none, Hold creates it. The caller must
// call release when it no longer uses the instance. [Instances.Plugin] does so for every
// call.
func (i *Instances[T]) Hold(ctx context.Context, c Context) (value T, release func(), err error) {
	held, err := i.hold(ctx, c)
	if err != nil {
		return value, nil, err
	}
	return held.value, sync.OnceFunc(func() { i.release(held) }), nil
}

func (i *Instances[T]) hold(ctx context.Context, c Context) (*instance[T], error) {
	asked := i.subject(c)
	for isNew := true; ; isNew = false {
		held, b, err := i.join(ctx, c, asked, isNew)
		if held != nil || err != nil {
			return held, err
		}
		select {
		case <-b.done:
		case <-ctx.Done():
		}
		held, err = i.leave(ctx, b)
		if held != nil || err != nil {
			return held, err
		}
	}
}

// join returns the instance for a call, or the build to wait for. Only a new call can
// change the settings of the slot; one that asks again takes the newest.
func (i *Instances[T]) join(ctx context.Context, c Context, asked DataSource, isNew bool) (*instance[T], *build[T], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil, nil, Errorf(http.StatusServiceUnavailable, "the plugin is shutting down")
	}
	key := slotKey{c.OrgID, c.Namespace, asked.UID, asked.ID}
	s := i.slots[key]
	if s == nil {
		s = &slot[T]{key: key, want: asked.clone(), caller: c, wanted: time.Now()}
		i.slots[key] = s
	}
	if isNew && !s.want.equal(&asked) && !s.isLate(asked) {
		s.want, s.caller, s.wanted = asked.clone(), c, time.Now()
		s.supersede() // its waiters ask again
	}
	if s.current != nil && s.current.made.equal(&s.want) {
		s.current.holders++
		return s.current, nil, nil
	}
	if s.build == nil {
		s.build = i.start(ctx, s)
	}
	s.build.waiters++
	return nil, s.build, nil
}

// isLate reports whether a call with other settings was sent before the newest ones came.
func (s *slot[T]) isLate(asked DataSource) bool {
	return asked.Updated.Before(s.want.Updated) && time.Since(s.wanted) < lateFor
}

// leave returns the result of a build or, if the build is not done, the error of ctx.
// It returns nils if the build was superseded.
func (i *Instances[T]) leave(ctx context.Context, b *build[T]) (*instance[T], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	b.waiters--
	select {
	case <-b.done:
	default:
		if b.waiters == 0 {
			b.slot.supersede()
			i.forgetLater(b.slot)
		}
		return nil, ctx.Err()
	}
	if b.made != nil && !b.made.isOut {
		b.made.holders++
		return b.made, nil
	}
	return nil, b.err
}

// closeTimeout is most of the 2 s that a host gives a plugin to stop.
const closeTimeout = 1500 * time.Millisecond

// Close retires every instance and waits until all are closed, for at most 1.5 s. It
// returns the errors of their Close methods. It may be called more than once.
func (i *Instances[T]) Close() error {
	i.mu.Lock()
	i.closed = true
	for key, s := range i.slots {
		s.supersede()
		i.retire(s)
		delete(i.slots, key)
	}
	if i.pending > 0 && i.settled == nil {
		i.settled = make(chan struct{})
	}
	settled := i.settled
	i.mu.Unlock()
	var late error
	if settled != nil {
		timer := time.NewTimer(closeTimeout)
		defer timer.Stop()
		select {
		case <-settled:
		case <-timer.C:
			late = fmt.Errorf("some instances were not closed within %s", closeTimeout)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return errors.Join(append(i.closeErrs, late)...)
}
