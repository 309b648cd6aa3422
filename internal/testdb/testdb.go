// Package testdb provides databases for tests: a SQLite file per test or, if
// SLIPWAY_TEST_DATABASE is postgres, a database per test on a PostgreSQL server that each
// test process starts in a temporary directory, on a Unix socket.
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

// Env is the environment variable that selects the database of the tests.
const Env = "SLIPWAY_TEST_DATABASE"

// IsWanted reports whether the tests are to run on PostgreSQL.
func IsWanted() bool { return os.Getenv(Env) == "postgres" }

// Bin returns the directory of PostgreSQL's executables.
func Bin() (string, error) {
	if name, err := exec.LookPath("initdb"); err == nil {
		if name, err = filepath.EvalSymlinks(name); err == nil {
			return filepath.Dir(name), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian does not add them to the PATH
	if len(found) == 0 {
		return "", errors.New("PostgreSQL is not installed (Debian: apt-get install postgresql)")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// Main runs the tests of a package, with a server if PostgreSQL is selected, and returns
// the exit status. If the tests pass, it calls after, which may use Create.
func Main(m *testing.M, after ...func() error) int {
	run := func() int {
		status := m.Run()
		for _, f := range after {
			if status != 0 {
				break
			}
			if err := f(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				status = 1
			}
		}
		return status
	}
	if !IsWanted() {
		return run()
	}
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start PostgreSQL:", err)
		return 1
	}
	status := run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		return 1
	}
	return status
}

// envSocket is the environment variable with the directory of the server's socket.
const envSocket = "SLIPWAY_TEST_POSTGRES_SOCKET"

// New returns the name of a new database, for store.Options. It is removed at the end of
// the test.
func New(t testing.TB) string {
	t.Helper()
	if !IsWanted() {
		return filepath.Join(t.TempDir(), "slipway.db")
	}
	name, remove, err := Create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	return name
}

// Create is New outside of a test. The caller removes the database.
func Create() (name string, remove func() error, err error) {
	if !IsWanted() {
		dir, err := os.MkdirTemp("", "slipway-testdb-")
		return filepath.Join(dir, "slipway.db"), func() error { return os.RemoveAll(dir) }, err
	}
	database := "slipway_" + strings.ToLower(rand.Text())
	remove = func() error { return execute("DROP DATABASE " + database + " WITH (FORCE)") }
	return address(database), remove, execute("CREATE DATABASE " + database)
}

// execute runs a statement outside of the databases of tests.
func execute(statement string) error {
	ctx := context.Background()
	db, err := pgx.Connect(ctx, address("postgres"))
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	_, err = db.Exec(ctx, statement)
	return err
}

func address(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/" + database,
		RawQuery: url.Values{"host": {os.Getenv(envSocket)}}.Encode()}
	return u.String()
}

// start creates a cluster and waits until it accepts connections. It disables fsync:
// tests do not need to survive a power failure.
func start() (stop func() error, err error) {
	bin, err := Bin()
	if err != nil {
		return nil, err
	}
	parent := os.TempDir()
	if info, err := os.Stat(parent); err != nil || info.Mode()&1 == 0 || len(parent) > 64 {
		parent = "/tmp" // the server may run as another user, and the path of its socket has at most 104 bytes
	}
	dir, err := os.MkdirTemp(parent, "slipway-pg-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := chown(dir); err != nil {
		return nil, err
	}
	var log bytes.Buffer
	command := func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, program), args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = dir, &log, &log, processAttributes()
		return cmd
	}
	data := filepath.Join(dir, "data")
	runtime.LockOSThread() // the server is killed when the thread that started it ends
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
	if err := waitUntilReady(); err != nil {
		stopped := stop() // the server writes to the log until then
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, log.Bytes()), stopped)
	}
	return stop, nil
}

// waitUntilReady waits until the server accepts connections.
func waitUntilReady() error {
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
