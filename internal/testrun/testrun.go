// Package testrun runs go test for people and CI logs. It prints a line for each
// package when the package ends, the complete output of failures, what it is waiting
// for when nothing else happens, and a summary at the end. It only interprets the
// events of go test -json: which tests to run is up to the caller.
package testrun

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/process"
)

// quiet is the longest time without a line of output.
const quiet = 10 * time.Second

// Runner runs go test one or more times and prints one summary for all runs. It is
// not safe for concurrent use.
type Runner struct {
	printer *printer
	status  int
}

// New returns a Runner that prints to w. It omits the prefix from the import paths
// that it prints.
func New(w io.Writer, prefix string) *Runner {
	return &Runner{printer: newPrinter(w, prefix, time.Now)}
}

// Run is one run of go test.
type Run struct {
	Flags    []string          // of go test
	Packages []string          // patterns
	Labels   map[string]string // printed after a package, such as "on PostgreSQL" after "host/store"
	Args     []string          // of the test executables
	Env      []string          // in addition to that of this process
	Verbose  bool              // also print the output of tests that pass
}

// Run runs go test and prints its progress. It returns an error if go test cannot be
// run or ctx is done. Failing tests are not an error: Finish reports them.
func (r *Runner) Run(ctx context.Context, run Run) error {
	args := slices.Concat([]string{"test"}, run.Flags, []string{"-json"}, run.Packages, run.Args)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), run.Env...)
	stdout, w := io.Pipe()
	p := r.printer
	cmd.Stdout, cmd.Stderr = w, p
	p.begin(run)
	ended := make(chan error, 1)
	go func() {
		err := process.Run(cmd, 2*time.Second) // interrupts the tests, too, and go test then reports them
		_ = w.Close()
		ended <- err
	}()
	stop := p.watch()
	err := p.read(stdout)
	_ = stdout.Close()
	stop()
	err = errors.Join(err, <-ended)
	p.end()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.status = max(r.status, exit.ExitCode(), 1)
		return ctx.Err()
	}
	return err
}

// Finish prints the summary of all runs and returns the exit status of go test: 0 if
// every run succeeded.
func (r *Runner) Finish() int {
	r.printer.summary(r.status)
	return r.status
}

// event is an event of go test -json: see go doc test2json and go help buildjson.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of a build event
	Test        string
	Elapsed     float64 // seconds
	Output      string
	FailedBuild string // the ImportPath of the build that failed
}

// read prints the events of a run. Lines that are not events are printed as they are.
func (p *printer) read(stdout io.Reader) error {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		var e event
		if json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
			p.event(e)
		} else if strings.TrimSpace(line) != "" {
			_, _ = p.Write([]byte(line))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the output of go test: %w", err)
		}
	}
}

// watch calls p.waiting every second until stop is called.
func (p *printer) watch() (stop func()) {
	ticker := time.NewTicker(time.Second)
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-ticker.C:
				p.waiting()
			case <-done:
				return
			}
		}
	})
	return func() {
		ticker.Stop()
		close(done)
		running.Wait()
	}
}
