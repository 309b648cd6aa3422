package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/slipway-dev/slipway/build/archive"
	"github.com/slipway-dev/slipway/bundle"
)

// Options configure a Loader.
type Options struct {
	Dirs        []string // plugin directories; the first one wins if ids clash
	HostVersion string   // semantic version; plugins receive it, and tokens depend on it
	Toggles     []string // enabled feature toggles
	AppURL      string   // where plugins reach the host
	Environ     []string // the host's environment; only a few of its variables are passed on
	// Token issues the token of a plugin's service account. It is called before each
	// start of a process that is entitled to one.
	Token  TokenFunc
	Logger *slog.Logger // nil discards
	// TrustedKeys verify the signatures of plugins. If there are any, a plugin that
	// none of them signed is not mounted. Without them, a plugin with a MANIFEST.json
	// must match it.
	TrustedKeys []archive.PublicKey

	StartTimeout time.Duration // for the handshake of a process; 0 is 30 s
	DrainTimeout time.Duration // for calls in progress before a process is stopped; 0 is 10 s
	ReadyTimeout time.Duration // for a call to a process that is (re)starting; 0 is 10 s
}

// TokenFunc issues a token for the service account of a plugin.
type TokenFunc func(ctx context.Context, p bundle.Plugin) (string, error)

// Loader holds the mounted plugins. It is safe for concurrent use. A nil Loader
// has no plugins.
type Loader struct {
	options Options
	runDir  string // private copies of executables and sockets

	reloading sync.Mutex // one scan at a time

	mu       sync.RWMutex
	plugins  map[string]*Plugin
	faults   []bundle.Fault
	revision uint64 // counts the scans
	closed   bool
}

// New returns a loader that mounts nothing until Reload is called. Close stops every
// process.
func New(o Options) (*Loader, error) {
	runDir, err := makeRunDir()
	if err != nil {
		return nil, err
	}
	return &Loader{options: o.withDefaults(), runDir: runDir, plugins: map[string]*Plugin{}}, nil
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.StartTimeout = cmp.Or(o.StartTimeout, 30*time.Second)
	o.DrainTimeout = cmp.Or(o.DrainTimeout, 10*time.Second)
	o.ReadyTimeout = cmp.Or(o.ReadyTimeout, 10*time.Second)
	return o
}

// maxBase is the longest temporary directory with which the path of a socket stays
// within the 104 bytes that every Unix allows.
const maxBase = 24

const runDirPrefix = "slipway-"

// makeRunDir makes a directory of mode 0700 with a short path that contains the id of
// this process, and removes those of processes that were killed.
func makeRunDir() (string, error) {
	base := os.TempDir()
	if len(base) > maxBase && os.PathSeparator == '/' {
		base = "/tmp"
	}
	old, _ := filepath.Glob(filepath.Join(base, runDirPrefix+"*-*")) // fails if base looks like a bad pattern
	for _, dir := range old {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), runDirPrefix), "-")
		if pid, err := strconv.Atoi(id); err == nil && !isAlive(pid) {
			_ = os.RemoveAll(dir)
		}
	}
	dir, err := os.MkdirTemp(base, fmt.Sprintf("%s%d-", runDirPrefix, os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("make directory for plugin processes: %w", err)
	}
	return dir, nil
}

// isAlive reports whether a process with the id exists.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Reload scans the plugin directories. It starts new plugins, swaps changed ones
// without dropping a call, and stops those that are gone. It returns when every changed
// plugin has started or failed to start. Plugins and Faults report what failed; the
// error is about the loader itself.
func (l *Loader) Reload(ctx context.Context) error {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	discovered, faults := bundle.Discover(l.options.Dirs...)
	found, refused := l.options.verify(discovered)
	faults = append(faults, refused...)

	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return errors.New("reload plugins: the loader is closed")
	}
	l.faults = faults
	l.revision++
	var gone, settled []*Plugin
	isFound := map[string]bool{}
	for _, b := range found {
		id := b.Metadata.ID
		isFound[id] = true
		if p, ok := l.plugins[id]; ok {
			p.update(b)
			settled = append(settled, p)
			continue
		}
		p := newPlugin(b, l.options, l.runDir)
		l.plugins[id] = p
		settled = append(settled, p)
	}
	for id, p := range l.plugins {
		if !isFound[id] {
			gone = append(gone, p)
			delete(l.plugins, id)
		}
	}
	l.mu.Unlock()

	for _, f := range faults {
		l.options.Logger.Warn("plugin not mounted", "code", f.Code, "path", f.Path, "plugin", f.PluginID, "reason", f.Reason)
	}
	stopAll(gone)
	for _, p := range settled {
		if err := p.settled(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Plugins returns the mounted plugins, sorted by id.
func (l *Loader) Plugins() []*Plugin {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.SortedFunc(maps.Values(l.plugins), func(a, b *Plugin) int { return strings.Compare(a.id, b.id) })
}

// Plugin returns a mounted plugin.
func (l *Loader) Plugin(id string) (*Plugin, bool) {
	if l == nil {
		return nil, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	p, ok := l.plugins[id]
	return p, ok
}

// Revision changes with every scan.
func (l *Loader) Revision() uint64 {
	if l == nil {
		return 0
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.revision
}

// Faults returns what the last scan could not mount.
func (l *Loader) Faults() []bundle.Fault {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.faults)
}

// Close waits for calls in progress, for at most DrainTimeout, and then stops every
// process. It may be called more than once.
func (l *Loader) Close() error {
	l.mu.Lock()
	l.closed = true
	all := slices.Collect(maps.Values(l.plugins))
	l.mu.Unlock()
	stopAll(all)
	l.reloading.Lock() // a Reload in progress stops plugins too
	defer l.reloading.Unlock()
	if err := os.RemoveAll(l.runDir); err != nil {
		return fmt.Errorf("remove directory of plugin processes: %w", err)
	}
	return nil
}

func stopAll(plugins []*Plugin) {
	var group sync.WaitGroup
	for _, p := range plugins {
		group.Go(p.stop)
	}
	group.Wait()
}
