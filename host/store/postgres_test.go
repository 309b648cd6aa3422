package store_test

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

	"github.com/slipway-dev/slipway/internal/testkit"
)

// onPostgres reports whether the tests run on PostgreSQL: a server that the test process starts in a
// temporary directory, on a Unix socket, with a database per test.
func onPostgres() bool { return os.Getenv("SLIPWAY_TEST_DATABASE") == "postgres" }

// bin returns the directory of PostgreSQL's executables.
func bin() (string, error) {
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

// runTests runs the tests, with a server if PostgreSQL is selected, and returns the exit status.
func runTests(m *testing.M) int {
	if !onPostgres() {
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

// envSocket is the environment variable with the directory of the server's socket.
const envSocket = "SLIPWAY_TEST_POSTGRES_SOCKET"

// newDatabase returns the name of a new database, for store.Options. It is removed at the end of
// the test.
func newDatabase(t testing.TB) string {
	t.Helper()
	if !onPostgres() {
		return filepath.Join(t.TempDir(), "slipway.db")
	}
	database := "slipway_" + strings.ToLower(rand.Text())
	t.Cleanup(func() {
		if err := execute("DROP DATABASE " + database + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	testkit.OK(t, execute("CREATE DATABASE "+database))
	return address(database)
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
	programs, err := bin()
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
		cmd := exec.Command(filepath.Join(programs, program), args...)
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
