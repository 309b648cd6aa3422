package sdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
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

// equal compares what an instance is made of.
func (d *DataSource) equal(o *DataSource) bool {
	return d.ID == o.ID && d.UID == o.UID && d.Name == o.Name && d.URL == o.URL && d.User == o.User && d.Database == o.Database &&
		d.BasicAuth == o.BasicAuth && d.BasicAuthUser == o.BasicAuthUser && d.Settings.equal(o.Settings)
}

// clone shares nothing that the author may change.
func (d *DataSource) clone() DataSource {
	c := *d
	c.JSON, c.Secrets = bytes.Clone(d.JSON), maps.Clone(d.Secrets)
	return c
}

func (s Settings) equal(o Settings) bool {
	return s.Updated.Equal(o.Updated) && s.APIVersion == o.APIVersion && bytes.Equal(s.JSON, o.JSON) && maps.Equal(s.Secrets, o.Secrets)
}

// slotKey is what an instance is for; uid and id are those of a data source.
type slotKey struct {
	orgID     int64
	namespace string
	uid       string
	id        int64
}

// slot holds the instance of one key. Its fields, and those of build and instance,
// are guarded by Instances.mu.
type slot[T any] struct {
	key     slotKey
	want    DataSource // the newest settings that were asked for
	caller  Context    // of the call that brought them
	wanted  time.Time  // since when
	current *instance[T]
	build   *build[T] // under way, for want; or nil
}

// build is a factory under way.
type build[T any] struct {
	slot    *slot[T]
	done    chan struct{} // it ended or was superseded
	cancel  context.CancelFunc
	waiters int
	made    *instance[T]
	err     error // both are nil when it was superseded
}

// instance is a value with the count of those who use it.
type instance[T any] struct {
	value   T
	slot    *slot[T]
	made    DataSource         // what it was made of
	live    context.Context    // ends when it is retired
	retired context.CancelFunc // ends live
	holders int
	used    time.Time   // when the last holder let go of it
	timer   *time.Timer // looks now and then whether it has been idle for too long; or nil
	isOut   bool        // retired: closed with the last holder
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

// supersede gives up what is being made.
func (s *slot[T]) supersede() {
	if s.build != nil {
		s.build.cancel()
		close(s.build.done)
		s.build = nil
	}
}

// start makes an instance for the newest settings of a slot. It does not end with
// the first request that needs it, only with the last.
func (i *Instances[T]) start(ctx context.Context, s *slot[T]) *build[T] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := &build[T]{slot: s, done: make(chan struct{}), cancel: cancel}
	want, caller := s.want, s.caller
	i.pending++
	go func() {
		defer cancel()
		var value T
		err := error(Errorf(http.StatusInternalServerError, "the plugin could not be set up for these settings: its log says why"))
		defer func() { // also when create ends the goroutine
			if p := recover(); p != nil {
				logOf(ctx).ErrorContext(ctx, "the instance could not be made: panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
			i.publish(b, want, value, err)
		}()
		value, err = i.create(withContext(ctx, caller, nil), want.clone())
	}()
	return b
}

// publish makes what a build made the current instance of its slot, unless the build
// was superseded.
func (i *Instances[T]) publish(b *build[T], want DataSource, value T, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := b.slot
	var made *instance[T]
	if err == nil {
		made = &instance[T]{value: value, slot: s, made: want, used: time.Now()}
		made.live, made.retired = context.WithCancel(context.Background())
	} else {
		i.settle()
	}
	if s.build != b { // superseded
		if made != nil {
			i.expel(made)
		}
		return
	}
	i.retire(s)
	s.build, s.current = nil, made
	b.made, b.err = made, err
	close(b.done)
	if made != nil {
		i.watch(made)
	} else {
		i.forgetLater(s)
	}
}

// forgetLater drops a slot, which holds secrets, if nothing comes into it any more.
func (i *Instances[T]) forgetLater(s *slot[T]) {
	time.AfterFunc(lateFor, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if s.current == nil && s.build == nil && i.slots[s.key] == s {
			delete(i.slots, s.key)
		}
	})
}

// settle counts one instance less that Close waits for.
func (i *Instances[T]) settle() {
	i.pending--
	if i.pending == 0 && i.settled != nil {
		close(i.settled)
		i.settled = nil
	}
}

func (i *Instances[T]) release(in *instance[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	in.holders--
	in.used = time.Now()
	if in.holders == 0 && in.isOut {
		i.dispose(in)
	}
}

// watch closes an instance that nobody has used for the idle time.
func (i *Instances[T]) watch(in *instance[T]) {
	idle := i.Idle
	if idle == 0 {
		idle = defaultIdle
	}
	if idle < 0 {
		return
	}
	in.timer = time.AfterFunc(idle, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		left := idle - time.Since(in.used)
		switch {
		case in.isOut:
		case in.holders > 0:
			in.timer.Reset(idle)
		case left > 0:
			in.timer.Reset(left)
		default:
			i.retire(in.slot)
			if in.slot.build == nil {
				delete(i.slots, in.slot.key)
			}
		}
	})
}

// retire takes the instance of a slot out of use.
func (i *Instances[T]) retire(s *slot[T]) {
	if s.current != nil {
		i.expel(s.current)
		s.current = nil
	}
}

func (i *Instances[T]) expel(in *instance[T]) {
	in.isOut = true
	in.retired()
	if in.timer != nil {
		in.timer.Stop()
	}
	if in.holders == 0 {
		i.dispose(in)
	}
}

// dispose closes a retired instance that has no holder.
func (i *Instances[T]) dispose(in *instance[T]) {
	closer, ok := any(in.value).(io.Closer)
	if !ok {
		i.settle()
		return
	}
	go func() {
		err := closeSafely(closer)
		i.mu.Lock()
		defer i.mu.Unlock()
		defer i.settle()
		switch {
		case err == nil:
		case i.closed:
			i.faults = append(i.faults, err)
		default:
			slog.Error("an instance did not close cleanly", "error", err)
		}
	}()
}

func closeSafely(c io.Closer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("closing the instance panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Close()
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
