package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// While another process holds the write lock of a SQLite file, sessions work, and a write
// waits until its deadline. A slow reader holds up no write.
func TestBusy(t *testing.T) {
	t.Parallel()
	if onPostgres() {
		t.Skip("needs SQLite")
	}
	now, file, ctx := new(clock), newDatabase(t), t.Context()
	s := open(t, store.Options{Database: file, Clock: now.Now})
	hasty := open(t, store.Options{Database: file, Timeout: 100 * time.Millisecond})
	testkit.Must(s.EnsureAdmin(ctx, "correct horse battery"))(t)
	token, _, err := s.CreateSession(ctx, testkit.Must(s.User(ctx, host.AdminLogin))(t).Identity(), "")
	if err != nil {
		t.Fatal(err)
	}
	unlock := testkit.Must(store.Lock(ctx, file, "BEGIN", "SELECT * FROM users"))(t)
	testkit.Must(newPlaylist(ctx, s, "beside a reader"))(t)
	unlock()
	unlock = testkit.Must(store.Lock(ctx, file, "BEGIN IMMEDIATE"))(t)
	if _, err := newPlaylist(ctx, hasty, "x"); !errors.Is(err, host.ErrTimeout) {
		t.Errorf("write until the deadline: %v", err)
	}
	hurried, leave := context.WithTimeout(ctx, 50*time.Millisecond)
	defer leave()
	if _, err := newPlaylist(hurried, s, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("write of a caller that does not wait: %v", err)
	}
	written := make(chan error)
	go func() {
		_, err := newPlaylist(ctx, s, "waits")
		written <- err
	}()
	now.Advance(time.Hour)
	if _, _, err := s.SignedIn(ctx, token); err != nil {
		t.Errorf("session: %v", err)
	}
	unlock()
	if err := <-written; err != nil { // it has a longer deadline than the extension of the session
		t.Errorf("write: %v", err)
	}
}
