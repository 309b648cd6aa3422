//go:build unix

package loader

import (
	"encoding/json"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestDelve(t *testing.T) {
	t.Parallel()
	path := delve(t)
	for name, test := range map[string]func(*testing.T, string){
		"breakpoint": testBreakpoint, "swap at a breakpoint": testSwapAtBreakpoint,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, path)
		})
	}
}

// delve returns the path of Delve: on PATH, or built in the version that the tools of this
// repository pin.
func delve(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("dlv"); err == nil {
		return path
	}
	path := filepath.Join(t.TempDir(), "dlv")
	// "go tool" would ignore GOFLAGS and compile the standard library again.
	cmd := exec.CommandContext(t.Context(), "go", "build", "-C", filepath.Join("..", "tools"), "-o", path, "github.com/go-delve/delve/cmd/dlv")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("Delve cannot be built, perhaps offline: %v\n%s", err, out)
	}
	return path
}

// A request stops at a breakpoint for longer than every timeout, and is answered when the
// process continues.
func testBreakpoint(t *testing.T, delve string) {
	addresses := make(chan string, 1)
	short := 300 * time.Millisecond
	_, p := mount(t, "ok", "", Options{
		StartTimeout: time.Millisecond, ReadyTimeout: time.Minute,
		Limits: Limits{Resource: short, Health: short},
		Debug:  Debugging{Launch: []string{"a"}, Delve: delve, Listening: func(_, address string) { addresses <- address }},
	})
	if got, err := fetch(t.Context(), p, "x"); err != nil || got != "GET /x" {
		t.Fatalf("got %q, %v; %+v", got, err, p.Status())
	}
	client := debugger{t, dialDelve(t, <-addresses)}
	stopped := client.breakHere()
	responses := make(chan response, 1)
	go func() { responses <- fetched(t, p, "break") }()
	client.awaitBreak(stopped)
	select {
	case r := <-responses:
		t.Fatalf("a response at the breakpoint: %+v", r)
	case <-time.After(3 * short):
	}
	if r := client.proceedTo(responses); r.err != nil || r.text != "GET /break" {
		t.Errorf("got %+v", r)
	}
}

// A call at a breakpoint is not ended because another process has taken the place of its own.
func testSwapAtBreakpoint(t *testing.T, delve string) {
	addresses := make(chan string, 2)
	const short = 300 * time.Millisecond
	_, p := mount(t, "ok", "", Options{
		ReadyTimeout: time.Minute, DrainTimeout: short,
		Debug: Debugging{Launch: []string{"a"}, Delve: delve, Listening: func(_, address string) { addresses <- address }},
	})
	if r := fetched(t, p, "x"); r.err != nil {
		t.Fatalf("%+v; %+v", r, p.Status())
	}
	first := p.current
	client := debugger{t, dialDelve(t, <-addresses)}
	stopped := client.breakHere()
	responses := make(chan response, 1)
	go func() { responses <- fetched(t, p, "break") }()
	client.awaitBreak(stopped)
	restart := func() {
		t.Helper()
		if err := p.Restart(t.Context()); err != nil || !isRunning(p.Status()) {
			t.Fatalf("%v, %+v", err, p.Status())
		}
	}
	restart()
	time.Sleep(3 * short)
	if r := client.proceedTo(responses); r.err != nil || r.text != "GET /break" {
		t.Errorf("the call at the breakpoint: %+v", r)
	}
	<-first.Exited()
}

// debugger is a client of Delve.
type debugger struct {
	*testing.T
	client *rpc.Client
}

type object = map[string]any

func dialDelve(t *testing.T, address string) *rpc.Client {
	t.Helper()
	client := testkit.Must(jsonrpc.Dial("tcp", address))(t)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func (d debugger) call(method string, in object) {
	d.Helper()
	if err := d.client.Call("RPCServer."+method, in, &object{}); err != nil {
		d.Fatalf("%s: %v", method, err)
	}
}

// breakHere sets a breakpoint in stopHere.
func (d debugger) breakHere() (stopped *rpc.Call) {
	d.Helper()
	d.call("Command", object{"name": "halt"})
	d.call("CreateBreakpoint", object{"Breakpoint": object{"functionName": "github.com/slipway-dev/slipway/loader.stopHere", "line": -1}})
	return d.proceed()
}

func (d debugger) awaitBreak(stopped *rpc.Call) {
	d.Helper()
	if done := <-stopped.Done; done.Error != nil || !strings.Contains(jsonText(d.T, done.Reply), "loader.stopHere") {
		d.Fatalf("the process did not stop at the breakpoint: %v %s", done.Error, jsonText(d.T, done.Reply))
	}
}

func (d debugger) proceed() *rpc.Call {
	return d.client.Go("RPCServer.Command", object{"name": "continue"}, &object{}, nil)
}

// proceedTo continues the process each time it stops, until it has answered.
func (d debugger) proceedTo(responses chan response) response {
	d.Helper()
	for {
		stopped := d.proceed()
		select {
		case r := <-responses:
			return r
		case <-stopped.Done:
			if stopped.Error != nil {
				d.Fatalf("the process does not continue: %v", stopped.Error)
			}
			d.Logf("the process stopped again: %s", jsonText(d.T, stopped.Reply))
		}
	}
}

type response struct {
	text string
	err  error
}

func fetched(t *testing.T, p *Plugin, path string) response {
	text, err := fetch(t.Context(), p, path)
	return response{text, err}
}

// A process that is started without a Loader has no time limit either if it is being debugged.
func TestStartOfADebuggedProcess(t *testing.T) {
	t.Parallel()
	dir := writePlugin(t, t.TempDir(), "a", "ok", "")
	slow := filepath.Join(t.TempDir(), "dlv")
	testkit.OK(t, copyUninherited(slow, strings.NewReader("#!/bin/sh\nsleep 1\nfor last; do :; done\nexec \"$last\"\n")))
	proc := testkit.Must(Start(t.Context(), mustPlugin(t, start(t, Options{Dirs: []string{filepath.Dir(dir)}}), "a").Bundle(),
		Options{StartTimeout: 100 * time.Millisecond, Debug: Debugging{Launch: []string{"a"}, Delve: slow}}, Output{}))(t)
	if err := proc.Stop(); err != nil {
		t.Error(err)
	}
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text := testkit.Must(json.Marshal(v))(t)
	return string(text)
}
