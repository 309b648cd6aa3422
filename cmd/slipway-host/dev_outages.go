package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/loader"
)

// steadyAfter is how long a restarted backend must keep running before dev reports it as
// live: one that keeps crashing soon after it starts is not live.
const steadyAfter = 2 * time.Second

// maxPrinted is how many reasons are remembered for a backend: a reason may quote output that
// differs each time.
const maxPrinted = 16

// outages prints when backends end on their own, and when they are live again. The zero value
// knows of no backend.
type outages struct {
	byID map[string]*outage
}

// outage is what is known about a backend.
type outage struct {
	last    loader.Change
	isDown  bool     // its process ended, and it is not live again
	printed []string // the last reasons, since it went down
}

// note prints why a backend does not run, after its process ended on its own, unless one of the
// last reasons was the same. It does not print why a new build does not start: the outcome of
// the build says so.
func (o *outages) note(w io.Writer, c loader.Change) {
	if c.Kind == loader.ChangeRemoved {
		delete(o.byID, c.ID)
		return
	}
	p := o.byID[c.ID]
	if p == nil {
		p = &outage{}
		if o.byID == nil {
			o.byID = map[string]*outage{}
		}
		o.byID[c.ID] = p
	}
	p.isDown = p.isDown || c.Status.Restarts > p.last.Status.Restarts
	p.last = c
	reason, _, _ := strings.Cut(c.Status.Reason, "; next start in ") // which differs each time
	if !p.isDown || c.Status.State == loader.StateRunning || reason == "" || slices.Contains(p.printed, reason) {
		return
	}
	p.printed = append(p.printed[max(0, len(p.printed)+1-maxPrinted):], reason)
	fmt.Fprintln(w, terminal.Line(fmt.Sprintf("%s: %s", stateOf(c.ID, c.Status), reason)))
}

// recovered prints which backends are live again. It is called steadyAfter the last change.
func (o *outages) recovered(w io.Writer) {
	for id, p := range o.byID {
		if p.isDown && p.last.Status.State == loader.StateRunning {
			p.isDown, p.printed = false, nil
			fmt.Fprintf(w, "%s %s is live again\n", id, p.last.Version)
		}
	}
}

// forget discards what was printed about earlier builds. It is called when a build goes live.
func (o *outages) forget() {
	for _, p := range o.byID {
		p.isDown, p.printed = false, nil
	}
}
