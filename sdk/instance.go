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
