package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// defaultIdle is how long an instance that nobody uses is kept.
const defaultIdle = time.Hour

// lateFor is how long after a change of settings a request with older ones counts as
// one that was on its way, and not as another change.
const lateFor = time.Minute

// ErrSettingsChanged is the cause with which the context of a stream ends when the
// settings of its instance have changed. The host then runs the stream again, on the
// new instance.
var ErrSettingsChanged = errors.New("the settings have changed")

// Instances keeps a value of the author's, such as a client with its connections, for
// each data source or app and organisation. DataSources and Apps make one.
//
//   - A value is made when it is first asked for, once, however many ask, and shared.
//   - When settings change, the new value is made first and then the old one retired;
//     if that fails, requests get the error, and the old value is retired too.
//   - A retired value is closed exactly once, if it has a method Close() error, after
//     its last request and stream. The contexts of its streams end at once, with the
//     cause ErrSettingsChanged.
//   - One that has not been used for Idle is closed as well.
type Instances[T any] struct {
	// Idle is how long a value that nobody uses is kept: 0 is an hour, below 0 is
	// for ever. Set it before the first call.
	Idle time.Duration

	// subject is what an instance is made of: the data source of a call, or the settings
	// of the app as those of a data source without a name.
	subject func(Context) DataSource
	create  func(context.Context, DataSource) (T, error)

	mu      sync.Mutex
	slots   map[slotKey]*slot[T]
	closed  bool
	pending int           // instances being made, and those that are not closed yet
	settled chan struct{} // closed when pending falls to 0 after Close; nil before
	faults  []error       // of Close methods after Close
}

// DataSources makes the instances of a data source plugin. create gets the data
// source and its settings, decoded as DecodeSettings does, and returns what answers
// its requests. ctx is for making it only: it ends when create returns, or when everybody
// who waits has given up; start what lives longer with a context of your own, and end it
// in Close. A host may also call the plugin itself, without a data source: that is one without settings.
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

// Apps makes the instances of an app plugin, as DataSources does for data sources.
func Apps[S, T any](create func(ctx context.Context, app App, settings S) (T, error)) *Instances[T] {
	return &Instances[T]{
		slots: map[slotKey]*slot[T]{},
		subject: func(c Context) DataSource {
			if c.App == nil {
				return DataSource{}
			}
			return DataSource{Settings: c.App.Settings}
		},
		create: func(ctx context.Context, ds DataSource) (none T, err error) {
			settings, err := DecodeSettings[S](ds.Settings)
			if err != nil {
				return none, err
			}
			return create(ctx, App{Settings: ds.Settings}, settings)
		},
	}
}

// Hold returns the instance for a context, and what to call when it is no longer
// used. It waits for one that is being made. Plugin does this for every call.
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

// join takes the instance for a call, or joins those who wait for it to be made. Only a
// new call brings settings: one that comes back takes the newest.
func (i *Instances[T]) join(ctx context.Context, c Context, asked DataSource, isNew bool) (*instance[T], *build[T], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil, nil, Errorf(http.StatusServiceUnavailable, "the plugin is stopping")
	}
	key := slotKey{c.OrgID, c.Namespace, asked.UID, asked.ID}
	s := i.slots[key]
	if s == nil {
		s = &slot[T]{key: key, want: asked.clone(), caller: c, wanted: time.Now()}
		i.slots[key] = s
	}
	if isNew && !s.want.equal(&asked) && !s.isLate(asked) {
		s.want, s.caller, s.wanted = asked.clone(), c, time.Now()
		s.supersede() // what is being made is out of date; those who wait ask again
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

// isLate says whether a request with other settings was on its way when the newest
// ones came.
func (s *slot[T]) isLate(asked DataSource) bool {
	return asked.Updated.Before(s.want.Updated) && time.Since(s.wanted) < lateFor
}

// leave takes what was made, or gives up waiting for it. It returns nothing when the
// build was superseded: ask again.
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

// closePatience is how long Close waits, of the 2 s that a host gives a plugin to stop.
const closePatience = 1500 * time.Millisecond

// Close retires every instance and waits until all have been closed, which is when
// nobody uses them any more, but not longer than 1.5 s. It returns what their Close
// methods returned. It may be called more than once.
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
		timer := time.NewTimer(closePatience)
		defer timer.Stop()
		select {
		case <-settled:
		case <-timer.C:
			late = fmt.Errorf("instances are still in use, being made or being closed after %s", closePatience)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return errors.Join(append(i.faults, late)...)
}
