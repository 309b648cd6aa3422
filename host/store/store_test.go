package store_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func open(t *testing.T, o store.Options) *store.Store {
	t.Helper()
	if o.Database == "" {
		o.Database = newDatabase(t)
	}
	s := testkit.Must(store.Open(t.Context(), o))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

const org = store.MainOrg

func as(role host.Role) host.Identity { return host.Identity{OrgID: org, Role: role} }

func TestOpenMakesPrivateFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data #1?%41", "deeper")
	s := open(t, store.Options{Database: filepath.Join(dir, "slipway.db")})
	testkit.Must(s.CreateFolder(t.Context(), org, host.Folder{Title: "x"}))(t)
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]fs.FileMode{
		".": 0o700, "slipway.db": 0o600, "slipway.db-wal": 0o600, "slipway.db-shm": 0o600,
	} {
		if info := testkit.Must(os.Stat(filepath.Join(dir, name)))(t); info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
}

func TestOpenTemporary(t *testing.T) {
	t.Parallel()
	s := testkit.Must(store.Open(t.Context(), store.Options{}))(t)
	testkit.Must(s.CreateFolder(t.Context(), org, host.Folder{Title: "x"}))(t)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Ping(t.Context()); err == nil {
		t.Error("a closed store responds")
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	testkit.OK(t, os.WriteFile(garbage, []byte(strings.Repeat("not a database ", 100)), 0o600))
	newer := filepath.Join(dir, "newer.db")
	testkit.OK(t, testkit.Must(store.Open(t.Context(), store.Options{Database: newer}))(t).Close())
	db := testkit.Must(sql.Open("sqlite", newer))(t)
	testkit.Must(db.Exec("INSERT INTO schema_migrations VALUES (9999, 'from the future', 0)"))(t)
	testkit.OK(t, db.Close())
	for path, want := range map[string]string{
		garbage: "the file is damaged", newer: "newer version", dir: "is a directory", filepath.Join(garbage, "x.db"): "not a directory",
	} {
		s, err := store.Open(t.Context(), store.Options{Database: path})
		if err == nil || !strings.Contains(err.Error(), want) || s != nil {
			t.Errorf("Open(%s): %v, want %q", path, err, want)
		}
	}
}

// Several hosts can create the database at the same time.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := newDatabase(t)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			s, err := store.Open(t.Context(), store.Options{Database: path})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, err := s.CreateFolder(t.Context(), org, host.Folder{Title: fmt.Sprint(n)}); err != nil {
				t.Error(err)
			}
			if _, err := s.ReconcilePluginAccount(t.Context(), org, "acme-app", fmt.Sprint("host-", n), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := open(t, store.Options{Database: path})
	if folders := testkit.Must(s.Folders(t.Context(), org, nil, store.Page{}))(t); len(folders) != 8 {
		t.Errorf("%d folders", len(folders))
	}
	accounts, total, err := s.ServiceAccounts(t.Context(), org, store.AccountFilter{})
	if err != nil || total != 1 || accounts[0].Tokens != 8 {
		t.Errorf("accounts %+v, %d, %v", accounts, total, err)
	}
}

// A host waits for another one that migrates the schema, however long that takes.
func TestOpenWaitsForMigration(t *testing.T) {
	t.Parallel()
	if !onPostgres() {
		t.Skip("needs PostgreSQL")
	}
	ctx, database := t.Context(), newDatabase(t)
	db := testkit.Must(sql.Open("pgx", database))(t)
	defer db.Close()
	migration := testkit.Must(db.BeginTx(ctx, nil))(t)
	defer migration.Rollback()
	testkit.Must(migration.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", store.MigrationLock))(t)
	const timeout = time.Second / 2
	opened := make(chan error, 1)
	go func() {
		s, err := store.Open(ctx, store.Options{Database: database, Timeout: timeout})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	for hasWaited := false; !hasWaited; {
		testkit.OK(t, db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_locks
			WHERE NOT granted AND locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
				AND waitstart < clock_timestamp() - $1 * interval '1 second')`, 2*timeout.Seconds()).Scan(&hasWaited))
		select {
		case err := <-opened:
			t.Fatalf("Open during a migration: %v", err)
		default:
		}
	}
	testkit.OK(t, migration.Rollback())
	if err := <-opened; err != nil {
		t.Errorf("Open after a migration: %v", err)
	}
}

// Only one of several hosts that start at the same time generates the admin password.
func TestEnsureAdmin(t *testing.T) {
	t.Parallel()
	path := newDatabase(t)
	first, second := open(t, store.Options{Database: path}), open(t, store.Options{Database: path})
	var shown []string
	for _, s := range []*store.Store{first, second, first} {
		if password := testkit.Must(s.EnsureAdmin(t.Context(), ""))(t); password != "" {
			shown = append(shown, password)
		}
	}
	if len(shown) != 1 {
		t.Fatalf("generated %d passwords, want 1", len(shown))
	}
	matches := func(password string) bool {
		u := testkit.Must(second.User(t.Context(), host.AdminLogin))(t)
		return host.IsPassword(password, u.PasswordHash)
	}
	if !matches(shown[0]) {
		t.Error("the generated password does not match")
	}
	testkit.Must(first.EnsureAdmin(t.Context(), "given by hand"))(t)
	if !matches("given by hand") || matches(shown[0]) {
		t.Error("the new password did not replace the generated one")
	}
}

func second[T any](_ T, err error) error { return err }
