package loader

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// Reload scans the plugin directories. It starts new plugins, swaps changed ones
// without dropping a call, starts those again that could not start, and stops those that
// are gone. An unchanged plugin that crashes still waits for its next start. Reload returns
// when every such plugin has started, failed to start or stopped. Plugins and Faults report
// what failed; the error is about the loader itself.
//
// A plugin whose plugin.json has become invalid stays mounted with its previous one.
func (l *Loader) Reload(ctx context.Context) error {
	return l.reload(ctx, func(string) bool { return true })
}

// ReloadPlugin is Reload for one plugin: others that have not changed are left alone.
func (l *Loader) ReloadPlugin(ctx context.Context, id string) error {
	return l.reload(ctx, func(other string) bool { return other == id })
}

func (l *Loader) reload(ctx context.Context, isWanted func(id string) bool) error {
	updated, gone, err := l.scan(isWanted, nil)
	if err != nil {
		return err
	}
	for _, p := range gone {
		select {
		case <-p.done:
		case <-ctx.Done():
			return fmt.Errorf("wait for plugin %s to stop: %w", p.id, ctx.Err())
		}
	}
	for _, p := range updated {
		if !isWanted(p.id) {
			continue
		}
		if err := p.Settled(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Refresh is Reload after changes to files. It skips plugins whose plugin.json and executable
// are unchanged, even if they are not running, and plugins with a file in moving, the sorted
// paths of files that are still being written. It does not wait for processes.
func (l *Loader) Refresh(moving []string) error {
	_, _, err := l.scan(func(string) bool { return false }, moving)
	return err
}

// scan brings the plugins in line with the plugin directories. It returns the plugins that
// it updated and those that it stops.
func (l *Loader) scan(isWanted func(id string) bool, moving []string) (updated, gone []*Plugin, err error) {
	l.scanning.Lock()
	defer l.scanning.Unlock()
	found, faults := bundle.Discover(l.options.Dirs...)
	identities := map[string]identity{} // before the lock: the files may be on a slow network
	for _, b := range found {
		identities[b.Metadata.ID] = identityOf(b)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, errors.New("reload plugins: the loader is closed")
	}
	isFound := map[string]bool{}
	for _, b := range found {
		id := b.Metadata.ID
		p, isMounted := l.plugins[id]
		isFound[id] = true
		if isAnyMoving(moving, b) {
			continue
		}
		switch now := identities[id]; {
		case !isMounted:
			p = newPlugin(b, now, l.options, l.runDir, l.starts)
			l.plugins[id] = p
		case now == p.wanted().identity && !isWanted(id):
			continue
		default:
			p.update(b, now)
		}
		updated = append(updated, p)
	}
	for id, p := range l.plugins {
		if isFound[id] {
			continue
		}
		if b := p.wanted().bundle; slices.ContainsFunc(faults, func(f bundle.Fault) bool { return keeps(f, b) }) {
			found = append(found, b)
			continue
		}
		gone = append(gone, p)
		delete(l.plugins, id)
		p.removed()
		l.stopping.Go(p.stop)
	}
	unmet := l.options.unmet(found)
	l.logNew("plugin not mounted", faults, l.faults)
	l.logNew("plugin mounted with unmet requirements", unmet, l.unmet)
	bundle.KeepSince(l.faults, faults, time.Now())
	bundle.KeepSince(l.unmet, unmet, time.Now())
	l.faults, l.unmet = faults, unmet
	l.revision++
	return updated, gone, nil
}

// keeps reports whether a mounted plugin stays mounted in spite of a fault: its files may be
// half written, or come from a broken build.
func keeps(f bundle.Fault, p bundle.Plugin) bool {
	if f.Code == bundle.FaultDuplicateID || f.Code == bundle.FaultMissingRoot {
		return false
	}
	rel, err := filepath.Rel(f.Path, p.Dir)
	return f.Path == filepath.Join(p.Dir, bundle.MetadataFile) ||
		f.Code == bundle.FaultUnreadable && err == nil && filepath.IsLocal(rel) || f.Path == p.Dir
}

// isAnyMoving reports whether a file that the process of a plugin needs is still being written.
func isAnyMoving(moving []string, b bundle.Plugin) bool {
	executable, _ := b.ExecutablePath() // Executable reports an error
	files := []string{filepath.Join(b.Dir, bundle.MetadataFile), executable}
	return slices.ContainsFunc(files, func(path string) bool {
		_, ok := slices.BinarySearch(moving, path)
		return ok
	})
}

// logNew logs the faults that the previous scan did not find.
func (l *Loader) logNew(message string, faults, before []bundle.Fault) {
	for _, f := range faults {
		isSame := func(b bundle.Fault) bool {
			return b.Code == f.Code && b.Path == f.Path && b.PluginID == f.PluginID && b.Reason == f.Reason
		}
		if !slices.ContainsFunc(before, isSame) {
			l.options.Logger.Warn(message, "code", f.Code, "path", f.Path, "plugin", f.PluginID, "reason", f.Error())
		}
	}
}

// identity identifies the state of a plugin on disk. If it has changed, so may have what the
// process runs. The zero value is that of no plugin.
type identity struct {
	dir, parent string
	metadata    [sha256.Size]byte // digest of plugin.json
	executable  fileState
}

// identityOf returns the identity of a plugin as it was read. Its executable may be another
// when the process starts: then a later scan finds another identity.
func identityOf(b bundle.Plugin) identity {
	id := identity{dir: b.Dir, parent: b.Parent, metadata: b.Digest}
	if executable, err := b.ExecutablePath(); err == nil {
		if info, err := os.Stat(executable); err == nil {
			id.executable = stateOf(info)
		}
	}
	return id
}

// fileState tells the state of a file from others without reading it. The zero value stands
// for a file that does not exist.
type fileState struct {
	size, modified int64 // in bytes, and in nanoseconds
	mode           fs.FileMode
	inode          uint64 // 0 where there is none
}

func stateOf(info fs.FileInfo) fileState {
	return fileState{info.Size(), info.ModTime().UnixNano(), info.Mode(), inodeOf(info)}
}
