package loader

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// Options say what to mount and what the backends are told.
type Options struct {
	Dirs        []string // plugin folders, the first wins where ids clash
	HostVersion string   // semantic version that plugins are told and that decides about tokens
	Toggles     []string // enabled feature toggles
	AppURL      string   // where plugins reach the host
	Environ     []string // the host's environment; only a short list of it is passed on
	// Token issues the token of a plugin's service account. It is called for
	// plugins that are entitled to one, before each of their processes starts.
	Token  TokenFunc
	Logger *slog.Logger // nil discards

	StartTimeout time.Duration // until a process must have shaken hands; 0 is 30 s
	DrainTimeout time.Duration // for running requests before a process is stopped; 0 is 10 s
	ReadyTimeout time.Duration // how long a request waits for a process that is (re)starting; 0 is 10 s
}

// TokenFunc issues a token for the service account of a plugin.
type TokenFunc func(ctx context.Context, p bundle.Plugin) (string, error)

// Loader holds the mounted plugins. It is safe for concurrent use. A nil Loader
// has none.
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

// New prepares a loader; nothing is mounted before Reload. Close it to stop every
// process.
func New(o Options) (*Loader, error) {
	runDir, err := privateDir()
	if err != nil {
		return nil, err
	}
	return &Loader{options: o.withDefaults(), runDir: runDir, plugins: map[string]*Plugin{}}, nil
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.StartTimeout = orDefault(o.StartTimeout, 30*time.Second)
	o.DrainTimeout = orDefault(o.DrainTimeout, 10*time.Second)
	o.ReadyTimeout = orDefault(o.ReadyTimeout, 10*time.Second)
	return o
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}

// maxBase is the longest folder for temporary files below which the path of a
// socket stays within the 104 bytes that every Unix allows.
const maxBase = 24

const runDirPrefix = "slipway-"

// privateDir makes a folder of mode 0700 with a short path, named by this process,
// and removes those of processes that were killed.
func privateDir() (string, error) {
	base := os.TempDir()
	if len(base) > maxBase && os.PathSeparator == '/' {
		base = "/tmp"
	}
	old, err := filepath.Glob(filepath.Join(base, runDirPrefix+"*-*"))
	if err != nil {
		old = nil // base has a character that Glob takes for a pattern
	}
	for _, dir := range old {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), runDirPrefix), "-")
		if pid, err := strconv.Atoi(id); err == nil && !isAlive(pid) {
			_ = os.RemoveAll(dir)
		}
	}
	dir, err := os.MkdirTemp(base, fmt.Sprintf("%s%d-", runDirPrefix, os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("prepare folder for plugin processes: %w", err)
	}
	return dir, nil
}

// isAlive says whether there is a process with the id.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Reload scans the plugin folders and brings what runs in line with them: new
// plugins are started, changed ones are swapped without dropping a request, ones
// that are gone are stopped. It returns when every plugin that had to change has
// started or has failed to. What failed is in Plugins and Faults, never in the
// error, which is only about the loader itself.
func (l *Loader) Reload(ctx context.Context) error {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	found, faults := bundle.Discover(l.options.Dirs...)

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

// Plugins lists what is mounted, sorted by id.
func (l *Loader) Plugins() []*Plugin {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	list := make([]*Plugin, 0, len(l.plugins))
	for _, p := range l.plugins {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *Plugin) int { return strings.Compare(a.id, b.id) })
	return list
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

// Revision changes with what is mounted.
func (l *Loader) Revision() uint64 {
	if l == nil {
		return 0
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.revision
}

// Faults lists what the last scan could not mount.
func (l *Loader) Faults() []bundle.Fault {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.faults)
}

// Close stops every process, after its running requests or DrainTimeout, and
// waits for their end. It may be called more than once.
func (l *Loader) Close() error {
	l.mu.Lock()
	l.closed = true
	var all []*Plugin
	for _, p := range l.plugins {
		all = append(all, p)
	}
	l.mu.Unlock()
	stopAll(all)
	l.reloading.Lock() // a Reload that was under way stops plugins too
	defer l.reloading.Unlock()
	if err := os.RemoveAll(l.runDir); err != nil {
		return fmt.Errorf("remove folder of plugin processes: %w", err)
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
