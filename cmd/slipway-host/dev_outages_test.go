package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/loader"
)

// Dev prints, once for each reason, why a backend does not run, and prints when it is live again.
func TestOutages(t *testing.T) {
	t.Parallel()
	var o outages
	var b strings.Builder
	change := func(state loader.State, restarts int, reason string) {
		o.note(&b, loader.Change{Kind: loader.ChangeState, ID: "acme-x-app", Version: "1.0.0", Status: loader.Status{State: state, Restarts: restarts, Reason: reason}})
	}
	printed := func(when, want string) {
		t.Helper()
		if got := b.String(); got != want {
			t.Errorf("%s: printed %q, want %q", when, got, want)
		}
		b.Reset()
	}
	change(loader.StateRestarting, 0, "start backend: exit status 1")
	change(loader.StateRunning, 0, "the new build did not start")
	o.recovered(&b)
	printed("a build that does not start", "")
	change(loader.StateRestarting, 1, "exit status 1")
	change(loader.StateRunning, 1, "")
	change(loader.StateRestarting, 2, "exit status 1; next start in 187ms")
	o.recovered(&b)
	printed("a crash, twice", "acme-x-app is restarting: exit status 1\n")
	change(loader.StateRestarting, 2, "start backend: exit status 2")
	printed("another reason", "acme-x-app is restarting: start backend: exit status 2\n")
	change(loader.StateCrashLoop, 2, "5 crashes\nwithin 1m0s")
	printed("too many crashes", "acme-x-app is crash-loop: 5 crashes within 1m0s\n")
	change(loader.StateRunning, 2, "")
	o.recovered(&b)
	o.recovered(&b)
	printed("recovery", "acme-x-app 1.0.0 is live again\n")
	change(loader.StateRestarting, 3, "exit status 1")
	printed("a crash after that", "acme-x-app is restarting: exit status 1\n")
	o.forget()
	change(loader.StateRunning, 3, "")
	o.recovered(&b)
	printed("a new build", "")
	o.note(&b, loader.Change{Kind: loader.ChangeRemoved, ID: "acme-x-app"})
	change(loader.StateRunning, 0, "")
	change(loader.StateRestarting, 1, "exit status 1")
	printed("a crash of a plugin that was mounted again", "acme-x-app is restarting: exit status 1\n")
}

// A backend whose reasons differ each time does not make dev remember them all.
func TestOutagesAreBounded(t *testing.T) {
	t.Parallel()
	var o outages
	for n := range 10 * maxPrinted {
		o.note(io.Discard, loader.Change{ID: "acme-x-app", Status: loader.Status{State: loader.StateRestarting, Restarts: 1, Reason: fmt.Sprintf("address %d", n)}})
	}
	if n := len(o.byID["acme-x-app"].printed); n != maxPrinted {
		t.Errorf("dev remembers %d reasons, want %d", n, maxPrinted)
	}
}
