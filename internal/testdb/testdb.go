// Package testdb gives tests their databases: a SQLite file each, or, with
// SLIPWAY_TEST_DATABASE=postgres, one each on a PostgreSQL server of their own, in a
// temporary folder, on a Unix socket. The same tests run on both.
package testdb

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Env is the environment variable that chooses the database of the tests.
const Env = "SLIPWAY_TEST_DATABASE"

// IsWanted says whether the tests are to run on PostgreSQL.
func IsWanted() bool { return os.Getenv(Env) == "postgres" }

// Bin returns the folder of PostgreSQL's programs, or an error that says what to
// install.
func Bin() (string, error) {
	if name, err := exec.LookPath("initdb"); err == nil {
		if name, err = filepath.EvalSymlinks(name); err == nil {
			return filepath.Dir(name), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian keeps them off the PATH
	if len(found) == 0 {
		return "", errors.New("PostgreSQL is not installed (Debian: apt-get install postgresql)")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// Main runs the tests of a package, beside a server if one is asked for, and
// returns the status to exit with.
func Main(m *testing.M) int {
	if !IsWanted() {
		return m.Run()
	}
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start PostgreSQL:", err)
		return 1
	}
	status := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		return 1
	}
	return status
}

// envSocket tells the tests where the server of their process is.
const envSocket = "SLIPWAY_TEST_POSTGRES_SOCKET"

// New returns the name of a new database, for store.Options, that is removed with
// the test.
func New(t testing.TB) string {
	t.Helper()
	if !IsWanted() {
		return filepath.Join(t.TempDir(), "slipway.db")
	}
	name := "slipway_" + strings.ToLower(rand.Text())
	execute(t.Context(), t, "CREATE DATABASE "+name)
	t.Cleanup(func() { execute(context.Background(), t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return address(name)
}

// execute runs a statement on the server itself.
func execute(ctx context.Context, t testing.TB, statement string) {
	t.Helper()
	db, err := pgx.Connect(ctx, address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	if _, err := db.Exec(ctx, statement); err != nil {
		t.Error(err)
	}
}

func address(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/" + database,
		RawQuery: url.Values{"host": {os.Getenv(envSocket)}}.Encode()}
	return u.String()
}

// start makes a cluster and waits until it answers. fsync is off: what the machine
// loses with its power is no concern of a test.
func start() (stop func() error, err error) {
	bin, err := Bin()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "slipway-pg-") // short: it holds a socket
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := owned(dir); err != nil {
		return nil, err
	}
	var log bytes.Buffer
	command := func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, program), args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = dir, &log, &log, process()
		return cmd
	}
	data := filepath.Join(dir, "data")
	runtime.LockOSThread() // a child ends with the thread that started it
	if err := command("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N", "--locale=C.UTF-8", "-E", "UTF8").Run(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, log.Bytes())
	}
	log.Reset()
	server := command("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "max_connections=400", "-c", "shared_buffers=32MB")
	if err := server.Start(); err != nil {
		return nil, err
	}
	stop = func() error {
		_ = server.Process.Signal(syscall.SIGQUIT) // an immediate shutdown, whose status is not 0
		_ = server.Wait()
		return os.RemoveAll(dir)
	}
	if err := os.Setenv(envSocket, dir); err != nil {
		return nil, errors.Join(err, stop())
	}
	if err := answers(); err != nil {
		return nil, errors.Join(err, stop(), fmt.Errorf("the server says:\n%s", log.Bytes()))
	}
	return stop, nil
}

// answers waits until the server takes connections.
func answers() error {
	var err error
	for range 300 {
		var db *pgx.Conn
		if db, err = pgx.Connect(context.Background(), address("postgres")); err == nil {
			return db.Close(context.Background())
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}
