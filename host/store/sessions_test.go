package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// A session belongs to one user, is extended by use, and ends.
func TestSessions(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	s := open(t, store.Options{Clock: func() time.Time { return now }})
	testkit.Must(s.EnsureAdmin(t.Context(), "correct horse battery"))(t)
	admin := testkit.Must(s.User(t.Context(), host.AdminLogin))(t).Identity()
	other := admin
	other.ID = 99

	token, session, err := s.CreateSession(t.Context(), admin, "Browser\x00/1.0")
	if err != nil || session.UserAgent != "Browser/1.0" || !session.Expires.Equal(now.Add(host.SessionIdle)) {
		t.Fatalf("%+v, %v", session, err)
	}
	now = now.Add(host.SessionIdle - time.Second)
	who, used, err := s.SignedIn(t.Context(), token)
	if err != nil || who.ID != admin.ID || !used.Expires.Equal(now.Add(host.SessionIdle)) {
		t.Errorf("%+v, %+v, %v", who, used, err)
	}
	if all := testkit.Must(s.Sessions(t.Context(), admin.ID))(t); len(all) != 1 || !all[0].SeenAt.Equal(now) {
		t.Errorf("sessions %+v", all)
	}
	if all := testkit.Must(s.Sessions(t.Context(), other.ID))(t); len(all) != 0 {
		t.Errorf("sessions of another user: %+v", all)
	}
	if err := s.DeleteSession(t.Context(), other, session.ID); !errors.Is(err, host.ErrNotFound) {
		t.Errorf("another user ends it: %v", err)
	}
	if err := s.DeleteSession(t.Context(), admin, session.ID); err != nil {
		t.Error(err)
	}
	if _, _, err := s.SignedIn(t.Context(), token); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("an ended session: %v", err)
	}
	// A user has at most 50 sessions.
	first, _, err := s.CreateSession(t.Context(), admin, "first")
	for i := range 50 {
		if err == nil {
			_, _, err = s.CreateSession(t.Context(), admin, fmt.Sprint(i))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if all := testkit.Must(s.Sessions(t.Context(), admin.ID))(t); len(all) != 50 || all[0].UserAgent != "49" {
		t.Errorf("%d sessions, the latest %+v", len(all), all[0])
	}
	if _, _, err := s.SignedIn(t.Context(), first); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("the oldest of 51: %v", err)
	}
}

// A session that cannot be extended, as with a full disk, is valid until it would have ended.
func TestSessionThatIsNotExtended(t *testing.T) {
	t.Parallel()
	now := new(clock)
	s, ctx := open(t, store.Options{Clock: now.Now}), t.Context()
	testkit.Must(s.EnsureAdmin(ctx, "correct horse battery"))(t)
	token, created, err := s.CreateSession(ctx, testkit.Must(s.User(ctx, host.AdminLogin))(t).Identity(), "")
	if err != nil {
		t.Fatal(err)
	}
	refuse := "CREATE TRIGGER refuse BEFORE UPDATE ON sessions BEGIN SELECT RAISE(FAIL, 'refused'); END"
	if onPostgres() {
		refuse = "ALTER TABLE sessions ADD CHECK (seen_at = created_at)"
	}
	testkit.OK(t, s.Exec(ctx, refuse))
	now.Advance(host.SessionIdle - time.Second)
	if _, session, err := s.SignedIn(ctx, token); err != nil || !session.Expires.Equal(created.Expires) {
		t.Errorf("%+v, %v, want the expiry %s", session, err, created.Expires)
	}
	now.Advance(time.Second)
	if _, _, err := s.SignedIn(ctx, token); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("after the end: %v", err)
	}
}

// Sessions that have ended are deleted without another sign-in.
func TestPurgeSessions(t *testing.T) {
	t.Parallel()
	now := new(clock)
	s, ctx := open(t, store.Options{Clock: now.Now}), t.Context()
	testkit.Must(s.EnsureAdmin(ctx, "correct horse battery"))(t)
	admin := testkit.Must(s.User(ctx, host.AdminLogin))(t).Identity()
	for _, agent := range []string{"ended", "running"} {
		if _, _, err := s.CreateSession(ctx, admin, agent); err != nil {
			t.Fatal(err)
		}
		now.Advance(host.SessionIdle / 2)
	}
	testkit.Must(s.PurgeExpired(ctx))(t)
	now.Advance(-host.SessionIdle / 2) // lists contain only sessions that have not ended
	if all := testkit.Must(s.Sessions(ctx, admin.ID))(t); len(all) != 1 || all[0].UserAgent != "running" {
		t.Errorf("sessions %+v", all)
	}
}

// Sessions survive a restart with the same password, but not a new password.
func TestSessionsEndWithPassword(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{})
	testkit.Must(s.EnsureAdmin(t.Context(), "correct horse battery"))(t)
	admin := testkit.Must(s.User(t.Context(), host.AdminLogin))(t).Identity()
	token, _, err := s.CreateSession(t.Context(), admin, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, password := range []string{"correct horse battery", ""} {
		testkit.Must(s.EnsureAdmin(t.Context(), password))(t)
		if _, _, err := s.SignedIn(t.Context(), token); err != nil {
			t.Errorf("after a start with the password %q: %v", password, err)
		}
	}
	testkit.Must(s.EnsureAdmin(t.Context(), "another password"))(t)
	if _, _, err := s.SignedIn(t.Context(), token); !errors.Is(err, host.ErrUnauthorized) {
		t.Errorf("after the password changed: %v", err)
	}
}
