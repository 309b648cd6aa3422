// Package loader mounts plugin directories and runs their backends. It starts each
// backend over go-plugin, restarts the ones that crash, swaps the ones that were
// rebuilt and stops them all.
//
// An error in one plugin never reaches another: it ends up in that plugin's Status.
//
// A machine (machine.go) decides when a process is started, replaced, killed and given up, and
// a supervisor (supervise.go) does it. New calls go to the new process, and calls in progress
// have DrainTimeout to end in the old one. Streams end at once; package host/live
// runs them again.
//
// The function environment (settings.go) builds the environment of a backend from scratch: an allowlist
// of the host's variables, and the host's settings for plugins under the prefix of
// every profile; go-plugin adds its own. decideToken (token.go) determines whether it
// contains a service account token.
package loader

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/slipway-dev/slipway/bundle"
)

// Options configure a Loader.
type Options struct {
	Dirs        []string // plugin directories; the first one wins if ids clash
	HostVersion string   // semantic version; plugins receive it, and tokens depend on it
	Toggles     []string // enabled feature toggles
	AppURL      string   // where plugins reach the host
	Environ     []string // the host's environment; only a few of its variables are passed on
	// Token issues the token of a plugin's service account, before each start that is entitled to one.
	Token TokenFunc
	// Settings returns the settings of a plugin, before each start; it may call the Loader. nil if none.
	Settings func(id string) Settings
	Logger   *slog.Logger // nil discards

	StartTimeout time.Duration // for the handshake of a process; 0 is 30 s
	DrainTimeout time.Duration // for calls in progress before a process is stopped; 0 is 10 s
	ReadyTimeout time.Duration // for a call to a process that is (re)starting; 0 is 10 s

	Limits Limits    // of calls
	Probes Probes    // of running processes
	Debug  Debugging // of backends

	// Notify, if not nil, is called with each change. It must be quick, and call no Loader and no plugin.
	Notify func(Change)
}

// TokenFunc issues a token for the service account of a plugin.
type TokenFunc func(ctx context.Context, p bundle.Plugin) (string, error)

// Loader holds the mounted plugins. It is safe for concurrent use. A zero Loader mounts none.
type Loader struct {
	options Options
	runDir  *runDir             // private copies of executables and sockets
	starts  *semaphore.Weighted // of processes at the same time

	scanning sync.Mutex     // one scan at a time
	stopping sync.WaitGroup // plugins that were removed

	mu       sync.RWMutex
	plugins  map[string]*Plugin
	faults   []bundle.Fault
	unmet    []bundle.Fault
	revision uint64 // counts the scans
	closed   bool
}

// maxStarts is how many processes start at the same time: many that started at once would
// keep each other from completing the handshake in time.
const maxStarts = 16

// New returns a loader, which mounts nothing until Reload is called. Close stops every process.
func New(o Options) (*Loader, error) {
	runDir, err := newRunDir()
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	return &Loader{options: o, runDir: runDir, starts: semaphore.NewWeighted(maxStarts), plugins: map[string]*Plugin{}}, nil
}

func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.StartTimeout = cmp.Or(o.StartTimeout, 30*time.Second)
	o.DrainTimeout = cmp.Or(o.DrainTimeout, 10*time.Second)
	o.ReadyTimeout = cmp.Or(o.ReadyTimeout, 10*time.Second)
	if o.Settings == nil {
		o.Settings = func(string) Settings { return Settings{} }
	}
	o.Limits, o.Probes = o.Limits.withDefaults(), o.Probes.withDefaults()
	return o
}

// Plugins returns the mounted plugins, sorted by id.
func (l *Loader) Plugins() []*Plugin {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.SortedFunc(maps.Values(l.plugins), func(a, b *Plugin) int { return strings.Compare(a.id, b.id) })
}

// Plugin returns a mounted plugin.
func (l *Loader) Plugin(id string) (*Plugin, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	p, ok := l.plugins[id]
	return p, ok
}

// Revision changes with every scan.
func (l *Loader) Revision() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.revision
}

// Faults returns what the last scan could not mount.
func (l *Loader) Faults() []bundle.Fault {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.faults)
}

// Unmet returns what mounted plugins lack to meet the contract, with the codes
// bundle.FaultIncomplete, bundle.FaultServiceRange and those for dependencies.
func (l *Loader) Unmet() []bundle.Fault {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.unmet)
}

// Close waits at most DrainTimeout for calls, and then stops every process. It may be called again.
func (l *Loader) Close() error {
	l.mu.Lock()
	l.closed = true
	all := slices.Collect(maps.Values(l.plugins))
	l.mu.Unlock()
	stopAll(all)
	l.stopping.Wait()
	return l.runDir.close()
}

func stopAll(plugins []*Plugin) {
	var group sync.WaitGroup
	for _, p := range plugins {
		group.Go(p.stop)
	}
	group.Wait()
}
