package sdk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"time"
)

// equal reports whether an instance created from d is also valid for o.
func (d *DataSource) equal(o *DataSource) bool {
	return d.ID == o.ID && d.UID == o.UID && d.Name == o.Name && d.URL == o.URL && d.User == o.User && d.Database == o.Database &&
		d.BasicAuth == o.BasicAuth && d.BasicAuthUser == o.BasicAuthUser && d.Settings.equal(o.Settings)
}

// clone returns a copy that shares nothing the author could change.
func (d *DataSource) clone() DataSource {
	c := *d
	c.JSON, c.Secrets = bytes.Clone(d.JSON), maps.Clone(d.Secrets)
	return c
}

func (s Settings) equal(o Settings) bool {
	return s.Updated.Equal(o.Updated) && s.APIVersion == o.APIVersion && bytes.Equal(s.JSON, o.JSON) && maps.Equal(s.Secrets, o.Secrets)
}

// slotKey identifies what an instance is for; uid and id are those of a data source.
type slotKey struct {
	orgID     int64
	namespace string
	uid       string
	id        int64
}

// slot holds the instance of one key. Instances.mu guards it, its build and its instance.
type slot[T any] struct {
	key     slotKey
	want    DataSource // the newest settings of a call
	caller  Context    // of that call
	wanted  time.Time  // time of that call
	current *instance[T]
	build   *build[T] // running, for want; or nil
}

type build[T any] struct {
	slot    *slot[T]
	done    chan struct{} // closed when create has returned or the build is superseded
	cancel  context.CancelFunc
	waiters int
	made    *instance[T]
	err     error // made and err are nil if the build was superseded
}

// instance is one of the author's instances, with the number of its users.
type instance[T any] struct {
	value   T
	slot    *slot[T]
	made    DataSource         // the settings it was created from
	live    context.Context    // ends when the instance is retired
	retired context.CancelFunc // ends live
	holders int
	used    time.Time   // time of the last release
	timer   *time.Timer // checks whether the instance is idle; or nil
	isOut   bool        // retired: to be closed with the last release
}

func (s *slot[T]) supersede() {
	if s.build != nil {
		s.build.cancel()
		close(s.build.done)
		s.build = nil
	}
}

// start builds an instance for the newest settings of a slot. The build outlives the
// call that starts it, as long as another one waits.
func (i *Instances[T]) start(ctx context.Context, s *slot[T]) *build[T] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := &build[T]{slot: s, done: make(chan struct{}), cancel: cancel}
	want, caller := s.want, s.caller
	i.pending++
	go func() {
		defer cancel()
		var value T
		err := error(Errorf(http.StatusInternalServerError, "the plugin could not be set up with these settings; see its log"))
		defer func() { // also if create calls runtime.Goexit
			if p := recover(); p != nil {
				loggerOf(ctx).ErrorContext(ctx, "creating an instance panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
			i.publish(b, want, value, err)
		}()
		value, err = i.create(withContext(ctx, caller, nil), want.clone())
	}()
	return b
}

// publish makes the result of a build current, unless the build was superseded.
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

// forgetLater deletes a slot, which holds secrets, unless it is used again.
func (i *Instances[T]) forgetLater(s *slot[T]) {
	time.AfterFunc(lateFor, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if s.current == nil && s.build == nil && i.slots[s.key] == s {
			delete(i.slots, s.key)
		}
	})
}

// settle decrements the number of instances that Close waits for.
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

// watch retires an instance that has not been used for the idle time.
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

// dispose closes a retired instance that has no users.
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
			i.closeErrs = append(i.closeErrs, err)
		default:
			slog.Error("close instance", "error", err)
		}
	}()
}

func closeSafely(c io.Closer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("close instance: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Close()
}
