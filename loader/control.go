package loader

import (
	"context"
	"fmt"

	"github.com/slipway-dev/slipway/sdk/backend"
)

// Restart replaces the process of the backend with a new one without dropping a call, even
// if nothing has changed. It also starts the process of a plugin that crashed too often or
// could not be started. It returns when the new process has started or failed to start;
// Status reports which. If it failed, the next start that succeeds replaces the process. The
// error is backend.ErrUnsupported if the plugin has no backend.
func (p *Plugin) Restart(ctx context.Context) error {
	if !p.Bundle().Metadata.Backend {
		return fmt.Errorf("%w: the plugin has no backend", backend.ErrUnsupported)
	}
	p.change(func(want *desired) { want.restarts++ })
	return p.Settled(ctx)
}

// ChangeKind is the kind of a Change.
type ChangeKind string

// The kinds of changes.
const (
	ChangeAdded   ChangeKind = "added"
	ChangeRemoved ChangeKind = "removed"
	ChangeState   ChangeKind = "state" // the state, the process or the reason changed
)

// Change is a change to a mounted plugin.
type Change struct {
	Kind    ChangeKind
	ID      string
	Version string // of the plugin
	Status  Status
}

// notifyState calls Options.Notify if the status differs from an earlier one. The caller
// holds the lock.
func (p *Plugin) notifyState(before Status) {
	if now := p.status; now.State != before.State || now.PID != before.PID || now.Reason != before.Reason {
		p.notify(ChangeState)
	}
}

// removed notifies that the plugin is no longer mounted. Later changes are not reported.
func (p *Plugin) removed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notify(ChangeRemoved)
	p.isRemoved = true
}

// notify calls Options.Notify. The caller holds the lock.
func (p *Plugin) notify(kind ChangeKind) {
	if p.options.Notify != nil && !p.isRemoved {
		p.options.Notify(Change{kind, p.id, p.want.bundle.Metadata.Info.Version, p.status})
	}
}
