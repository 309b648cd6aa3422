package loader

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// crashShown is how long the end of a process is reported after another one has started.
const crashShown = 10 * time.Minute

// newFault returns a fault of a plugin that Plugin.Faults completes.
func newFault(code bundle.FaultCode, format string, args ...any) *bundle.Fault {
	return &bundle.Fault{Code: code, Reason: terminal.Line(fmt.Sprintf(format, args...))}
}

// faultOf returns the fault in an error, or one with the code not-running.
func faultOf(err error) bundle.Fault {
	if f, ok := errors.AsType[*bundle.Fault](err); ok {
		return *f
	}
	return *newFault(bundle.FaultNotRunning, "%v", err)
}

// troubles are the faults of one plugin that are not visible on disk.
type troubles struct {
	mu     sync.Mutex
	last   bundle.Fault // of a start, or the unexpected end of a process; or the zero Fault
	health bundle.Fault // the zero Fault after a successful check
	of     string       // UID of the data source that health is about, or ""
	pid    int          // of the process that health is about
}

// failed records why a process did not start, or how it ended. It must be called before the
// reason in the status changes.
func (p *Plugin) failed(err error) {
	isFailing := p.Status().Reason != ""
	f := faultOf(err)
	p.troubles.mu.Lock()
	defer p.troubles.mu.Unlock()
	f.Since = time.Now()
	if isFailing && p.troubles.last.Code == f.Code {
		f.Since = p.troubles.last.Since
	}
	p.troubles.last = f
}

// Faults returns the reasons why the backend is not running or not working correctly. A process that
// ended unexpectedly is reported for some minutes, even if another one runs.
func (p *Plugin) Faults() []bundle.Fault {
	status, dir := p.Status(), p.Bundle().Dir
	p.troubles.mu.Lock()
	defer p.troubles.mu.Unlock()
	var list []bundle.Fault
	switch last := p.troubles.last; {
	case status.Reason != "" && last.Code == "":
		f := *newFault(bundle.FaultNotRunning, "%s", status.Reason)
		f.Since = status.Since
		list = append(list, f)
	case status.Reason != "":
		if status.State == StateRunning {
			last.Reason = "the new build did not start; the previous one keeps serving: " + last.Reason
		}
		list = append(list, last)
	case last.Code.Stage() == bundle.StageRun && time.Since(last.Since) < crashShown:
		list = append(list, last)
	}
	if p.troubles.pid == status.PID && status.PID != 0 {
		list = append(list, p.troubles.health)
	}
	list = slices.DeleteFunc(list, func(f bundle.Fault) bool { return f.Code == "" })
	for i := range list {
		list[i].PluginID, list[i].Path = p.id, dir
	}
	return list
}

// about returns the faults of the process with a PID, without those of an earlier one. The
// caller must hold the lock.
func (t *troubles) about(pid int) *troubles {
	if t.pid != pid {
		t.health, t.of, t.pid = bundle.Fault{}, "", pid
	}
	return t
}

// checked records the result of a health check by a process, which is nil if there was none. A data source without settings
// may be unhealthy for that reason, so only its errors count.
func (p *Plugin) checked(ctx context.Context, proc *Process, req *sdk.CheckHealthRequest, result *sdk.CheckHealthResult, err error) {
	subject, source := "", req.Context.DataSource
	if source != nil {
		subject = source.UID
	}
	var f *bundle.Fault
	e, isCallError := errors.AsType[*sdk.Error](err)
	switch {
	case ctx.Err() != nil, errors.Is(err, backend.ErrUnsupported), errors.Is(err, ErrBusy):
		return
	case isCallError && e.Status == 504:
		f = newFault(bundle.FaultHealthTimeout, "%s", quote(e.Message))
	case err != nil:
		f = newFault(bundle.FaultHealthError, "health check: %s", quote(err.Error()))
	case result.Status != sdk.HealthOK && source != nil && source.ID == 0:
		return
	case result.Status != sdk.HealthOK && source != nil:
		f = newFault(bundle.FaultHealth, "health check of the data source %q: %s", quote(source.Name), quote(result.Message))
	case result.Status != sdk.HealthOK:
		f = newFault(bundle.FaultHealth, "health check: %s", quote(result.Message))
	}
	if !p.isCurrent(proc) {
		return // it was replaced, or its end is reported
	}
	p.troubles.mu.Lock()
	defer p.troubles.mu.Unlock()
	t := p.troubles.about(proc.PID())
	switch {
	case f == nil && t.of == subject:
		t.health = bundle.Fault{}
	case f != nil:
		f.Since = time.Now()
		if t.of == subject && t.health.Code == f.Code {
			f.Since = t.health.Since
		}
		t.health, t.of = *f, subject
		t.quote(proc, &t.health)
	}
}

func (p *Plugin) isCurrent(proc *Process) bool {
	return proc != nil && proc == p.process()
}

// quote adds the last lines of a process to its fault, and does so again a little later:
// the process may still be writing its log. The caller must hold the lock.
func (t *troubles) quote(proc *Process, f *bundle.Fault) {
	f.Stderr = proc.stderr.lines()
	time.AfterFunc(pipeGrace, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.pid == proc.PID() && f.Code != "" {
			f.Stderr = proc.stderr.lines()
		}
	})
}

// Problems returns the faults of the last scan, what plugins lack, and the faults of backends.
func (l *Loader) Problems() []bundle.Fault {
	list := slices.Concat(l.Faults(), l.Unmet())
	for _, p := range l.Plugins() {
		list = append(list, p.Faults()...)
	}
	return list
}

// Inspect returns the plugins that a Loader with the options would mount and the faults that
// it can find without starting a process, with their times.
func Inspect(o Options) ([]bundle.Plugin, []bundle.Fault) {
	o = o.withDefaults()
	found, faults := bundle.Discover(o.Dirs...)
	faults = append(faults, o.unmet(found)...)
	for _, p := range found {
		if !p.Metadata.Backend {
			continue
		}
		if _, err := Executable(p); err != nil {
			f := faultOf(err)
			f.PluginID, f.Path = p.Metadata.ID, p.Dir
			faults = append(faults, f)
		}
	}
	bundle.KeepSince(nil, faults, time.Now())
	return found, faults
}

// exitFault returns the fault for the end of a process, at its start or after it served.
func exitFault(c *command, stderr []string, isStart bool) *bundle.Fault {
	exited, killed, panicked, memory := bundle.FaultExited, bundle.FaultKilled, bundle.FaultPanic, bundle.FaultOutOfMemory
	what := "the process exited unexpectedly"
	if isStart {
		exited, killed, panicked = bundle.FaultExitedAtStart, bundle.FaultKilledAtStart, bundle.FaultPanicAtStart
		memory = killed
		what = "it exited before the handshake"
		if c.waitErr == nil {
			what = "main must call Serve, which returns when the host stops the plugin: " + what
		}
	}
	code := exited
	exit, hasExit := errors.AsType[*exec.ExitError](c.waitErr)
	switch {
	case containsAny(stderr, "runtime: out of memory", "cannot allocate memory", "address space collisions"):
		code = memory
	case slices.ContainsFunc(stderr, text.IsPanic):
		code = panicked
	case hasExit && exit.ExitCode() == -1: // ended by a signal
		code = killed
	}
	f := newFault(code, "%s (%s)", what, c.result())
	f.Stderr = stderr
	return f
}

func containsAny(lines []string, texts ...string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
	})
}

// lines returns the last lines of standard error, at most maxQuote bytes each, without control characters.
func (l *logWriter) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]string, 0, len(l.recent))
	for _, line := range l.recent {
		list = append(list, terminal.Line(line))
	}
	return list
}
