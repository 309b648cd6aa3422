package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testdb"
)

func newPlaylist(ctx context.Context, s *store.Store, name string) (string, error) {
	p, err := s.CreatePlaylist(ctx, org, host.Playlist{Name: name, Interval: "5m"})
	return p.UID, err
}

// A write to a full database is refused with the reason, the health check reports it, what
// was acknowledged can be read, and writes succeed again when there is room.
func TestFull(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	fill, empty := "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1073741823"
	if testdb.IsWanted() {
		if err := s.Exec(ctx, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
			$$BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END$$`); err != nil {
			t.Fatal(err)
		}
		fill = `CREATE TRIGGER p BEFORE INSERT ON playlists EXECUTE FUNCTION full_disk();
			CREATE TRIGGER d BEFORE UPDATE ON database_identity EXECUTE FUNCTION full_disk()`
		empty = "DROP TRIGGER p ON playlists; DROP TRIGGER d ON database_identity"
	}
	if err := s.Exec(ctx, fill); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	var err error
	for n := 0; err == nil && n < 1000; n++ {
		var uid string
		if uid, err = newPlaylist(ctx, s, strings.Repeat("x", 100)); err == nil {
			acknowledged = append(acknowledged, uid)
		}
	}
	if !errors.Is(err, host.ErrFull) || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatalf("write to a full database: %v", err)
	}
	if err := s.Ping(ctx); testdb.IsWanted() && !errors.Is(err, host.ErrFull) {
		t.Errorf("health of a full database: %v", err)
	}
	for _, uid := range acknowledged {
		must(s.Playlist(ctx, org, uid))(t)
	}
	if err := s.Exec(ctx, empty); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(ctx); err != nil {
		t.Errorf("health of a database that has room again: %v", err)
	}
	must(newPlaylist(ctx, s, "x"))(t)
	t.Logf("%d acknowledged, then: %v", len(acknowledged), err)
}

// A database that is deleted, emptied or replaced is noticed by the next write and by the
// health check.
func TestLostFile(t *testing.T) {
	t.Parallel()
	if testdb.IsWanted() {
		t.Skip("needs SQLite")
	}
	for name, lose := range map[string]func(file, other string) error{
		"deleted":  func(file, _ string) error { return os.Remove(file) },
		"emptied":  func(file, _ string) error { return os.Truncate(file, 0) },
		"replaced": func(file, other string) error { return os.Rename(other, file) },
		"overwritten": func(file, other string) error {
			text, err := os.ReadFile(other)
			if err != nil {
				return err
			}
			return os.WriteFile(file, text, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, file, other := t.Context(), testdb.New(t), testdb.New(t)
			if err := must(store.Open(ctx, store.Options{Database: other}))(t).Close(); err != nil {
				t.Fatal(err)
			}
			s := must(store.Open(ctx, store.Options{Database: file}))(t)
			defer func() { _ = s.Close() }() // the last connection may report the damage
			must(newPlaylist(ctx, s, "before"))(t)
			if err := s.Ping(ctx); err != nil {
				t.Fatal(err)
			}
			if err := lose(file, other); err != nil {
				t.Fatal(err)
			}
			_, err := newPlaylist(ctx, s, "after")
			for what, err := range map[string]error{"write": err, "health": s.Ping(ctx)} {
				if !errors.Is(err, host.ErrUnavailable) || !strings.Contains(err.Error(), "deleted, emptied or replaced") {
					t.Errorf("%s: %v", what, err)
				}
			}
			t.Log(err)
		})
	}
}

// After a database was lost, a backup can be restored before or after the store is closed:
// the log of the lost database does not damage it.
func TestRestored(t *testing.T) {
	t.Parallel()
	if testdb.IsWanted() {
		t.Skip("needs SQLite")
	}
	for name, lose := range map[string]func(file string) error{
		"deleted":     os.Remove,
		"emptied":     func(file string) error { return os.Truncate(file, 0) },
		"overwritten": func(file string) error { return os.WriteFile(file, make([]byte, 1<<16), 0o600) },
	} {
		for _, isRunning := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/running=%t", name, isRunning), func(t *testing.T) {
				t.Parallel()
				ctx, file := t.Context(), testdb.New(t)
				backup := file + ".backup"
				s := must(store.Open(ctx, store.Options{Database: file}))(t)
				kept := must(newPlaylist(ctx, s, "kept"))(t)
				if err := s.Exec(ctx, "VACUUM INTO $1", backup); err != nil {
					t.Fatal(err)
				}
				for n := range 200 {
					must(newPlaylist(ctx, s, strings.Repeat("x", 100)))(t)
					if n == 150 { // so that the log does not contain all that has changed
						if err := s.Exec(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := lose(file); err != nil {
					t.Fatal(err)
				}
				if err := s.Ping(ctx); !errors.Is(err, host.ErrUnavailable) {
					t.Errorf("health: %v", err)
				}
				restore := func() {
					if err := os.WriteFile(file, must(os.ReadFile(backup))(t), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if isRunning {
					restore()
					if err := s.Ping(ctx); !errors.Is(err, host.ErrUnavailable) {
						t.Errorf("health of a store whose file was restored while it was open: %v", err)
					}
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if !isRunning {
					restore()
				}
				restarted := filepath.Join(t.TempDir(), "slipway.db") // what another process finds
				for _, suffix := range []string{"", "-wal"} {
					text, err := os.ReadFile(file + suffix)
					if err == nil {
						err = os.WriteFile(restarted+suffix, text, 0o600)
					}
					if err != nil && !errors.Is(err, os.ErrNotExist) {
						t.Fatal(err)
					}
				}
				s = must(store.Open(ctx, store.Options{Database: restarted}))(t)
				must(s.Playlist(ctx, org, kept))(t)
				must(newPlaylist(ctx, s, "after"))(t)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				check(t, restarted)
			})
		}
	}
}

// A file that was moved away contains all that was acknowledged.
func TestMoved(t *testing.T) {
	t.Parallel()
	if testdb.IsWanted() {
		t.Skip("needs SQLite")
	}
	ctx, file := t.Context(), testdb.New(t)
	s := must(store.Open(ctx, store.Options{Database: file}))(t)
	uid := must(newPlaylist(ctx, s, "x"))(t)
	if err := os.Rename(file, file+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s = must(store.Open(ctx, store.Options{Database: file + ".moved"}))(t)
	must(s.Playlist(ctx, org, uid))(t)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A read does not create a file in the place of one that was deleted.
func TestReadDeleted(t *testing.T) {
	t.Parallel()
	if testdb.IsWanted() {
		t.Skip("needs SQLite")
	}
	ctx, file := t.Context(), testdb.New(t)
	s := must(store.Open(ctx, store.Options{Database: file}))(t)
	defer func() { _ = s.Close() }()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Playlists(ctx, org, "", store.Page{}); !errors.Is(err, host.ErrUnavailable) { // needs a new connection
		t.Errorf("read: %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
}

// A token that is not found in a file that was overwritten is not called invalid.
func TestReadLost(t *testing.T) {
	t.Parallel()
	if testdb.IsWanted() {
		t.Skip("needs SQLite")
	}
	ctx, file, other := t.Context(), testdb.New(t), testdb.New(t)
	if err := must(store.Open(ctx, store.Options{Database: other}))(t).Close(); err != nil {
		t.Fatal(err)
	}
	s := must(store.Open(ctx, store.Options{Database: file}))(t)
	defer func() { _ = s.Close() }()
	uid := must(newPlaylist(ctx, s, "x"))(t)
	if err := os.WriteFile(file, must(os.ReadFile(other))(t), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file+"-wal", 0); err != nil { // as after a checkpoint
		t.Fatal(err)
	}
	if _, err := s.Playlist(ctx, org, uid); !errors.Is(err, host.ErrUnavailable) {
		t.Errorf("read: %v", err)
	}
}

// A damaged file is explained when it is opened.
func TestOpenDamaged(t *testing.T) {
	t.Parallel()
	if testdb.IsWanted() {
		t.Skip("needs SQLite")
	}
	file := testdb.New(t)
	if err := os.WriteFile(file, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{Database: file})
	if err == nil {
		_ = s.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "the file is damaged") {
		t.Errorf("open: %v", err)
	}
}

// A database without its tables or its identity is noticed.
func TestLostTables(t *testing.T) {
	t.Parallel()
	statements := []string{"DELETE FROM database_identity", "DROP TABLE database_identity", "UPDATE database_identity SET id = 'other'"}
	if testdb.IsWanted() {
		statements = append(statements, "DROP SCHEMA public CASCADE")
	}
	for _, lose := range statements {
		s, ctx := open(t, store.Options{}), t.Context()
		if err := s.Exec(ctx, lose); err != nil {
			t.Fatal(err)
		}
		if err := s.Ping(ctx); !errors.Is(err, host.ErrUnavailable) || !strings.Contains(err.Error(), "deleted, emptied or replaced") {
			t.Errorf("health after %s: %v", lose, err)
		}
	}
}

// A frozen server delays callers until their deadlines, and no longer. When it resumes,
// so do they.
func TestFrozen(t *testing.T) {
	if !testdb.IsWanted() {
		t.Skip("needs PostgreSQL: set " + testdb.Env + "=postgres")
	}
	const timeout = 3 * time.Second
	s, ctx := open(t, store.Options{Timeout: timeout}), t.Context()
	uid := must(newPlaylist(ctx, s, "x"))(t)
	thaw := testdb.Freeze(t)
	defer thaw()
	var group sync.WaitGroup
	for n := range 30 { // more than there are connections
		for what, do := range map[string]func() error{
			"list":   func() error { _, err := s.Playlists(ctx, org, "", store.Page{}); return err },
			"login":  func() error { _, err := s.User(ctx, host.AdminLogin); return err },
			"health": func() error { return s.Ping(ctx) },
			"write":  func() error { _, err := newPlaylist(ctx, s, fmt.Sprint(n)); return err },
		} {
			group.Go(func() {
				start := time.Now()
				if err := do(); !errors.Is(err, host.ErrTimeout) {
					t.Errorf("%s of a frozen database: %v", what, err)
				}
				if took := time.Since(start); n == 0 {
					t.Logf("%s: %v", what, took)
				}
			})
		}
	}
	group.Wait()
	thaw()
	must(s.Playlist(ctx, org, uid))(t)
	if err := s.Ping(ctx); err != nil {
		t.Errorf("health after the server resumed: %v", err)
	}
}

// During a restart of the server, callers get host.ErrUnavailable and nothing else, and
// what was acknowledged is there afterward.
func TestRestarted(t *testing.T) {
	if !testdb.IsWanted() {
		t.Skip("needs PostgreSQL: set " + testdb.Env + "=postgres")
	}
	s, ctx := open(t, store.Options{}), t.Context()
	var group sync.WaitGroup
	var mu sync.Mutex
	var acknowledged []string
	var unavailable, reads atomic.Int64
	stop := make(chan struct{})
	for n := range 16 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				uid, err := newPlaylist(ctx, s, fmt.Sprint(n))
				if err == nil {
					mu.Lock()
					acknowledged = append(acknowledged, uid)
					mu.Unlock()
					_, err = s.Playlist(ctx, org, uid)
					reads.Add(1)
				}
				if errors.Is(err, host.ErrUnavailable) {
					unavailable.Add(1)
				} else if err != nil {
					t.Errorf("during a restart: %v", err)
				}
			}
		})
	}
	func() {
		defer group.Wait()
		defer close(stop)
		for range 3 {
			time.Sleep(200 * time.Millisecond) // load between restarts
			testdb.Restart(t)
		}
	}()
	for _, uid := range acknowledged {
		must(s.Playlist(ctx, org, uid))(t)
	}
	t.Logf("%d acknowledged, %d read, %d unavailable", len(acknowledged), reads.Load(), unavailable.Load())
}
