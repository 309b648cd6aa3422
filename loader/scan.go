package loader

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/build/archive"
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
		<-p.done
	}
	for _, p := range updated {
		if !isWanted(p.id) {
			continue
		}
		if err := p.settled(ctx); err != nil {
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
	discovered, faults := bundle.Discover(l.options.Dirs...)
	found, refused := l.options.verify(discovered)
	faults = append(faults, refused...)
	order := startOrder(found)
	taken := map[string]stamps{} // before the lock: the files may be on a slow network
	for _, next := range order {
		taken[next.Metadata.ID] = stampsOf(next.mounted)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, errors.New("reload plugins: the loader is closed")
	}
	isFound := map[string]bool{}
	for _, next := range order {
		b := next.mounted
		id := b.Metadata.ID
		p, isMounted := l.plugins[id]
		isFound[id] = true
		if isAnyMoving(moving, b) {
			delete(l.stamps, id) // a later scan must see it
			continue
		}
		now := taken[id]
		isUnchanged := now.isSame(l.stamps[id])
		l.stamps[id] = now
		switch {
		case !isMounted:
			p = newPlugin(b, l.options, l.runDir, l.memory, l.required(next.after))
			l.plugins[id] = p
			p.added()
		case isUnchanged && !isWanted(id):
			continue
		default:
			p.update(b)
		}
		updated = append(updated, p)
	}
	for id, p := range l.plugins {
		if isFound[id] {
			continue
		}
		delete(l.stamps, id)
		if b := p.mounted(); slices.ContainsFunc(faults, func(f bundle.Fault) bool { return keeps(f, b.Plugin, moving) }) {
			found = append(found, b)
			continue
		}
		gone = append(gone, p)
		delete(l.plugins, id)
		p.removed()
		l.stopping.Go(p.stop)
	}
	unmet := l.options.unmet(startOrder(found))
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
func keeps(f bundle.Fault, p bundle.Plugin, moving []string) bool {
	dir := p.Dir
	switch {
	case f.Code == bundle.FaultDuplicateID, f.Code == bundle.FaultMissingRoot:
		return false
	case f.Code.Stage() == bundle.StageVerify: // fails closed unless the change is in progress
		return f.Path == dir && isBelow(moving, p.Root)
	}
	rel, err := filepath.Rel(f.Path, dir)
	return f.Path == filepath.Join(dir, bundle.MetadataFile) || f.Code == bundle.FaultUnreadable && err == nil && filepath.IsLocal(rel) || f.Path == dir
}

// isBelow reports whether a directory contains one of the paths.
func isBelow(paths []string, dir string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(path, dir+string(filepath.Separator)) })
}

// isAnyMoving reports whether a file on which the process of a plugin depends is still
// being written.
func isAnyMoving(moving []string, b mounted) bool {
	return slices.ContainsFunc(filesOf(b), func(path string) bool {
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
			l.options.Logger.Warn(message, "code", f.Code, "path", f.Path, "plugin", f.PluginID, "reason", f.Reason)
		}
	}
}

func (p *Plugin) mounted() mounted {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bundle
}

// filesOf returns the files of a plugin that determine its process.
func filesOf(b mounted) []string {
	return []string{
		filepath.Join(b.Dir, bundle.MetadataFile),
		filepath.Join(b.Dir, filepath.FromSlash(bundle.Host().Executable(b.Metadata.Executable))),
		filepath.Join(b.Dir, archive.ManifestFile),
	}
}

// recent is how old a change must be to be distinguished from the next one by its time: the
// resolution of times on FAT.
const recent = 2 * time.Second

// stamps identify the state of a plugin on disk, without reading its files.
type stamps struct {
	dir, parent string
	files       []os.FileInfo // see filesOf; nil for one that does not exist
	taken       time.Time
}

func stampsOf(b mounted) stamps {
	s := stamps{dir: b.Dir, parent: b.Parent, taken: time.Now()}
	for _, file := range filesOf(b) {
		info, err := os.Stat(file)
		if err != nil {
			info = nil
		}
		s.files = append(s.files, info)
	}
	return s
}

// isSame reports whether nothing has changed since before. It does not trust a file that
// had changed shortly before it was looked at.
func (s stamps) isSame(before stamps) bool {
	return s.dir == before.dir && s.parent == before.parent && slices.EqualFunc(s.files, before.files, func(a, b os.FileInfo) bool {
		if a == nil || b == nil {
			return a == nil && b == nil
		}
		return isSameFile(a, b) && before.taken.Sub(b.ModTime()) > recent
	})
}
